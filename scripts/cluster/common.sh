# For the tests beside it: a job, the output of one run of it, and comparing.

root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
cluster=$root/scripts/cluster
othellier=$(realpath "${OTHELLIER:-$root/target/release/othellier}")
n_shards=8
: "${DEPTH:=12}"

if [ "${1:-}" != --quick ]; then
    echo "usage: $(basename "$0") --quick" >&2
    exit 2
fi
if [ "$(id -u)" != 0 ]; then
    echo "$(basename "$0"): only root may start these services; skipped" >&2
    exit 0
fi

# In a folder that every service may read, and that is on a disk.
work=$(mktemp -d /tmp/othellier-cluster.XXXXXX)
chmod 755 "$work"

# The positions of some games of weak players.
"$othellier" match --player minimax2 --player greedy --player minimizer --games 2 --seed 5 --out "$work/match" >/dev/null
"$othellier" convert --to obf "$work/match/games.ggf" "$work/positions.obf" >/dev/null

# The job, whose rows follow from its input.
job=("$othellier" analyze --batch --threads 1 --hash 1 --evaluation terms --depth "$DEPTH" "$work/positions.obf")

# Rows without times.
mask() { sed -E 's/"time":[0-9.]+/"time":0/'; }

# compare FOLDER: its parts together are what one run prints.
compare() {
    "$othellier" merge "$1"/*.jsonl | mask >"$work/merged"
    "${job[@]}" | mask >"$work/whole"
    cmp "$work/merged" "$work/whole"
    [ "$(wc -l <"$work/whole")" -gt 100 ]
}
