#!/usr/bin/env bash
# Builds the core of the library for WebAssembly, runs its benchmark in Node.js, and prints the nodes and the nodes a second beside
# those of the program at OTHELLIER, on one thread.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cross}
target=wasm32-unknown-unknown
# What only tests use asks for random numbers, which there are none of.
export RUSTFLAGS='-C target-feature=+simd128 --cfg getrandom_backend="unsupported"'
scripts/cross.sh $target build --quiet --profile ci --no-default-features --example bench_wasm
wasm=$(node - "$CARGO_TARGET_DIR/$target/ci/examples/bench_wasm.wasm" <<'END'
const fs = require("fs");
// The library asks its embedder for the time.
const imports = { othellier: { milliseconds: () => performance.now() } };
WebAssembly.instantiate(fs.readFileSync(process.argv[2]), imports).then(({ instance }) => {
    const start = performance.now();
    const nodes = instance.exports.othellier_bench();
    const rate = nodes / (performance.now() - start) * 1000;
    console.log(`${nodes} nodes, ${rate.toFixed(0)} nodes/s`);
});
END
)
native=$("${OTHELLIER:-target/release/othellier}" bench --json |
    node -e 'const rows = require("fs").readFileSync(0, "utf8").trim().split("\n").map(JSON.parse);
const sum = key => rows.reduce((sum, row) => sum + (row[key] || 0), 0);
console.log(`${sum("nodes")} nodes, ${(sum("nodes") / sum("time")).toFixed(0)} nodes/s`);')
printf 'WebAssembly: %s\nnative: %s\n' "$wasm" "$native"
[ "${wasm%% *}" = "${native%% *}" ] || { echo "wasm.sh: other nodes" >&2; exit 1; }
