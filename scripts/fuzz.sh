#!/usr/bin/env bash
# Fuzzes the protocols, the readers of files and the rules: scripts/fuzz.sh [SECONDS [TARGET...]]
#
# Runs each target for SECONDS (60), one after the other, at low priority. Inputs worth keeping go to fuzz/corpus; an input that
# breaks a target goes to fuzz/artifacts. Copy it to tests/seeds, where the tests run it from then on.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
    targets=(nboard gtp cassio console xboard requests ggf sgf wthor obf transcript remarks edax weights book game flips)
fi

if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "fuzz.sh: cargo-fuzz is missing: cargo install cargo-fuzz" >&2
    exit 1
fi

# The stable toolchain takes the flags of coverage too; it has no sanitizers, but the program has little for them to check.
export RUSTC_BOOTSTRAP=1
# In place of .cargo/config.toml, which cargo-fuzz overrules: the code that users run.
export RUSTFLAGS="${RUSTFLAGS:--C target-cpu=native}"

words=$(mktemp)
trap 'rm -f "$words"' EXIT
# The words of the protocols and of the files, each once.
cat tests/seeds/{nboard,gtp,cassio,console,xboard,requests,ggf,sgf,transcript,remarks}/* | grep -aoE '[A-Za-z_-]{2,20}|\(;|;\)' | sort -u |
    sed 's/.*/"&"/' >"$words"

failed=()
for target in "${targets[@]}"; do
    mkdir -p "fuzz/corpus/$target"
    echo "== $target, $seconds s"
    nice -n 10 cargo fuzz run -s none "$target" "fuzz/corpus/$target" "tests/seeds/$target" -- \
        -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=1024 -dict="$words" -print_final_stats=1 ||
        failed+=("$target")
done
if [ ${#failed[@]} != 0 ]; then
    echo "fuzz.sh: broken: ${failed[*]}; see fuzz/artifacts" >&2
    exit 1
fi
