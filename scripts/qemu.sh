#!/usr/bin/env bash
# Builds the program for ARM on Debian and tries it under qemu: the node count, unit tests, GTP, a match. Then runs the unit tests
# of formats, books and weights on a big-endian processor.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cross} CARGO_PROFILE_DEV_DEBUG=line-tables-only CARGO_INCREMENTAL=0

not_units=(
    --skip compliance::tests::a_command_that_cannot_be_started # qemu reports no failure of an exec
)

step "ARM: build"
scripts/cross.sh aarch64-unknown-linux-gnu build --bin othellier

step "ARM: the node count"
othellier() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$CARGO_TARGET_DIR/aarch64-unknown-linux-gnu/debug/othellier" "$@"; }
stated=$(git log -1 --format='%(trailers:key=Bench,valueonly)' -- src | head -n 1)
[ "$(othellier bench | tail -n 1)" = "Bench: $stated" ]

step "ARM: unit tests"
scripts/cross.sh aarch64-unknown-linux-gnu test --lib -- "${not_units[@]}"

# The cases of `compliance` ask for answers sooner than qemu gives them.
step "ARM: GTP"
answers=$(printf '%s\n' name 'play black d3' 'genmove white' 'genmove black' showboard quit | othellier gtp --depth 6)
echo "$answers"
[ "$(grep -c '^=' <<<"$answers")" = 6 ]

step "ARM: a match"
othellier match --player engine:depth=4 --player greedy --games 2

step "big-endian: unit tests of formats, books, weights"
scripts/cross.sh s390x-unknown-linux-gnu test --lib -- formats:: files:: book:: evaluation:: game:: board::

step "done"
