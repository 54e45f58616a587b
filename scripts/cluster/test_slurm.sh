#!/usr/bin/env bash
# Runs a job as a Slurm array on one node, where a job of higher priority throws its tasks out in the middle: they are requeued.
#
#     test_slurm.sh --quick
#
# Needs root and Debian's slurm-wlm, munge, procps, util-linux. Starts controller, node and authentication of its own, with keys and
# files of their own, in namespaces: a Slurm that runs on this machine is not touched.
set -euo pipefail
. "$(dirname "$0")/common.sh" "${1:-}" slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge ip:iproute2

show_logs() { tail -n 20 "$work"/*.log "$work"/log.* "$work"/munge/log 2>/dev/null; }

# Slurm looks for another address than that of the loopback before it listens.
ip address add 198.51.100.1/32 dev lo

mkdir "$work"/munge "$work"/state "$work"/spool
head -c 128 /dev/urandom >"$work/munge/key"
chown -R munge "$work/munge"
chmod 400 "$work/munge/key"
export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=quick
SlurmctldHost=box(127.0.0.1)
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
NodeName=box NodeAddr=127.0.0.1 CPUs=2 RealMemory=1000
PartitionName=batch Nodes=box Default=YES PriorityTier=1
PartitionName=urgent Nodes=box PriorityTier=2
END
munged=("$(command -v munged)" "--key-file=$work/munge/key" "--socket=$work/munge/socket" "--log-file=$work/munge/log"
    "--pid-file=$work/munge/pid" "--seed-file=$work/munge/seed")
su -s /bin/sh munge -c "${munged[*]}"
slurmctld
slurmd

is_ready() { [ "$(sinfo --noheader --format=%T | sort --unique)" = idle ]; }

is_at_work() { compgen -G "$work/out/*.jsonl" && freeze; }

# No answer is no empty queue.
is_over() {
    local jobs
    jobs=$(squeue --noheader) && [ -z "$jobs" ]
}

await "node that is ready" is_ready
array=$(sbatch --parsable --array="1-$n_shards" --requeue --open-mode=append --output="$work/log.%a" \
    "$cluster/shard.sh" "$work/out" "array/$n_shards" "${job[@]}")
await "task at work" is_at_work
sbatch --parsable --partition=urgent --cpus-per-task=2 --output=/dev/null --wrap true >/dev/null
await "end of all jobs" is_over
n_requeued=$(scontrol show job "$array" | grep -c 'Restarts=[1-9]') || fail "no task was thrown out"
compare "$work/out"
echo "test_slurm.sh: $n_requeued tasks thrown out and requeued, all rows as in one run"
