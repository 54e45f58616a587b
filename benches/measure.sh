#!/usr/bin/env bash
# Measures the figures of benches/README.md and prints them as rows of its table.
#
#     benches/measure.sh [--quick] [NAME...]   these figures, or all but those of endurance
#     benches/measure.sh --list                the names and what they measure
#
# Peers that are on PATH are measured in the same run: gtp-rhino, ntest, and edax (any command called edax or lEdax...).
# Results are kept in OUT: run again after an interruption, the script continues. --quick does a fraction of the work, to try
# the script; its figures mean nothing. Measure on an idle machine.
#
# OTHELLIER            the program, target/release/othellier unless set
# OTHELLIER_POSITIONS  the folder of fforum-20-39.obf, fforum-40-59.obf and hard-25.obf, ../shared/positions unless set
# OTHELLIER_OPENINGS   the XOT openings, a transcript a line, ../shared/openings/xot-large.txt unless set
# OTHELLIER_GAMES      a WTHOR file, ../shared/games/wthor/WTH_2024.wtb unless set
# OTHELLIER_BEFORE     an older build, for `before`, `whole` and `search`
# OTHELLIER_WEIGHTS    older weights, for `weights`
# OTHELLIER_HOLD_OUT   a self-play file the weights were not trained on, for `evaluation`
# OUT                  the folder of results, target/measure-CHECKSUM of the program unless set
#
# Exit status: 0 done (figures that lack a file or a peer are skipped and named), 1 a measurement failed, 2 wrong usage.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

names=(perft speed solve-20 solve-40 threads batch summary solve-60 hard-25 early evaluation weights before whole search rhino
    edax ntest clock overhead compliance latency selfplay book own-book)
# Only by name: they take long, and some the whole machine.
endurance=(soak fuzz races valgrind memory kill hunt crowd faults)

explain() {
    cat <<'END'
perft        perft 11, one thread
speed        search speed on fixed positions
solve-20     FFO 20-39 solved, one thread (and by edax)
solve-40     FFO 40-44 solved, one thread (and by edax)
threads      FFO 45-49 solved, and early positions searched, by two threads and by one
batch        early positions analyzed two at a time and one by one
summary      a year of WTHOR summed up at 8 plies, two cores
solve-60     FFO 40-59 solved, two threads (and by edax)
hard-25      311 positions of 25 empty squares, 15 plies at 73 %
early        300 positions of plies 14 to 22: loss of the move
evaluation   error of the evaluation
weights      games against older weights
before       games against an older build
whole        the same with four times as much time
search       the same with more games, and with more time (the older build with the weights of today)
rhino        games against gtp-rhino
edax         games against Edax, with the weights that lie beside it
ntest        games against NTest
clock        games by a short clock, GTP against NBoard
overhead     what `match` adds to a move
compliance   the numbered protocol cases
latency      start, ping, idle, memory
selfplay     self-play positions a second on one core
own-book     games with the built-in book against games without
book         an opening book of 10 million positions, by benches/book.rs (with the program of `cargo bench`)
soak         thousands of games by the clock
fuzz         protocols, files and rules, fuzzed
races        search, engine and protocols under ThreadSanitizer
valgrind     sessions and files under valgrind
memory       peak memory of a search of 10 s
kill         programs killed, and what they lose
hunt         misbehaving engines, damaged files, stopped searches, kills: 20 minutes each
crowd        200 engines at once
faults       broken pipes, signals, little memory, full disks
END
}

usage() {
    echo "usage: measure.sh [--quick] [NAME...] | --list" >&2
    exit 2
}

quick=
case "${1:-}" in
--list) explain; exit 0 ;;
--quick) quick=yes; shift ;;
esac
for name in "$@"; do
    [[ " ${names[*]} ${endurance[*]} " == *" $name "* ]] || { echo "measure.sh: no figure $name, see --list" >&2; usage; }
