#!/usr/bin/env bash
# Tries a change of the search or the evaluation: the working tree against a commit.
#
#   scripts/try.sh [BASE]      BASE is a commit (HEAD)
#
# Builds both, compares nodes and speed of `bench`, then plays until a sequential test is decided: first at equal nodes, where only
# ideas count, then at equal time. Prints the lines for the commit's message at the end. GAMES (4000) limits each match, NODES (100000)
# and SECONDS_A_MOVE (0.1) a move, ELO (0,5) are the hypotheses of the test. BASE is built in target/try, and only once.
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(git rev-parse --short "${1:-HEAD}")
folder=target/try
old=$folder/$base/target/release/othellier
new=target/release/othellier

if [ ! -x "$old" ]; then
    rm -rf "${folder:?}/$base"
    git worktree prune
    git worktree add --quiet --detach "$folder/$base" "$base"
    (cd "$folder/$base" && cargo build --release --quiet --bin othellier --target-dir target)
fi
cargo build --release --quiet --bin othellier

report=
note() {
    echo "$1"
    report+="$1"$'\n'
}

# The quickest of three runs: a busy machine only slows.
speed() { for _ in 1 2 3; do "$1" bench | awk '/nodes\/s/ { print $(NF - 3) }' | paste -sd' '; done | sort -n | tail -n 1; }

note "base $base: $("$old" bench | tail -n 1), nodes/s in midgame and endgame $(speed "$old")"
note "new: $("$new" bench | tail -n 1), nodes/s in midgame and endgame $(speed "$new")"

# Two settings of one command line: LIMIT CLOCK.
play() {
    local limit=$1 clock=$2
    "$new" match --sprt "${ELO:-0,5}" --games "${GAMES:-4000}" --concurrency "$(nproc)" --openings book:on:10 --shuffle --clock "$clock" \
        --player "name=new,proto=gtp,cmd=$PWD/$new gtp --no-book $limit" \
        --player "name=base,proto=gtp,cmd=$PWD/$old gtp --no-book $limit" | tail -n 3
}

note "${NODES:-100000} nodes a move:"
note "$(play "--nodes ${NODES:-100000}" none)"
note "${SECONDS_A_MOVE:-0.1} s a move:"
note "$(play "" "move:${SECONDS_A_MOVE:-0.1}")"

printf '\nFor the commit:\n\n%s' "$report"
