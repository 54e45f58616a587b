#!/usr/bin/env bash
# Rates the strengths and the simple players against each other, and prints a table and the ratings for src/engine/strength.rs
# (RATINGS) and docs/engine.md. Run it again after every change of the evaluation or the search.
#
#     scripts/calibrate_strength.sh [OUT [GAMES]]
#
# A round robin of 2 games a pair; each rung also plays GAMES (40) games with each of the three rungs above it, which tell most.
# One game at a time, at low priority. Ratings are Elo above the player random.
# OTHELLIER names the program. OUT is target/strength-CHECKSUM, by the program's checksum: an interrupted run continues, and another
# build starts afresh.
set -euo pipefail

othellier=${OTHELLIER:-$(dirname "$0")/../target/release/othellier}
out=${1:-$(dirname "$0")/../target/strength-$(cksum <"$othellier" | cut -d' ' -f1)}
games=${2:-40}
simple=(random greedy minimizer minimax minimax2 classic:ponder=off)
top=12

play() {
    local folder=$out/$1
    shift
    if [ -e "$folder/event.toml" ]; then
        nice -n 15 "$othellier" match --resume "$folder" >/dev/null
    else
        # Without a clock the top of the ladder is the default level.
        nice -n 15 "$othellier" match "$@" --clock unlimited --openings random:6 --out "$folder" >/dev/null
    fi
    echo "$folder done" >&2
}

mkdir -p "$out"
everybody=()
for player in "${simple[@]}"; do everybody+=(--player "$player"); done
for rung in $(seq 0 $top); do everybody+=(--player "engine:rung=$rung"); done
play all "${everybody[@]}" --games 2
# The simple players stand at the foot of the ladder.
foot=()
for player in "${simple[@]}"; do foot+=(--player "$player"); done
play foot "${foot[@]}" --player engine:rung=0 --player engine:rung=2 --games "$games"
for rung in $(seq 0 $((top - 1))); do
    above=()
    for other in $(seq $((rung + 1)) $((rung + 3 < top ? rung + 3 : top))); do above+=(--player "engine:rung=$other"); done
    play "rung$rung" --gauntlet --player "engine:rung=$rung" "${above[@]}" --games "$games" --seed $((rung + 2))
done

"$othellier" report --json "$out"/all "$out"/foot "$out"/rung* | python3 -c '
import json, sys

rows = [row for row in map(json.loads, sys.stdin) if "player" in row]
ratings = {row["player"]: row["elo"] for row in rows}
errors = {row["player"]: row["elo_error"] for row in rows}
zero = ratings["random"]
print("| player | Elo above random | 95 % | games |\n|---|---:|---:|---:|")
for row in sorted(rows, key=lambda row: row["elo"]):
    name = row["player"]
    elo, error, games = ratings[name] - zero, errors[name], row["games"]
    print(f"| `{name}` | {elo:.0f} | +- {error:.0f} | {games} |")
rungs = [10 * round((ratings[f"engine:rung={k}"] - zero) / 10) for k in range('$((top + 1))')]
print("\nRATINGS:", rungs)
if any(upper <= lower for lower, upper in zip(rungs, rungs[1:])):
    sys.exit("the rungs are not in order: play more games, or space them otherwise in src/engine/strength.rs")
'
