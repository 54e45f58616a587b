#!/usr/bin/env bash
# Runs a job as a Slurm array on one node, where a job of higher priority throws its tasks out in the middle: they are requeued.
#
#     test_slurm.sh --quick
#
# Needs root and Debian's slurm-wlm and munge. Starts controller, node and authentication of its own, with ports, keys and files
# of their own, on the loopback address.
set -euo pipefail
. "$(dirname "$0")/common.sh"

host=$(hostname -s)
export SLURM_CONF=$work/slurm.conf
stop() {
    for pid in "$work"/slurmd.pid "$work"/slurmctld.pid "$work"/munge/pid; do
        [ ! -e "$pid" ] || kill "$(cat "$pid")" 2>/dev/null || true
    done
    # The node's files are in use until it is gone.
    sleep 1
    rm -rf "$work"
}
trap stop EXIT

mkdir "$work"/munge "$work"/state "$work"/spool
head -c 128 /dev/urandom >"$work/munge/key"
chown -R munge "$work/munge"
chmod 400 "$work/munge/key"
cat >"$work/slurm.conf" <<EOF
ClusterName=quick
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# Tasks that were thrown out wait for as long as credentials are valid.
AuthInfo=socket=$work/munge/socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=batch Nodes=$host Default=YES PriorityTier=1
PartitionName=urgent Nodes=$host PriorityTier=2
EOF
munged=(/usr/sbin/munged "--key-file=$work/munge/key" "--socket=$work/munge/socket" "--log-file=$work/munge/log"
    "--pid-file=$work/munge/pid" "--seed-file=$work/munge/seed")
su -s /bin/sh munge -c "${munged[*]}"
/usr/sbin/slurmctld
/usr/sbin/slurmd

# await WHAT COMMAND...: until the command succeeds.
await() {
    for _ in $(seq 1200); do
        if "${@:2}" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    echo "test_slurm.sh: no $1" >&2
    tail -n 20 "$work"/*.log "$work"/log.* >&2
    return 1
}
is_idle() { [ "$(sinfo --noheader --format=%t)" = $'idle\nidle' ] || sinfo --noheader --format=%T | grep -q idle; }
is_at_work() { [ "$(squeue --noheader --job="$array" --states=running | wc -l)" = 2 ] && compgen -G "$work/out/.[0-9]*"; }
is_empty() { [ -z "$(squeue --noheader)" ]; }

await "node that is ready" is_idle
array=$(sbatch --parsable --array="1-$n_shards" --requeue --open-mode=append --output="$work/log.%a" \
    "$cluster/shard.sh" "$work/out" "array/$n_shards" "${job[@]}")
await "task at work" is_at_work
[ "$(find "$work/out" -name '*.jsonl' | wc -l)" -lt "$n_shards" ]
sbatch --parsable --partition=urgent --cpus-per-task=2 --output=/dev/null --wrap "sleep 2" >/dev/null
await "end of all jobs" is_empty
requeued=$(grep -c 'preempted' "$work/slurmctld.log" || true)
[ "$requeued" -gt 0 ]
compare "$work/out"
echo "test_slurm.sh: $requeued tasks thrown out and requeued, all rows as in one run"
