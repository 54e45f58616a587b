#!/usr/bin/env bash
# Runs the shards of a job on several hosts with GNU parallel over ssh. All hosts see FOLDER, the input and the program under the
# same paths, as on a shared file system.
#
#     parallel.sh HOSTS N FOLDER COMMAND...
#     parallel.sh 8/alpha,8/beta 100 out othellier analyze --batch --threads 1 --depth 12 games.ggf
#
# HOSTS is a list for --sshlogin of GNU parallel, each with its number of shards at a time; `:` is this machine. What a host that
# dies had under way is done by the others. Run again after an interruption, it does what is missing. Merge with
# `othellier merge FOLDER/*.jsonl`. SSH_CONFIG names a file for ssh -F.
set -euo pipefail

if [ $# -lt 4 ]; then
    echo "usage: parallel.sh HOSTS N FOLDER COMMAND..." >&2
    exit 2
fi
hosts=$1 n=$2 folder=$3
shift 3
if ! command -v parallel >/dev/null; then
    echo "parallel.sh: GNU parallel is needed (Debian package parallel)" >&2
    exit 2
fi
mkdir -p "$folder"
folder=$(realpath "$folder")
shard=$(realpath "$(dirname "$0")/shard.sh")

# Silence for 15 seconds is the death of a host.
ssh="ssh ${SSH_CONFIG:+-F $SSH_CONFIG} -o BatchMode=yes -o ConnectTimeout=5 -o ServerAliveInterval=5 -o ServerAliveCountMax=2"
seq "$n" | parallel --will-cite --quote --ssh "$ssh" --sshlogin "$hosts" --workdir "$PWD" --retries 50 \
    --joblog "$folder/joblog" "$shard" "$folder" "{}/$n" "$@"
