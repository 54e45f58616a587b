#!/usr/bin/env bash
# Splits an event over several workers with GNU parallel, and reports the joined results.
#
#     scripts/match_in_parallel.sh OUT WORKERS MATCH-OPTIONS...
#     scripts/match_in_parallel.sh results 2 --player engine:depth=4 --player minimax2 --games 100
#
# Each worker plays its shard of the schedule into OUT/K. Run again after an interruption, the workers continue where they were.
# For several machines that share the folder and have the binary, give parallel options such as --sshlogin host1,host2 --workdir .
# A Slurm array does the same with SLURM_ARRAY_TASK_ID instead of {}.
set -euo pipefail

if [ $# -lt 3 ]; then
    sed -n '4,5s/^# *//p' "$0" >&2
    exit 2
fi
out=$1
workers=$2
shift 2
othellier=${OTHELLIER:-$(dirname "$0")/../target/release/othellier}
if ! command -v parallel >/dev/null; then
    echo "GNU parallel is needed (Debian package parallel)" >&2
    exit 2
fi
mkdir -p "$out"

play_shard() {
    othellier=$1 out=$2 shard=$3 workers=$4
    shift 4
    if [ -e "$out/$shard/event.toml" ]; then
        "$othellier" match --resume "$out/$shard"
    else
        "$othellier" match --shard "$shard/$workers" --out "$out/$shard" "$@"
    fi
}
export -f play_shard

seq "$workers" | parallel --will-cite --quote --jobs "$workers" play_shard "$othellier" "$out" {} "$workers" "$@" >"$out/log.txt"
"$othellier" report "$out"/[0-9]*
