#!/usr/bin/env bash
# Makes the pictures of the README anew, by the program of today: the board of `play` in a terminal, a game in Quarry, the page of
# an analysis, the report of a tournament of four.
#
#     scripts/pictures.sh [play|quarry|analyze|report ...]    all of them unless named
#
# Needs the release build, Xvfb, xterm, xdotool, ImageMagick and Chromium (Debian: xvfb xterm xdotool imagemagick chromium), and for
# Quarry what quarry_game.sh needs. The pictures go to OUT, .pictures unless set: look at them before they are committed.
#
# OTHELLIER  the program, target/release/othellier unless set
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- play quarry analyze report
othellier=$(realpath "${OTHELLIER:-target/release/othellier}")
[ -x "$othellier" ] || { echo "pictures.sh: no program $othellier (set OTHELLIER)" >&2; exit 2; }
out=$(mkdir -p "${OUT:-.pictures}" && realpath "${OUT:-.pictures}")
work=$(mktemp -d)
pids=()
cleanup() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}
trap cleanup EXIT

# A game of strength 22 against 26, with errors to show.
game=d3c5e6e3c4c3b6d6b4a5e2d2b3b5e1f5c6f4f3c2c1d7d8c8g6f6g4e7a6a7b8h6c7a4e8h3h5f2a3a2g5f1g1d1g2f8f7a8h7b2a1b1b7h1g3h2h4h8g7

# page URL NAME WIDTH HEIGHT
page() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=5000 --user-data-dir="$work/profile" \
        --window-size="$3,$4" --screenshot="$out/$2.png" "$1" >/dev/null 2>&1
}

picture() {
    case $1 in
    play)
        local display=:87
        Xvfb "$display" -screen 0 1100x780x24 >/dev/null 2>&1 &
        pids+=($!)
        sleep 3
        # The first blunder of a game; from 110 by 39 characters on the board is at its largest.
        DISPLAY=$display LC_ALL=C.UTF-8 COLORTERM=truecolor xterm -tn xterm-256color -geometry 110x39+0+0 -fa "DejaVu Sans Mono" \
            -fs 12 -b 0 -bg '#1e1e1e' -fg '#e0e0e0' +sb -e "$othellier" play --strength 26 "$game" &
        pids+=($!)
        sleep 6
        DISPLAY=$display xdotool key x
        sleep 40
        DISPLAY=$display xdotool key n n n n n n
        sleep 2
        DISPLAY=$display import -window root "$out/play.png"
        ;;
    quarry)
        scripts/quarry_game.sh --engine "$othellier gtp --level 6" --color white --out "$work/quarry" >/dev/null
        cp "$work/quarry/board.png" "$out/quarry.png"
        ;;
    analyze)
        printf '[Black "Strength 22"]\n[White "Strength 26"]\n\n%s\n' "$game" >"$work/game.txt"
        "$othellier" analyze "$work/game.txt" --time 0.5 --html "$work/game.html" >/dev/null
        page "file://$work/game.html#ply=15" analyze 1280 900
        ;;
    report)
        "$othellier" match --player engine:strength=20,name=strength-20 --player engine:strength=30,name=strength-30 \
            --player classic --player minimax2 --games 20 --clock level:8 --html "$work/report.html" >/dev/null 2>"$work/errors" ||
            { cat "$work/errors" >&2; exit 1; }
        page "file://$work/report.html" report 760 1624
        ;;
    *) echo "pictures.sh: no picture $1; there are play, quarry, analyze and report" >&2; exit 2 ;;
    esac
    echo "$out/$1.png"
}

for name; do picture "$name"; done
