#!/usr/bin/env bash
# Checks the dependencies by deny.toml: licenses, forbidden crates, sources and, where the network can be reached, known
# vulnerabilities.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
    echo "audit.sh: cargo-deny is missing: cargo install cargo-deny --locked" >&2
    exit 1
fi
cargo deny --log-level error --locked check licenses bans sources
report=$(cargo deny --log-level error --locked check advisories 2>&1) || {
    if ! grep -q 'failed to fetch advisory database' <<<"$report"; then
        echo "$report" >&2
        exit 1
    fi
    report="advisories not checked: their database cannot be fetched"
}
echo "$report"
