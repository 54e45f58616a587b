#!/usr/bin/env bash
# Plays thousands of games by the clock and looks for losses on time, faults, growth of memory, and threads or files left behind.
#
#     scripts/soak.sh FOLDER           20,000 games at 0.1+0.01, 1,000 at 3+0.1, 600 at 0.1 a move; over an hour, once or in pieces
#     scripts/soak.sh --quick FOLDER   a few games of each kind, half a minute
#
# The engine plays over GTP and NBoard with one and two threads: without pondering against a player that needs no time, with
# pondering against itself over the other protocol. It plays alone on the machine, and beside other work: a computation at nice 19
# on every processor, and up to eight games at a time, the longer ones at nice 10. Meanwhile its memory, threads and open files are
# sampled. A host that runs the machine can halt it, which no program survives whose time is shorter than the halt: a loss on time
# while a processor stood still for longer is told but is no finding. Run again on the same folder, the script continues where it
# was; --quick interrupts itself once to prove it.
#
# The table of results goes to standard output and to FOLDER/result.md. Exit status: 0 nothing found, 1 something found, 2 wrong
# usage. OTHELLIER names the program, target/release/othellier unless set.
set -euo pipefail

quick=no
if [ "${1:-}" = --quick ]; then
    quick=yes
    shift
fi
if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
fi
othellier=$(realpath "${OTHELLIER:-$(dirname "$0")/../target/release/othellier}")
if [ ! -x "$othellier" ]; then
    echo "soak.sh: no program $othellier (set OTHELLIER)" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(realpath "$1")
# Engines run in an empty folder and would put temporary files into another: both must stay empty.
mkdir -p "$folder/empty" "$folder/temporary"
export TMPDIR=$folder/temporary
# Only the engines of this run have it in their command line.
seed=$(cksum <<<"$folder" | cut -d ' ' -f 1)

helpers=()
matches=()
running=
witness=
end_witness() { [ -z "$witness" ] || kill "$witness" 2>/dev/null || true; }
end_helpers() {
    for helper in "${helpers[@]}"; do
        kill "$helper" 2>/dev/null || true
        wait "$helper" 2>/dev/null || true
    done
    helpers=()
}
interrupted() {
    for match in "${matches[@]}"; do
        { kill -TERM "$match" 2>/dev/null && wait "$match"; } || true
    done
    end_helpers
    echo "soak.sh: to continue: $0 $*" >&2
    exit 1
}
trap 'interrupted "$folder"' INT TERM
trap 'end_helpers; end_witness' EXIT

# Notes in file $1 when a processor stood still, and for how long: a thread on it that sleeps and goes first of all woke late.
witness() {
    exec nice -n -20 python3 - "$1" 2>/dev/null <<'END'
import os, sys, threading, time


def watch(processor):
    os.sched_setaffinity(0, {processor})  # Of this thread.
    before = time.monotonic()
    while True:
        time.sleep(0.002)
        now = time.monotonic()
        if now - before > 0.02:
            print(time.time(), now - before, file=halts)
        before = now


halts = open(sys.argv[1], "a", buffering=1)
for processor in os.sched_getaffinity(0):
    threading.Thread(target=watch, args=(processor,)).start()
END
}

# Notes memory, threads and open files of the engines of match $1 in file $2, every $3 seconds.
sample() {
    python3 - "$@" <<'END'
import os, sys, time

match, path, interval = sys.argv[1], sys.argv[2], float(sys.argv[3])
with open(path, "a", buffering=1) as samples:
    while os.path.exists(f"/proc/{match}"):
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/stat") as file:
                    if file.read().rsplit(")", 1)[1].split()[1] != match:
                        continue
                with open(f"/proc/{process}/status") as file:
                    status = dict(line.split(":", 1) for line in file)
                words = [status[key].split()[0] for key in ("VmRSS", "VmHWM", "Threads")]
                files = len(os.listdir(f"/proc/{process}/fd"))
            except (OSError, KeyError):
                continue  # It has ended.
            print(process, *words, files, file=samples)
        time.sleep(interval)
END
}

