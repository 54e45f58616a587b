#!/usr/bin/env bash
# Makes target/web: the package `othellier` for browsers and Node.js, also packed for npm, and a page that uses it. Then it tries the
# package in Node.js: the same nodes and the same answers as those of the program at OTHELLIER, on one thread.
#
#     scripts/wasm.sh [--book] [--quick]     with the opening book in the module; without counting nodes
#
# PROFILE is that of Cargo, by default release.
set -euo pipefail
cd "$(dirname "$0")/.."
features=web is_quick=
for option in "$@"; do
    case $option in
    --book) features=web-book ;;
    --quick) is_quick=1 ;;
    *)
        echo "wasm.sh: unknown option $option" >&2
        exit 1
        ;;
    esac
done
profile=${PROFILE:-release} program=${OTHELLIER:-target/release/othellier}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/cross}
target=wasm32-unknown-unknown
# What only tests use asks for random numbers, which there are none of. A search goes some 130 calls deep. Nobody reads where a panic was.
export RUSTFLAGS='-C target-feature=+simd128 --cfg getrandom_backend="unsupported"'
RUSTFLAGS+=' -C link-arg=-zstack-size=4194304 -C strip=symbols -Zlocation-detail=none'
scripts/cross.sh $target build --quiet --profile "$profile" --no-default-features --features $features --example web

web=target/web package=target/web/othellier
rm -rf $web
mkdir -p $package
module=$CARGO_TARGET_DIR/$target/${profile/#dev/debug}/examples/web.wasm
cp "$module" $package/othellier.wasm
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
sed "s/VERSION/$version/" src/web/package.json >$package/package.json
sed "s/^const LENGTH = 0/const LENGTH = $(stat -c %s "$module")/" src/web/othellier.js >$package/othellier.js
cp src/web/worker.js src/web/othellier.d.ts LICENSE-MIT LICENSE-APACHE $package
# The other documents are not there.
sed -E 's/\[([^]]*)\]\([a-z]+\.md[^)]*\)/\1/g' docs/web.md >$package/README.md
RUSTFLAGS="" scripts/third_party_licenses.py $target $features >$package/LICENSES-THIRD-PARTY
npm pack --silent --pack-destination $web ./$package >/dev/null

# The page, of the parts that pages of reports and analyses have.
sed 's/{{black}}/Black/; s/{{white}}/White/; s/{{key}}//' src/page/board.html >$web/board.html
sed -e "/^BOARD\$/{r $web/board.html" -e 'd}' src/web/index.html >$web/index.html
rm $web/board.html
cat src/page/base.css src/analyze/page.css src/web/page.css >$web/page.css
cat src/page/board.js src/web/page.js >$web/page.js
contents=$(cat $web/*.html $web/page.* $package/* | sha256sum | cut -c 1-12)
sed "s/VERSION/$contents/" src/web/offline.js >$web/offline.js

# As it is installed.
npm install --silent --no-audit --no-fund --prefix $web/installed ./$web/othellier-*.tgz
(cd $web/installed && node --input-type=module -e 'import { Othellier } from "othellier"; await Othellier.load();')
node tests/web/compare.mjs $web/installed/node_modules/othellier "$program"
rm -r $web/installed
[ -z "$is_quick" ] || exit 0

wasm=$(node --input-type=module - $package <<'END'
import { readFileSync } from "node:fs";
const folder = process.argv[2];
const imports = { milliseconds: () => performance.now(), canceled: () => 0, say: () => {} };
const { instance } = await WebAssembly.instantiate(readFileSync(folder + "/othellier.wasm"), { othellier: imports });
const start = performance.now();
const nodes = instance.exports.othellier_bench();
const rate = nodes / (performance.now() - start) * 1000;
console.log(`${nodes} nodes, ${rate.toFixed(0)} nodes/s`);
END
)
native=$("$program" bench --json |
    node -e 'const rows = require("fs").readFileSync(0, "utf8").trim().split("\n").map(JSON.parse);
const sum = key => rows.reduce((sum, row) => sum + (row[key] || 0), 0);
console.log(`${sum("nodes")} nodes, ${(sum("nodes") / sum("time")).toFixed(0)} nodes/s`);')
printf 'WebAssembly: %s\nnative: %s\n' "$wasm" "$native"
[ "${wasm%% *}" = "${native%% *}" ] || { echo "wasm.sh: other nodes" >&2; exit 1; }
for file in $package/othellier.wasm src/evaluation/weights.bin; do
    printf '%s: %s bytes, %s by gzip\n' "$file" "$(stat -c %s $file)" "$(gzip -9c $file | wc -c)"
done
