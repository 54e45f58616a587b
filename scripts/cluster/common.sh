# For the tests beside it: a box to run them in, a job, the output of one run of it, and comparing.

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
cluster=$root/scripts/cluster
othellier=${OTHELLIER:-$root/target/release/othellier}
n_shards=8
: "${DEPTH:=9}"

fail() {
    echo "$(basename "$0"): $1" >&2
    exit "${2:-1}"
}

[ "${1:-}" = --quick ] || fail "usage: $(basename "$0") --quick" 2
[ "$(id -u)" = 0 ] || fail "only root may start these services"
[ -x "$othellier" ] || fail "there is no $othellier: cargo build --release"
othellier=$(realpath "$othellier")
# Each with the Debian package that has it.
for pair in "$@" unshare:util-linux pgrep:procps; do
    [ "$pair" = --quick ] || PATH=$PATH:/usr/sbin:/sbin command -v "${pair%:*}" >/dev/null ||
        fail "${pair%:*} is missing (Debian package ${pair#*:})"
done

# The box: processes, network, host name and mounts of its own. Whatever ends this script ends all that is in it.
if [ -z "${IN_BOX:-}" ]; then
    IN_BOX=1 exec unshare --net --uts --pid --mount-proc --fork --kill-child "$0" --quick
fi
PATH=$PATH:/usr/sbin:/sbin
ip link set lo up

# In a folder that every service may read, and that is on a disk.
work=$(mktemp -d /tmp/othellier-cluster.XXXXXX)
chmod 755 "$work"
finish() {
    local status=$?
    # All processes of the box except this one.
    [ $$ != 1 ] || kill -KILL -1 2>/dev/null || true
    wait
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT

hostname box
echo '127.0.0.1 localhost box' >"$work/hosts"
mount --bind "$work/hosts" /etc/hosts

# await WHAT COMMAND...: until the command succeeds. Only a machine that hangs takes that long.
await() {
    local what=$1 end=$((SECONDS + 300))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -ge $end ]; then
            show_logs >&2
            fail "no $what within five minutes"
        fi
        sleep 0.05
    done
}

# The positions of some games of weak players.
"$othellier" match --player minimax2 --player greedy --player minimizer --games 2 --seed 5 --out "$work/match" >/dev/null
"$othellier" convert --to obf "$work/match/games.ggf" "$work/positions.obf" >/dev/null

# The job, whose rows follow from its input.
job=("$othellier" analyze --batch --threads 1 --hash 1 --depth "$DEPTH" "$work/positions.obf")

# freeze [OPTIONS OF PGREP...]: stops the engines where they are, so that they cannot be too fast for what follows. Fails if none
# is at work, or if all end meanwhile.
freeze() {
    local pids pid state
    pids=$(pgrep "$@" --full "^$othellier analyze") || return 1
    # shellcheck disable=SC2086
    kill -STOP $pids || true
    for pid in $pids; do
        # Signals take effect a little later; one that has ended is a zombie or gone.
        while state=$(ps --format state= --pid "$pid"); do
            case $state in
            T) return 0 ;;
            Z) break ;;
            esac
        done
    done
    return 1
}

# Rows without times.
mask() { sed -E 's/"time":[0-9.e-]+/"time":0/'; }

# compare FOLDER: its parts together are what one run prints.
compare() {
    "$othellier" merge "$1"/*.jsonl | mask >"$work/merged"
    "${job[@]}" | mask >"$work/whole"
    cmp "$work/merged" "$work/whole" || fail "the shards together differ from one run"
    [ "$(wc -l <"$work/whole")" -gt 100 ] || fail "too few rows"
}