# Plays a part of the soak: name, clock, games, threads, ponder (on, off), games at a time (1: nothing beside it), players (gtp,
# nboard, both).
play() {
    local name=$1 clock=$2 games=$3 threads=$4 ponder=$5 beside=$6 players=$7
    local out=$folder/$name specs=() arguments flag='' nice=''
    [ "$ponder" = off ] || flag=" --ponder"
    # Longer clocks tolerate longer waits; at 10 ms a move, a clock tolerates at most two more programs per processor.
    if [ "$beside" -gt 1 ] && [ "$clock" = 3+0.1 ]; then
        nice="nice -n 10 "
    fi
    for protocol in gtp nboard; do
        [ "$players" = "$protocol" ] || [ "$players" = both ] || continue
        specs+=(--player "name=$protocol,proto=$protocol,fraction=yes,ponder=$ponder,dir=$folder/empty,cmd=$nice'$othellier' $protocol \
--hash 2 --threads $threads --seed $seed$flag")
    done
    [ "$players" = both ] || specs+=(--player "engine:level=1,hash=1,name=cheap")
    if [ -e "$out/event.toml" ]; then
        arguments=(--resume "$out")
    else
        arguments=(--clock "$clock" --games "$games" --openings random:8 --out "$out" "${specs[@]}")
    fi
    printf '%s: %s games at %s, %s, threads %s, ponder %s, games at a time %s\n' \
        "$name" "$games" "$clock" "$players" "$threads" "$ponder" "$beside" >&2
    # The match ends its engines and keeps its games.
    trap 'kill -TERM "$running" 2>/dev/null && wait "$running"; end_helpers; exit 1' TERM
    helpers=()
    "$othellier" match "${arguments[@]}" >"$folder/$name.txt" 2>>"$folder/$name.log" &
    running=$!
    sample "$running" "$folder/$name.samples" "$interval" &
    helpers+=($!)
    if [ "$quick" = yes ] && [ "$name" = 1 ] && [ "${arguments[0]}" != --resume ]; then
        sleep 1
        kill -TERM "$running"
        wait "$running" || true
        end_helpers
        play "$@"
        return
    fi
    wait "$running" || echo "match ended with status $?" >>"$folder/$name.log"
    end_helpers
}

