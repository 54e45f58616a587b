#!/usr/bin/env bash
# Runs one shard of a job and keeps its output once it is complete.
#
#     shard.sh FOLDER K/N COMMAND...
#     shard.sh out 3/100 othellier analyze --batch --depth 12 games.ggf
#
# COMMAND takes --shard and writes rows: `othellier analyze --batch` or `othellier solve --json`. FOLDER/K.jsonl appears when the
# shard is done; if it is there already, nothing is done. So any shard may be run again at any time, even by two machines at once.
# In a Slurm job array, K is the word `array`: sbatch --array=1-100 --requeue shard.sh out array/100 othellier ...
set -euo pipefail

if [ $# -lt 3 ]; then
    echo "usage: shard.sh FOLDER K/N COMMAND..." >&2
    exit 2
fi
folder=$1 shard=${2/#array/${SLURM_ARRAY_TASK_ID:-array}}
shift 2
part=$folder/${shard%/*}.jsonl
[ ! -e "$part" ] || exit 0
mkdir -p "$folder"
partial=$(mktemp "$folder/.${shard%/*}.XXXXXX")
trap 'rm -f "$partial"' EXIT
trap 'exit 143' TERM INT

# Positions that are refused end a run with status 1, but only a complete part ends with this line.
status=0
"$@" --shard "$shard" >"$partial" || status=$?
last=$(tail -n 1 "$partial"; echo .)
if [[ $last != '{"part":'*$'}\n.' ]]; then
    echo "shard.sh: shard $shard is incomplete, status $status" >&2
    exit 1
fi
chmod 644 "$partial"
mv -f "$partial" "$part"
