#!/bin/bash
# Counts the instructions of a small fixed task: four positions of 16 to 19 empty squares solved exactly. Times on a shared machine
# vary by several percent from run to run; this count hardly varies, so it shows the small gains and losses of a change.
#
# usage: scripts/count_instructions.sh [N_FUNCTIONS]
#
# Prints nodes, instructions, instructions per node, and the N_FUNCTIONS (default 12) with the most instructions of their own.
# Valgrind (3.19) does not know AVX-512, so this builds x86-64-v3, in target/count-instructions or below $CARGO_TARGET_DIR, and does
# not see code that only AVX-512 builds have. Where the processor's counters can be read, `perf stat -e instructions:u,cycles:u`
# counts for any build.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }

target="${CARGO_TARGET_DIR:-target}/count-instructions"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --release --quiet --target-dir "$target"

cat >"$work/positions.obf" <<'END'
--OOOO----OOOO---OOOOOOO-OOOXOXO-OOXXOXO-OXXOXOO-XXXXXXO-OOOOO-- X;
OOOOOOO-XOOXXO--XOOOXXXXXOXXOOXXXOXXOOX-XOOOOO--XOO-----O------- X;
---XXXX---OOOX--X-OOXO--XXOXOOO-XXXOOOOOXXOXOXO--OOOXX-O-XXXXX-- X;
-OOOOOO---OOXO--XXOXOOXXXXXOXOX-XXOOOXX-XXXOXXX--XOOX---X--O---- O;
END
valgrind --tool=callgrind --callgrind-out-file="$work/out" \
    "$target/release/othellier" solve --threads 1 --hash 4 "$work/positions.obf" >"$work/rows" 2>"$work/log"

nodes=$(awk '/^total:/ { print $4 }' "$work/rows")
instructions=$(awk '/^(summary|totals):/ { print $2; exit }' "$work/out")
awk -v nodes="$nodes" -v instructions="$instructions" 'BEGIN {
    printf "%d nodes, %d instructions, %.1f a node\n", nodes, instructions, instructions / nodes
}'
callgrind_annotate --threshold=100 "$work/out" 2>/dev/null |
    awk '/^ *[0-9,]+ \(/ { sub(/ \[[^]]*\]$/, ""); sub(/[?]+:/, ""); print }' | sed -n "2,$((${1:-12} + 1))p"
