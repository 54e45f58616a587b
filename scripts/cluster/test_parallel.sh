#!/usr/bin/env bash
# Runs a job on two hosts with GNU parallel over ssh and takes one of them down in the middle. The hosts are network namespaces on
# this machine, each with a server of ssh; nothing outside of them is touched.
#
#     test_parallel.sh --quick
#
# Needs root and Debian's parallel, openssh-server, iproute2, util-linux.
set -euo pipefail

# A namespace of its own also for this script.
if [ -z "${IN_NAMESPACE:-}" ] && [ "${1:-}" = --quick ] && [ "$(id -u)" = 0 ]; then
    IN_NAMESPACE=1 exec unshare --net "$0" "$@"
fi
. "$(dirname "$0")/common.sh"
hosts=()
runner=

# processes_of K [PATTERN]: the processes on a host.
processes_of() { pgrep --ns "${hosts[$1]}" --nslist net --full "${2:-.}"; }

# Stops the engine on a host where it is; fails if none is at work.
freeze() {
    local engine
    engine=$(processes_of "$1" "^$othellier analyze") && kill -STOP "$engine" 2>/dev/null
}

# Pulls the cable of a host and kills everything on it.
take_down() {
    local processes
    ip link delete "cable$1"
    processes=$(processes_of "$1")
    # shellcheck disable=SC2086
    kill -KILL $processes
}

finish() {
    [ -z "$runner" ] || kill "$runner" 2>/dev/null || true
    for k in "${!hosts[@]}"; do take_down "$k" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

ip link set lo up
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/user"
cat >"$work/ssh_config" <<EOF
Host 198.51.100.*
    User root
    IdentityFile $work/user
    IdentitiesOnly yes
    UserKnownHostsFile $work/known_hosts
EOF
for k in 1 2; do
    unshare --net sleep infinity &
    hosts[k]=$!
    disown
    # It is a host once it has left the namespace of this script.
    until [ "$(readlink /proc/${hosts[k]}/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done
    ip link add cable$k type veth peer name eth0 netns "${hosts[k]}"
    ip address add 198.51.100.$((4 * k + 1))/30 dev cable$k
    ip link set cable$k up
    inside=(nsenter --target "${hosts[k]}" --net)
    "${inside[@]}" ip address add 198.51.100.$((4 * k + 2))/30 dev eth0
    "${inside[@]}" ip link set eth0 up
    "${inside[@]}" ip link set lo up
    "${inside[@]}" /usr/sbin/sshd -f /dev/null -h "$work/host" -o PidFile=none -o UsePAM=no -o StrictModes=no \
        -o AuthorizedKeysFile="$work/user.pub" -o PermitRootLogin=prohibit-password -E "$work/sshd-$k"
    echo "198.51.100.$((4 * k + 2)) $(cut -d ' ' -f 1,2 "$work/host.pub")" >>"$work/known_hosts"
done

SSH_CONFIG=$work/ssh_config "$cluster/parallel.sh" 1/198.51.100.6,1/198.51.100.10 "$n_shards" "$work/out" "${job[@]}" 2>"$work/errors" &
runner=$!
# The second host has done a shard and is at work on another when it dies.
until grep -q '198\.51\.100\.10' "$work/out/joblog" 2>/dev/null && freeze 2; do
    kill -0 "$runner" 2>/dev/null || { cat "$work/errors" "$work"/sshd-* >&2; exit 1; }
    sleep 0.1
done
take_down 2
wait "$runner" || { cat "$work/errors" >&2; exit 1; }
n_cut=$(find "$work/out" -name '.[0-9]*' -delete -print | wc -l)
[ "$n_cut" -gt 0 ]
compare "$work/out"
echo "test_parallel.sh: a host died, with $n_cut shards cut short; all rows as in one run"