done
[ $# = 0 ] || names=("$@")

othellier=$(realpath "${OTHELLIER:-target/release/othellier}")
[ -x "$othellier" ] || { echo "measure.sh: no program $othellier (set OTHELLIER)" >&2; exit 2; }
positions=${OTHELLIER_POSITIONS:-../shared/positions}
games=${OTHELLIER_GAMES:-../shared/games/wthor/WTH_2024.wtb}
openings=${OTHELLIER_OPENINGS:-../shared/openings/xot-large.txt}
out=${OUT:-target/measure-$(cksum <"$othellier" | cut -d ' ' -f 1)${quick:+-quick}}
mkdir -p "$out"
# Debian keeps games out of root's PATH.
PATH=$PATH:/usr/games

version=$("$othellier" --version)
commit=$(sed -n 's/.*commit \([0-9a-f]*\),.*/\1/p' <<<"$version")
[ -n "$commit" ] || commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)

# pick NORMAL QUICK: the amount of work.
pick() { if [ -n "$quick" ]; then echo "$2"; else echo "$1"; fi; }

# skip REASON: ends a figure that cannot be measured here.
skip() { echo "measure.sh: $name skipped: $1" >&2; exit 3; }

needs() { [ -e "$1" ] || skip "no file $1"; }

# row FIGURE VALUE AGAINST
row() { echo "| $name | $1 | $2 | ${3:--} | $(date +%F), $commit |"; }

# calculate EXPRESSION FORMAT
calculate() { awk "BEGIN { printf \"${2:-%.2f}\", $1 }"; }

median() { sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

# json FIELD FILE: a number of the last line.
json() { sed -n "\$s/.*\"$1\":\([0-9.e+-]*\).*/\1/p" "$2"; }

# run KEY COMMAND...: the output goes to KEY.log; nothing is run twice.
run() {
    local key=$out/$1
    shift
    [ ! -e "$key.log" ] || return 0
    "$@" >"$key.part" 2>"$key.errors" || { echo "measure.sh: failed: $*, see $key.errors" >&2; return 1; }
    mv "$key.part" "$key.log"
}

# repeat KEY COMMAND...: three runs of `solve --json`; prints the median of the seconds they report.
repeat() {
    local key=$1 i
    shift
    for i in $(seq "$(pick 3 1)"); do
        run "$key-$i" "$@"
        json time "$out/$key-$i.log"
    done | median
}

# some FILE FIRST LAST: these positions of an OBF file, as a file that every solver reads.
some() {
    local file=$out/$(basename "$1" .obf)-$2-$3.obf
    needs "$1"
    grep -v '^[[:space:]]*\(%\|$\)' "$1" | sed -n "$2,$3p" >"$file"
    realpath "$file"
}

find_edax() {
    local name
    for name in edax lEdax lEdax-x86-64-v4 lEdax-x86-64-v3 lEdax-x86-64-v2 lEdax-x86-64 lEdax-x64-modern lEdax-x64; do
        ! command -v "$name" || return 0
    done
    return 1
}

# run_edax EDAX FILE THREADS BITS: in the folder of the program, where it looks for its data.
run_edax() {
    (cd "$(dirname "$(realpath "$1")")" && "$1" -solve "$2" -level 60 -n-tasks "$3" -h "$4" -book-usage off </dev/null)
}

# solve FIGURE FILE THREADS MB BITS: solves a file, and has edax do so too, with a table of 2^BITS entries.
solve() {
    local key=$name seconds nodes peer theirs against="all right"
    seconds=$(repeat "$key" "$othellier" solve "$2" --threads "$3" --hash "$4" --json)
    nodes=$(json nodes "$out/$key-1.log")
    [ "$(json wrong_scores "$out/$key-1.log")" = 0 ] || against="WRONG SCORES"
    if peer=$(find_edax); then
        run "$key-edax" run_edax "$peer" "$2" "$3" "$5"
        # The last line: ... nodes in 1:23.456 (...
        theirs=$(sed -n 's/.* nodes in *\([0-9:.]*\).*/\1/p' "$out/$key-edax.log" |
            awk -F : '{ for (i = 1; i <= NF; i++) seconds = 60 * seconds + $i; print seconds }')
        against+=", edax $theirs s: ratio $(calculate "$theirs / $seconds")"
    fi
    row "$1" "$(calculate "$seconds") s, $(calculate "$nodes / 1e6" %.1f) M nodes, $(calculate "$nodes / 1e6 / $seconds" %.1f) M/s" "$against"
}

# games KEY ARGUMENT...: plays or resumes a match; its closing lines are in KEY.log.
games() {
    local folder=$out/$1-games log=$out/$1.log
    shift
    if [ -e "$folder/event.toml" ]; then
        "$othellier" match --resume "$folder" --concurrency 2 >"$log"
    else
        "$othellier" match "$@" --concurrency 2 --out "$folder" >"$log"
    fi
}

# closing KEY: a match in short, from the first player's side.
closing() {
    {
        sed -n 's/^result: .* games [0-9]*, \(+.* -[0-9]*\), score \([^,]*\), elo.*/\1, \2/p' "$out/$1.log"
        sed -n 's/^fault: /fault of /p' "$out/$1.log"
    } | paste -sd ';'
}

# a_game KEY N: seconds a game, of each player.
a_game() { sed -n 's/^seconds: //p' "$out/$1.log" | awk -v n="$2" '{ printf "%s%s %.2f s", separator, $1, $2 / n; separator = ", " }'; }

# against_older GAMES SECONDS [SEED]: a row of games by a fixed time per move against an older build.
against_older() {
    local no_book=
    needs "$openings"
    [ -n "${OTHELLIER_BEFORE:-}" ] || skip "OTHELLIER_BEFORE is not set"
    ! "$OTHELLIER_BEFORE" gtp --help | grep -q -- --no-book || no_book=" --no-book"
    games "$name-$2" --player "name=new,proto=gtp,cmd=$othellier gtp --no-book --threads 1 --hash 64" \
        --player "name=old,proto=gtp,cmd=$(realpath "$OTHELLIER_BEFORE") gtp$no_book --threads 1 --hash 64" \
        --games "$(pick "$1" 2)" --clock "move:$2" --openings "$openings" --shuffle ${3:+--seed "$3"}
    row "$2 s a move" "$(closing "$name-$2")" "$("$OTHELLIER_BEFORE" --version)"
}

measure() {
    local file i n one two part begin seconds player text figure
    case $name in
    perft)
        n=$(pick 11 9)
        for i in $(seq "$(pick 3 1)"); do run "perft-$i" "$othellier" perft "$n"; done
        row "perft $n, one thread" "$(awk -v n="$n" '$1 == n { print $3 }' "$out"/perft-?.log | median) s"
        ;;
    speed)
        for n in $(seq "$(pick 3 1)"); do run "speed-$n" "$othellier" bench; done
        for part in midgame endgame; do
            row "$part, one thread" "$(cat "$out"/speed-?.log | sed -n "s/^$part: .* \([0-9]*\) nodes\/s.*/\1/p" | median |
                awk '{ printf "%.1f M nodes/s", $1 / 1e6 }')" "Bench $(sed -n 's/^Bench: //p' "$out/speed-1.log")"
        done
        ;;
    solve-20)
        file=$(some "$positions/fforum-20-39.obf" 1 "$(pick 20 3)")
        solve "FFO 20-39, one thread" "$file" 1 64 21
        ;;
    solve-40)
        file=$(some "$positions/fforum-40-59.obf" 1 "$(pick 5 1)")
        solve "FFO 40-44, one thread" "$file" 1 256 23
        ;;
    solve-60)
        file=$(some "$positions/fforum-40-59.obf" 1 "$(pick 20 1)")
        solve "FFO 40-59, two threads" "$file" 2 1024 25
        ;;
    threads)
        file=$(some "$positions/fforum-40-59.obf" "$(pick 6 1)" "$(pick 10 1)")
        one=$(repeat threads-1 "$othellier" solve "$file" --threads 1 --json)
        two=$(repeat threads-2 "$othellier" solve "$file" --threads 2 --json)
        row "FFO 45-49, two threads" "$(calculate "$two") s" "one thread $(calculate "$one") s: ratio $(calculate "$one / $two")"
        file=$(some benches/early-300.obf 1 "$(pick 300 2)")
        one=$(repeat early-threads-1 "$othellier" solve "$file" --depth "$(pick 24 12)" --confidence 73 --threads 1 --json)
        two=$(repeat early-threads-2 "$othellier" solve "$file" --depth "$(pick 24 12)" --confidence 73 --threads 2 --json)
        row "300 early positions, 24 plies, two threads" "$(calculate "$two") s" \
            "one thread $(calculate "$one") s: ratio $(calculate "$one / $two")"
        ;;
    batch)
        file=$(some benches/early-300.obf 1 "$(pick 300 4)")
        for n in 1 2; do
            for i in $(seq "$(pick 3 1)"); do
                run "batch-$n-$i" bash -c 'TIMEFORMAT=%R; time "$@" >/dev/null 2>&1' - "$othellier" analyze --batch "$file" \
                    --lines 1 --depth "$(pick 10 4)" --concurrency "$n"
            done
        done
        one=$(cat "$out"/batch-1-?.errors | median)
        two=$(cat "$out"/batch-2-?.errors | median)
        row "300 positions, 10 plies without pruning, two at a time" "$(calculate "$two") s" \
            "one by one $(calculate "$one") s: ratio $(calculate "$one / $two")"
        ;;
    summary)
        needs "$games"
        run summary bash -c 'TIMEFORMAT=%R; time "$@" 2>&1' - "$othellier" analyze --summary "$games" --depth "$(pick 8 2)" --concurrency 2
        row "\`analyze --summary --depth 8\` of $(basename "$games"), two cores" "$(calculate "$(tail -n 1 "$out/summary.errors")" %.0f) s" \
            "$(tail -n 1 "$out/summary.log")"
        ;;
    hard-25)
        needs "$positions/hard-25.obf"
        run hard-25 "$othellier" solve "$positions/hard-25.obf" --threads 1 --depth "$(pick 15 4)" --confidence 73
        row "hard-25, 15 plies at 73 %" "$(sed -n 's/^total: //p' "$out/hard-25.log")"
        ;;
    early)
        file=$(some benches/early-300.obf 1 "$(pick 300 2)")
        losses=
        for n in 2 4 6 14; do
            run "early-$n" "$othellier" solve "$file" --depth "$n" --confidence 73 --json
            losses+="${losses:+, }$(calculate "$(json mean_loss "$out/early-$n.log")")"
        done
        row "300 early positions, 2, 4, 6 and 14 plies at 73 %" "loss of the move $losses discs" "searches of 20 and 21 plies"
        ;;
    evaluation)
        [ -n "${OTHELLIER_HOLD_OUT:-}" ] || skip "OTHELLIER_HOLD_OUT is not set"
        run evaluation "$othellier" weights compare --positions "$OTHELLIER_HOLD_OUT" embedded embedded
        row "error of the evaluation" "$(paste -sd ';' "$out/evaluation.log")" "-"
        ;;
    own-book)
        games own-book --player engine:book=on,book-variety=1,hash=64,name=book --player engine:hash=64,name=plain \
            --games "$(pick 200 2)" --clock "$(pick 10 1)" --openings start
        row "10 s a side, variety 1" "$(closing own-book)" "without the book"
        ;;
    weights)
        needs "$openings"
        [ -n "${OTHELLIER_WEIGHTS:-}" ] || skip "OTHELLIER_WEIGHTS is not set"
        games weights --player "name=new,proto=gtp,cmd=$othellier gtp --no-book --hash 32 --nodes 20000" \
            --player "name=old,proto=gtp,cmd=$othellier gtp --no-book --hash 32 --nodes 20000 --weights $(realpath "$OTHELLIER_WEIGHTS")" \
            --games "$(pick 3000 2)" --clock none --openings "$openings" --shuffle
        row "20,000 nodes a move" "$(closing weights)" "older weights"
        ;;
    before) against_older 220 0.05 ;;
    whole) against_older 400 0.2 31 ;;
    search)
        against_older 1000 0.2 72
        against_older 300 1 73
        ;;
    rhino)
        needs "$openings"
        command -v gtp-rhino >/dev/null || skip "no gtp-rhino on PATH (Debian package grhino)"
        n=$(pick 200 2)
        games rhino --player "name=othellier,proto=gtp,clock=$(pick 7 1),cmd=$othellier gtp" \
            --player "name=rhino,proto=gtp,cmd=gtp-rhino -l $(pick 4 1) -b 0" \
            --games "$n" --clock level:4 --openings "$openings" --shuffle
        row "our clock 7 s" "$(closing rhino)" "gtp-rhino -l 4, a game: $(a_game rhino "$n")"
        ;;
    edax)
        needs "$openings"
        peer=$(find_edax) || skip "no edax on PATH"
        n=$(pick 100 2)
        # Edax uses all of its second, ours a tenth less than its time for a move: both think as long.
        games edax --player "name=othellier,proto=gtp,clock=move:1.1,cmd=$othellier gtp --no-book --threads 1 --hash 64" \
            --player "name=edax,proto=gtp,clock=none,dir=$(dirname "$(realpath "$peer")"),cmd=$peer -gtp -q -move-time 1 -n-tasks 1 -h 21 -book-usage off" \
            --games "$n" --openings "$openings" --shuffle --seed 12
        row "1 s a move, one thread" "$(closing edax)" "edax with the weights beside it, a game: $(a_game edax "$n")"
        ;;
    ntest)
        needs "$openings"
        command -v ntest >/dev/null || skip "no ntest on PATH"
        n=$(pick 200 2)
        games ntest --player "name=othellier,proto=nboard,clock=$(pick 30 1),cmd=$othellier nboard" \
            --player "name=ntest,proto=nboard,clock=level:$(pick 22 4),dir=$(dirname "$(realpath "$(command -v ntest)")"),cmd=ntest x" \
            --games "$n" --openings "$openings" --shuffle --seed 11 --stall 900
        row "our clock 30 s, one thread" "$(closing ntest)" "NTest level 22, a game: $(a_game ntest "$n")"
        ;;
    clock)
        needs "$openings"
        n=$(pick 1000 4)
        games clock --player "name=gtp,proto=gtp,cmd=$othellier gtp --no-book --hash 16" \
            --player "name=nboard,proto=nboard,cmd=$othellier nboard --no-book --hash 16" \
            --games "$n" --clock 1+0.01 --openings "$openings" --shuffle
        text=$(sed -n 's/^fault: //p' "$out/clock.log" | paste -sd ' ')
        row "1+0.01 a side, two at a time" "$n games, faults: ${text:-none}" "itself, GTP against NBoard"
        ;;
    overhead)
        # Measured in one go: a resumed match does not know its total time.
        rm -rf "$out/overhead.log" "$out/overhead-games"
        player="proto=gtp,cmd=$othellier gtp --no-book --hash 1"
        begin=$EPOCHREALTIME
        run overhead "$othellier" match --player "name=a,$player" --player "name=b,$player" --games "$(pick 1000 20)" \
            --clock level:1 --concurrency 2 --out "$out/overhead-games"
        one=$EPOCHREALTIME
        seconds=$(sed -n 's/^seconds: [^ ]* //p' "$out/overhead.log" | paste -sd +)
        n=$(sed 's/.*"times":\[\([^]]*\)\].*/\1/' "$out/overhead-games/games.jsonl" | tr ',' '\n' | wc -l)
        row "added by match to a move" "$(calculate "1000 * (2 * ($one - $begin) - ($seconds)) / $n") ms" "$n moves"
        ;;
    compliance)
        for n in gtp nboard cassio; do
            # Status 1 is a failed case.
            run "compliance-$n" sh -c '"$@" || [ $? = 1 ]' sh "$othellier" compliance --proto "$n" -- "$othellier" "$n"
            row "protocol cases" "$(tail -n 1 "$out/compliance-$n.log")"
        done
        ;;
    book)
        run book cargo bench --quiet --bench book -- "$(pick 10000000 100000)" "$out"
        while IFS=: read -r figure text; do row "$figure" "${text# }"; done <"$out/book.log"
        ;;
    latency)
        run latency scripts/measure_latency.py "$othellier"
        while IFS=: read -r figure text; do row "$figure" "${text# }"; done <"$out/latency.log"
        ;;
    selfplay)
        selfplay "$(pick 1000000 20000)" --depth 2 --exact 10
        selfplay "$(pick 400000 5000)" --depth 4 --exact 12
        selfplay "$(pick 100000 2000)" --depth 6 --exact 14
        selfplay "$(pick 10000 200)" --depth 8 --exact 18
        ;;
    soak)
        run soak env OTHELLIER="$othellier" scripts/soak.sh ${quick:+--quick} "$out/soak-games"
        row "games by the clock" "$(sed -n 's/^soak: //p' "$out/soak.log")"
        ;;
    fuzz)
        for n in 1 2 3; do run "fuzz-$n" scripts/fuzz.sh "$(pick 70 1)"; done
        row "all targets" "$(inputs "$out"/fuzz-?.errors)"
        run fuzz-book scripts/fuzz.sh "$(pick 300 1)" book
        row "books" "$(inputs "$out/fuzz-book.errors")"
        ;;
    races)
        run races scripts/sanitize.sh races
        row "search, engine and protocols under ThreadSanitizer" "$(passed races), no report"
        ;;
    valgrind)
        run valgrind scripts/sanitize.sh memory
        row "sessions of every protocol, files; AVX2 build" "$(grep -c '^memory: ' "$out/valgrind.log") runs, no error"
        ;;
    memory)
        run memory python3 - "$othellier" gtp --no-book --clock "move:$(pick 10 1)" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], input=b"genmove black\nquit\n", stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
