#!/usr/bin/env bash
# Looks for data races and misuse of memory: scripts/sanitize.sh [races] [memory], both by default.
#
# races: tests of the table, stopping, shared search, engine and protocols under ThreadSanitizer, with the standard library built
# for it too, so that nothing needs to be suppressed. memory: sessions of every protocol, with several threads, under valgrind; on
# the AVX2 build, because valgrind does not know AVX-512.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
parts=("$@")
[ ${#parts[@]} != 0 ] || parts=(races memory)

fail() {
    echo "sanitize.sh: $*" >&2
    exit 1
}

races() {
    [ -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ] ||
        fail "the sources of the standard library are missing: rustup component add rust-src"
    # The stable toolchain has the sanitizer behind this switch.
    export RUSTC_BOOTSTRAP=1
    export RUSTFLAGS="-Zsanitizer=thread -C target-cpu=x86-64-v3"
    export TSAN_OPTIONS="history_size=4"
    local build=(cargo test -Zbuild-std --target x86_64-unknown-linux-gnu --target-dir "$target/races" --no-default-features --features program)
    # The sanitizer wants its addresses where they always are. Not run: a test with a time limit for stopping, which takes longer here.
    setarch -R "${build[@]}" --lib -- --skip a_stopped_ponder_keeps_what_it_found \
        transposition:: search::stop search::parallel engine:: protocol::
    setarch -R "${build[@]}" --test it -- stress::
}

checked() { # ARGUMENT...: the program with the standard input; a file that it refuses is no fault
    echo "memory: othellier $*"
    local status=0
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect \
        --show-leak-kinds=definite,indirect "$target/x86-64-v3/ci/othellier" "$@" >"$log" 2>&1 || status=$?
    if [ $status -gt 1 ]; then
        cat "$log" >&2
        fail "othellier $*: status $status"
    fi
}

memory() {
    command -v valgrind >/dev/null || fail "valgrind is missing"
    RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --profile ci --target-dir "$target/x86-64-v3" --bin othellier
    checked gtp --no-book --level 7 --hash 1 --threads 3 --ponder <tests/seeds/gtp/game
    checked gtp --no-book --level 5 --hash 1 <tests/seeds/gtp/views
    checked gtp --level 5 --hash 1 --threads 2 <tests/seeds/gtp/settings
    checked nboard --no-book --level 5 --hash 2 --threads 2 --finish <tests/seeds/nboard/game
    checked nboard --level 5 --hash 1 --finish <tests/seeds/nboard/passes
    checked cassio --hash 1 --threads 2 <tests/seeds/cassio/searches
    checked cassio --hash 1 <tests/seeds/cassio/endgame
    checked perft 7 </dev/null
    local position='--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'
    echo "$position" | checked solve /dev/stdin
    for format in ggf sgf wthor obf transcript; do
        for file in "tests/seeds/$format"/*; do
            checked convert --check --format "$format" "$file" </dev/null
        done
    done
}

for part in "${parts[@]}"; do
    case $part in
    races | memory) "$part" ;;
    *) fail "there is no $part" ;;
    esac
done
echo "sanitize: nothing found"
