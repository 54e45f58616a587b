#!/usr/bin/env bash
# Runs a job on two hosts with GNU parallel over ssh and takes one of them down in the middle. The hosts are network namespaces on
# this machine, each with a server of ssh; nothing outside of them is touched.
#
#     test_parallel.sh --quick
#
# Needs root and Debian's parallel, openssh-server, iproute2, procps, util-linux.
set -euo pipefail
. "$(dirname "$0")/common.sh" "${1:-}" parallel:parallel ssh:openssh-client sshd:openssh-server ip:iproute2

hosts=()
show_logs() { tail -n 20 "$work"/errors "$work"/sshd-* 2>/dev/null; }

# on HOST COMMAND...: runs a command there.
on() { nsenter --target "${hosts[$1]}" --net "${@:2}"; }

is_own() { [ "$(readlink "/proc/${hosts[$1]}/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }

# Pulls the cable of a host and kills everything on it.
take_down() {
    local pids
    ip link delete "cable$1"
    # At once: nobody there sees another die. Children before their parents: a group of stopped processes without a parent would
    # be woken and hung up, and would clean up.
    pids=$(pgrep --ns "${hosts[$1]}" --nslist net | sort --numeric-sort --reverse)
    # shellcheck disable=SC2086
    kill -STOP $pids || true
    # shellcheck disable=SC2086
    kill -KILL $pids || true
}

mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/user"
cat >"$work/ssh_config" <<END
Host 198.51.100.*
    User root
    IdentityFile $work/user
    IdentitiesOnly yes
    UserKnownHostsFile $work/known_hosts
END
for k in 1 2; do
    unshare --net sleep infinity &
    hosts[k]=$!
    disown
    await "host $k" is_own "$k"
    address=198.51.100.$((4 * k + 2))
    ip link add "cable$k" type veth peer name eth0 netns "${hosts[k]}"
    ip address add 198.51.100.$((4 * k + 1))/30 dev "cable$k"
    ip link set "cable$k" up
    on "$k" ip address add $address/30 dev eth0
    on "$k" ip link set eth0 up
    on "$k" ip link set lo up
    on "$k" "$(command -v sshd)" -f /dev/null -h "$work/host" -o PidFile=none -o UsePAM=no -o StrictModes=no \
        -o AuthorizedKeysFile="$work/user.pub" -o PermitRootLogin=prohibit-password -E "$work/sshd-$k"
    echo "$address $(cut -d ' ' -f 1,2 "$work/host.pub")" >>"$work/known_hosts"
    await "server of ssh on host $k" ssh -F "$work/ssh_config" -o BatchMode=yes "$address" true
done

SSH_CONFIG=$work/ssh_config "$cluster/parallel.sh" 1/198.51.100.6,1/198.51.100.10 "$n_shards" "$work/out" "${job[@]}" \
    2>"$work/errors" &
runner=$!
# A shard is done, and the second host is at work on another.
is_in_the_middle() {
    kill -0 "$runner" || return 0
    compgen -G "$work/out/*.jsonl" && freeze --ns "${hosts[2]}" --nslist net
}
await "engine on the second host" is_in_the_middle
take_down 2
wait "$runner" || {
    show_logs >&2
    fail "parallel.sh failed"
}
n_cut=$(find "$work/out" -name '.[0-9]*' -print -delete | wc -l)
[ "$n_cut" -gt 0 ] || {
    cat "$work/out/joblog" >&2
    fail "no shard was cut short"
}
compare "$work/out"
echo "test_parallel.sh: a host died, with $n_cut shards cut short; all rows as in one run"
