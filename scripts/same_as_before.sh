#!/usr/bin/env bash
# Compares two builds of the program: everything that does not depend on time must be the same, byte for byte.
#
#   same_as_before.sh OLD NEW [FOLDER]      two programs; FOLDER (target/same) keeps what they printed
#
# Compares node counts of bench and solve, self-play records, matches of every kind of player, requests, sessions and replayed logs of
# all protocols, pages, reports, summaries, conversions and help texts. Use it for commits that must not change behavior.
# Exit status: 0 the same, 1 different (the differences are printed), 2 wrong usage.
set -euo pipefail

usage() { echo "usage: same_as_before.sh OLD NEW [FOLDER]" >&2; exit 2; }

[ $# -ge 2 ] && [ $# -le 3 ] || usage
old=$(realpath "$1") new=$(realpath "$2")
folder=${3:-$(dirname "$0")/../target/same}
for program in "$old" "$new"; do
    [ -x "$program" ] || { echo "same_as_before.sh: no program $program" >&2; exit 2; }
done
rm -rf "$folder"
mkdir -p "$folder"/programs/{old,new}
folder=$(realpath "$folder")
# Under the same file name, which help texts repeat.
ln -s "$old" "$folder/programs/old/othellier"
ln -s "$new" "$folder/programs/new/othellier"
old=$folder/programs/old/othellier new=$folder/programs/new/othellier
sessions=$(realpath "$(dirname "$0")/../tests/sessions")

# Times, speeds and dates differ from run to run.
mask() {
    sed -E -e '/^after [0-9]+s: /d' -e 's/ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9] / T /' -e 's/[0-9.]+ Mnps/N Mnps/' -e 's/ *[0-9]+ nodes\/s/ N nodes\/s/g' -e 's/"(seconds|started|elapsed|nps|time|wall)":[0-9.]+/"\1":T/g' \
        -e 's/"times":\[[^]]*\]/"times":[]/g' -e 's/[0-9.]+ (s|ms|positions\/s)\b/T \1/g' -e 's/DT\[[^]]*\]/DT[]/g'
}

# Games of weak players: open, closing and almost full boards.
"$old" match --player random --player greedy --player minimax2 --games 4 --seed 5 --out "$folder/games" >/dev/null
sed -n 's/.*"moves":"\([^"]*\)".*/\1/p' "$folder/games/games.jsonl" | head -n 4 >"$folder/games.txt"

# Edax's rows end their numbers with nodes and nodes a second.
mask_times() { sed -E 's/([0-9]:[0-9.]+ +[0-9]+) +[0-9]+/\1 N/; s/[0-9]+\.[0-9]{2,}/T/g; s/nps [0-9]+/nps N/g; s/^nodestats .*/nodestats/' | mask; }

# One of each kind, bad ones among them.
requests() {
    cat <<'END'
{"id":1,"moves":"f5d6c3","plies":"all","depth":6}
{"id":2,"moves":"f5d6c3d3c4","depth":8,"lines":"all"}
{"id":3,"position":"---------------------------OX------XO--------------------------- X","depth":5,"avoid":["d3"],"confidence":73}
{"id":4,"moves":"f5","nodes":3000}
{"id":5,"moves":"f5f5"}
{"id":6,"moves":"f5","dept":3}
{"action":"version"}
{"action":"clear"}
no request
END
}

# What the sessions send, without their expectations.
input_of() { sed -n 's/^> //p' "$1"; }

observe() {
    local program=$1 out=$2 no_book=
    # A change of the book is no change of the engine; older programs have none.
    ! "$program" gtp --help | grep -q -- --no-book || no_book=--no-book
    mkdir -p "$out"
    cd "$out"
    "$program" bench | mask >bench.txt
    "$program" convert --to obf "$folder/games.txt" positions.obf >convert.txt 2>&1 || true
    tail -n 30 positions.obf >late.obf
    "$program" solve --threads 1 --limit 12 --skip 18 --hash 16 late.obf | mask >solve.txt
    "$program" solve --threads 1 --depth 8 --confidence 73 --hash 16 positions.obf | mask >search.txt
    "$program" solve --limit 3 --skip 15 --threads 2 --json --hash 16 late.obf | sed -E 's/"(nodes|probes|seconds|time)":[0-9.]+//g' | mask >threads.txt
    for format in ggf sgf transcript; do "$program" convert --to "$format" "$folder/games.txt" "games.$format" >>convert.txt 2>&1; done
    "$program" selfplay --output selfplay.bin --positions 3000 --depth 3 --exact 10 --concurrency 2 2>&1 | mask >selfplay.txt
    "$program" selfplay --rescore selfplay.bin --output rescored.bin --depth 4 --exact 12 --positions 1000 2>&1 | mask >>selfplay.txt
    "$program" match --games 2 --clock depth:3 --openings random:6 --seed 3 --out match --json \
        --player random --player greedy --player minimizer --player minimax2 \
        --player classic:ponder=off,open=positional/2,middle=positional/2,end=discs/3 \
        --player engine:name=nodes,nodes=2000,hash=1 --player engine:name=weak,strength=20,hash=1 \
        --player "name=gtp,proto=gtp,clock=depth:3,cmd=$program gtp $no_book --hash 1" \
        --player "name=nboard,proto=nboard,cmd=$program nboard $no_book --hash 1" \
        --player "name=cassio,proto=cassio,cmd=$program cassio $no_book --hash 1" \
        2>match.err | mask >match.txt
    mask <match/games.jsonl >games.jsonl || true
    "$program" analyze --depth 6 --hash 4 --batch "$folder/games.txt" | mask >batch.txt
    "$program" analyze --depth 6 --hash 4 --summary "$folder/games.txt" | mask >summary.txt
    tail -n 5 positions.obf | "$program" analyze --depth 4 --hash 1 --batch - | mask >answers.jsonl
    requests | "$program" json -j 1 --hash 1 $no_book | mask >requests.jsonl
    "$program" -solve late.obf -h 20 -n 1 2>&1 | mask_times | sed -E 's/ +[0-9]+:[0-9.]+//g; s/^( *[0-9]+\|.{14} +[0-9]+) +[0-9]+/\1 N/; s/[0-9]+ N\/s//' >edax_solve.txt || true
    "$program" analyze --depth 6 --hash 4 $no_book --game 2 --force --html analysis.html "$folder/games.txt" | mask >analysis.txt
    for command in $("$program" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'); do
        [ "$command" = help ] || { echo "== $command"; "$program" help "$command"; } >>help.txt
    done
    "$program" man >/dev/null 2>&1 || true
    for protocol in gtp nboard cassio edax xboard; do
        for session in "$sessions/$protocol"/*.session; do
            # Streams and clocks say as much as time allows.
            case $session in */streams.session | *clock*.session | *'*'.session) continue ;; esac
            echo "== $session"
            (cd "$sessions/$protocol" && input_of "$session" | timeout 120 "$program" "$protocol" $no_book --depth 4 --hash 1 --seed 1 --finish 2>&1) |
                mask_times || true
        done
    done >sessions.txt
    # A player in the engine's place, which is no search; each protocol asks it in its own words.
    for player in greedy minimax2 classic:ponder=off; do
        for asked in "gtp genmove_black genmove_white showboard" "nboard nboard_2 go move_F5 go" "xboard xboard go" \
            "cassio ENGINE-PROTOCOL_midgame-search_---------------------------OX------XO---------------------------X_-64_64_4_100"; do
            set -- $asked
            echo "== $player $1"
            printf '%s\n' "${@:2}" | tr _ ' ' | timeout 120 "$program" "$1" --player "$player" --hash 1 --seed 1 --finish 2>&1 | mask_times || true
        done
    done >players.txt
    cd - >/dev/null
}

observe "$old" "$folder/old"
observe "$new" "$folder/new"
# Both judge the same records, so that pages and reports can be compared to the last byte.
for side in old new; do
    program=$old; [ $side = old ] || program=$new
    "$program" report "$folder/old/match" --html "$folder/$side/report.html" >"$folder/$side/report.txt"
    "$program" report "$folder/old/match" --json >"$folder/$side/report.json"
done
rm -rf "$folder"/{old,new}/match "$folder"/{old,new}/match.err
# Sessions of the old program, repeated by the new one.
for session in "$sessions"/*/*.session; do
    protocol=$(basename "$(dirname "$session")")
    name=$protocol-$(basename "$session" .session)
    (cd "$sessions/$protocol" && input_of "$session" |
        "$old" "$protocol" --depth 4 --hash 1 --seed 1 --finish --log-file "$folder/$name.log" >/dev/null 2>&1) || true
    "$new" replay "$folder/$name.log" | mask >"$folder/$name.replay" || echo "$name: the session did not repeat" >>"$folder/failed"
done

if diff -r "$folder/old" "$folder/new" && [ ! -e "$folder/failed" ]; then
    echo "the same: $(find "$folder/new" -type f | wc -l) files"
else
    cat "$folder/failed" 2>/dev/null || true
    exit 1
fi