END
        row "$(pick 10 1) s of search, table of 64 MB" "peak $(cat "$out/memory.log") MB"
        ;;
    kill)
        run kill cargo test --test it kill -- --include-ignored
        row "self-play, training, matches, books" "$(passed kill)"
        ;;
    hunt)
        OTHELLIER_HUNT_SECONDS=1200 run hunt cargo test --test it hunt -- --ignored --nocapture
        row "engines, files, stopped searches, kills" "$(passed hunt)"
        ;;
    crowd)
        run crowd cargo test --test crowd -- --include-ignored
        row "200 engines at once" "$(passed crowd)"
        ;;
    faults)
        run faults cargo test --test it faults
        row "pipes, signals, memory, disks" "$(passed faults)"
        ;;
    esac
}

# passed KEY: the tests of a run of `cargo test` that passed.
passed() { sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$out/$1.log" | awk '{ n += $1 } END { print n + 0 " tests" }'; }

# inputs FILE...: what the fuzzers of these outputs tried.
inputs() {
    sed -n 's/^stat::number_of_executed_units: *//p' "$@" |
        awk '{ n += $1 } END { printf "%.1f M inputs, no crash, no hang", n / 1e6 }'
}

# selfplay POSITIONS ARGUMENT...: by processor time, so that other work disturbs it less.
selfplay() {
    local n=$1 file=$out/selfplay.bin seconds
    shift
    rm -f "$file"*
    seconds=$( (TIMEFORMAT=%U; time "$othellier" selfplay --output "$file" --positions "$n" --concurrency 1 "$@" >/dev/null 2>&1) 2>&1)
    row "$*" "$(calculate "$(stat -c %s "$file") / 24 / $seconds" %.0f) positions/s"
    rm -f "$file"*
}

{
    echo "$version"
    echo "$(uname -sm), $(nproc) processors ($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)), $(
        awk '/^MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo), load $(cut -d ' ' -f 1 /proc/loadavg)"
    echo
    echo '| name | figure | value | against | measured |'
    echo '|---|---|---|---|---|'
} | tee "$out/machine.md"
status=0
for name in "${names[@]}"; do
    if [ ! -e "$out/$name.rows" ]; then
        # Not `||`, after which nothing would stop at an error.
        set +e
        (set -e; measure) >"$out/$name.unfinished"
        result=$?
        set -e
        # 3: skipped.
        case $result in
        0) mv "$out/$name.unfinished" "$out/$name.rows" ;;
        3) continue ;;
        *) status=1; continue ;;
        esac
    fi
    cat "$out/$name.rows"
done
exit $status
