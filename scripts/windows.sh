#!/usr/bin/env bash
# Builds the program for Windows on Debian and tries it under wine: the node count, unit and integration tests, compliance, a match, a
# book whose writer is killed.
#
# What is not tried there: signals, terminals and the system's own files (tests for Linux only: faults, hunt, the full-screen board,
# signals, full disks), engines scripted in a shell, and what the lists below name. The launcher is tried by scripts/release.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
platform=x86_64-pc-windows-gnu
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cross} RUSTFLAGS="-C target-cpu=x86-64-v3"
export CARGO_PROFILE_DEV_DEBUG=line-tables-only CARGO_INCREMENTAL=0
not_units=(
    --skip support::cpu::tests::every_feature_that_a_build_can_enable # asks the compiler, which wine cannot start
    --skip files::book::tests::a_book_that_is_compacted_meanwhile # wine replaces no open file: for an instant there is none
)
not_integration=(
    --skip games::gtp_games_against_rhino --skip games::referee_agrees_with_rhino # an engine for Linux
)

step "build"
scripts/cross.sh $platform test --no-run
exe=$(realpath "$CARGO_TARGET_DIR/$platform/debug/othellier.exe")
othellier() { scripts/wine.sh "$exe" "$@"; }

step "the node count"
stated=$(git log -1 --format='%(trailers:key=Bench,valueonly)' -- src | head -n 1)
[ "$(othellier bench | tail -n 1 | tr -d '\r')" = "Bench: $stated" ]

step "unit tests"
scripts/cross.sh $platform test --lib -- "${not_units[@]}"
step "integration tests"
# Wine 8 fails to start a program once in some thousands ("Internal error"): what failed is tried again.
log=$CARGO_TARGET_DIR/integration.log
if ! scripts/cross.sh $platform test --test it -- "${not_integration[@]}" | tee "$log"; then
    mapfile -t failed < <(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log")
    [ "${#failed[@]}" -gt 0 ] && [ "${#failed[@]}" -lt 4 ] || exit 1
    scripts/cross.sh $platform test --test it -- --exact "${failed[@]}"
fi

step "compliance"
for protocol in gtp nboard cassio; do
    othellier compliance --proto $protocol -- "Z:$exe" $protocol | tail -n 1
done

step "a match of two programs"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
player() { echo "name=$1,proto=$1,clock=level:4,cmd=Z:$exe $1"; }
othellier match --player "$(player gtp)" --player "$(player nboard)" --games 10 --out "Z:$out/event" | tee "$out/lines"
grep -F 'faults 0/0' "$out/lines" >/dev/null

step "a book whose writer is killed"
timeout -s KILL 15 scripts/wine.sh "$exe" book build "Z:$out/a.othb" --positions 100000 --depth 6 >/dev/null || true
othellier book check "Z:$out/a.othb"
othellier book build "Z:$out/a.othb" --duration 4s --depth 6 >/dev/null
othellier book check "Z:$out/a.othb" | tail -n 1

step "done"