# Plays the parts of a wave at the same time.
play_wave() {
    local wave=$1 words
    if [ "$wave" -gt 0 ]; then
        for _ in $(seq "$(nproc)"); do
            nice -n 19 "$othellier" perft 20 >/dev/null 2>&1 &
            helpers+=($!)
        done
    fi
    matches=()
    for words in "${parts[@]}"; do
        if [ "${words%% *}" = "$wave" ]; then
            # shellcheck disable=SC2086 # The words are its arguments.
            play ${words#* } &
            matches+=($!)
            # Parts that play alone run one after the other.
            [ "$wave" -gt 0 ] || wait "${matches[-1]}" || true
        fi
    done
    for match in "${matches[@]}"; do
        wait "$match" || true
    done
    matches=()
    end_helpers
    # Nothing may be left behind; engines that were told to end get a moment.
    for _ in $(seq 20); do
        pgrep -f -- "--seed $seed" >/dev/null || return 0
        sleep 0.1
    done
    echo "wave $wave: an engine is left behind" >>"$folder/left.log"
}

number=0
waves=0
parts=()
# Adds a part: wave (0: alone), clock, games, threads, ponder, games at a time, players.
part() {
    number=$((number + 1))
    parts+=("$1 $number ${*:2}")
    waves=$1
}
if [ "$quick" = yes ]; then
    interval=0.1
    part 0 0.1+0.01 20 1 off 1 gtp
    part 0 0.1+0.01 14 1 on 1 both
    part 1 0.1+0.01 20 2 off 3 nboard
    part 1 0.1+0.01 14 2 on 3 both
    part 1 3+0.1 2 1 off 3 gtp
    part 2 move:0.1 2 1 off 2 gtp
else
    interval=1
    for threads in 1 2; do
        for protocol in gtp nboard; do
            part 0 0.1+0.01 150 "$threads" off 1 "$protocol"
            part 0 3+0.1 4 "$threads" off 1 "$protocol"
        done
        part 0 0.1+0.01 150 "$threads" on 1 both
        part 0 3+0.1 4 "$threads" on 1 both
    done
    for protocol in gtp gtp nboard nboard; do
        part 1 0.1+0.01 2575 1 off 8 "$protocol"
        part 1 3+0.1 122 1 off 8 "$protocol"
    done
    for protocol in gtp nboard; do
        part 2 0.1+0.01 2250 2 off 4 "$protocol"
        part 2 3+0.1 122 2 off 4 "$protocol"
    done
    for _ in 1 2; do
        part 3 0.1+0.01 1700 1 on 4 both
        part 3 3+0.1 92 1 on 4 both
    done
    part 4 0.1+0.01 900 2 on 3 both
    part 4 3+0.1 30 2 on 3 both
    part 4 3+0.1 30 2 on 3 both
    # With a time for each move nothing is saved to fall back on, so no more games are played than there are processors.
    for threads in 1 2; do
        part 5 move:0.1 200 "$threads" off 2 gtp
    done
    for ponder in off on; do
        part 6 move:0.1 100 1 "$ponder" 2 both
    done
fi
printf '%s\n' "${parts[@]}" >"$folder/parts"
start=$SECONDS
witness "$folder/halts" &
witness=$!
for wave in $(seq 0 "$waves"); do
    play_wave "$wave"
done
end_witness

commit=$(git -C "$(dirname "$0")" rev-parse --short HEAD 2>/dev/null || echo unknown)
python3 - "$folder" "$("$othellier" --version)" "$commit" "$((SECONDS - start))" <<'END' | tee "$folder/result.md"
import datetime, json, os, re, statistics, sys

folder, version, commit, seconds = sys.argv[1:]
# A sample below these is no growth: pages of a table that are touched for the first time.
SLACK_KB, SLACK = 2048, 1.05
findings = []
with open(f"{folder}/halts") as file:
    halts = [tuple(map(float, line.split())) for line in file]
excused = []


def is_of_machine(game):
    """Whether a game was lost on time by less than a halt of a processor meanwhile."""
    fault = game["fault"]
    late = re.fullmatch(r"exceeded its time by ([\d.]+) s", fault["text"])
    if fault["cause"] != "time" or not late:
        return False
    # The start is in whole seconds; the time of the last move is not among the times.
    end = game["started"] + sum(game["times"]) + 3
    during = [length for at, length in halts if game["started"] <= at <= end]
    return float(late[1]) < max(during, default=0)


def samples(name):
    """Memory in KiB, its peak, threads and files of each process, in their order."""
    processes = {}
    path = f"{folder}/{name}.samples"
    if os.path.exists(path):
        for line in open(path):
            words = line.split()
            if len(words) == 5:
                processes.setdefault(words[0], []).append([int(word) for word in words[1:]])
    return processes.values()


def judge(name, clock, n_games, n_threads, ponder, beside, players):
    def found(text):
        findings.append(f"part {name}: {text}")

    is_per_move = clock.startswith("move:")
    if is_per_move:
        main = increment = float(clock.removeprefix("move:"))
    else:
        main, increment = (float(part) for part in clock.split("+"))
    faults, least, n_played, n_moves = 0, float("inf"), 0, 0
    for line in open(f"{folder}/{name}/games.jsonl"):
        game = json.loads(line)
        n_played += 1
        if "fault" in game and game["fault"]:
            fault = game["fault"]
            text = f"game {game['id']}: {fault['player']} {fault['cause']}: {fault['text'][:300]}"
            if is_of_machine(game):
                excused.append(f"part {name}: {text}")
            else:
                faults += 1
                found(text)
        # Sides alternate: passes, which take no time at all, are among the times.
        left = [main, main]
        own = [game[color] in ("gtp", "nboard") for color in ("black", "white")]
        n_opening = len(game["opening"]) // 2
        for ply, time in enumerate(game["times"]):
            side = ply % 2
            if ply < n_opening or time == 0:
                continue
            left[side] -= time
            if own[side]:
                least = min(least, left[side])
                n_moves += 1
            left[side] = increment if is_per_move else left[side] + increment
    if n_played != int(n_games):
        found(f"{n_played} of {n_games} games")
    peak, growth = 0, 0
    for process in samples(name):
        memory = [sample[0] for sample in process]
        peak = max(peak, *(sample[1] for sample in process))
        # A process that was interrupted before may still have been unpacking weights and book.
        if len(memory) >= 15:
            third = len(memory) // 3
            before, after = max(memory[third : 2 * third]), max(memory[2 * third :])
            growth = max(growth, after - before)
            if after > before * SLACK + SLACK_KB:
                found(f"memory grows from {before} to {after} kB")
            # The main one, the reader, the engine, and helpers of the search; one that is just ending may be among them.
            threads = statistics.median(sample[2] for sample in process[2 * third :])
            if threads > 3 + int(n_threads) - 1:
                found(f"{threads} threads in an engine at the end")
        # They may have inherited more than the three standard ones.
        files = [sample[3] for sample in process[1:]]
        if files and max(files) > files[0]:
            found(f"open files grow from {files[0]} to {max(files)}")
    if peak == 0:
        found("no engine was sampled")
    for file in os.listdir(f"{folder}/{name}"):
        if file.startswith("stderr-"):
            if os.path.getsize(f"{folder}/{name}/{file}"):
                found(f"{file} is not empty")
        elif file not in ("event.toml", "games.jsonl", "games.ggf"):
            found(f"the file {file} is left behind")
    for line in open(f"{folder}/{name}.log"):
        # What `match` tells of its games is no finding.
        is_told = line.startswith(("game ", "after ")) or "stopped after" in line or "to continue" in line
        if not is_told and "repeat an earlier one" not in line:
            found(line.strip())
    overrun = max(0.0, -least)
    print(
        f"| {clock} | {players} | {n_threads} | {ponder} | {beside} | {n_played} | {n_moves} | {faults} "
        f"| {1000 * overrun:.0f} ms | {1000 * least:.0f} ms | {peak / 1024:.0f} MB | {growth / 1024:+.1f} MB |"
    )
    return n_played, n_moves, faults, overrun, least, peak, growth


if os.path.exists(f"{folder}/left.log"):
    findings.extend(line.strip() for line in open(f"{folder}/left.log"))
model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
print(f"{datetime.date.today()}, commit {commit}, {version}, {os.cpu_count()} processors ({model})\n")
print("| clock | players | threads | ponder | at a time | games | moves | faults | overrun | least left | peak | growth |")
print("|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|")
rows = [judge(*line.split()[1:]) for line in open(f"{folder}/parts")]
for place in ("empty", "temporary"):
    for file in os.listdir(f"{folder}/{place}"):
        findings.append(f"the file {place}/{file} is left behind")
games, moves, faults, overrun, least, peak, growth = zip(*rows)
print(
    f"| all | | | | | {sum(games)} | {sum(moves)} | {sum(faults)} | {1000 * max(overrun):.0f} ms "
    f"| {1000 * min(least):.0f} ms | {max(peak) / 1024:.0f} MB | {max(growth) / 1024:+.1f} MB |"
)
print()
if halts:
    print(f"Processors stood still {len(halts)} times, for {1000 * max(length for _, length in halts):.0f} ms at most.")
for text in excused:
    print(f"stood still: {text}")
for finding in findings:
    print(f"found: {finding}")
print(f"soak: {sum(games)} games, {sum(faults)} faults, {len(findings)} findings, {seconds} s in this run")
sys.exit(1 if findings else 0)
END
