#!/bin/sh
# Example: othellier plays a game against itself over GTP, through one pipe; prints the board and the final score.
#
#   play_over_pipe.sh [LEVEL]        the level is the depth of the search, 6 unless given
#
# OTHELLIER names the program: else it is target/release/othellier, or that of the PATH.
# Exit status: 0 the game was played and scored, 1 not, 2 wrong usage.
set -eu

level=${1:-6}
othellier=${OTHELLIER:-$(dirname "$0")/../target/release/othellier}
[ -n "${OTHELLIER-}" ] || [ -x "$othellier" ] || othellier=othellier

case $level in '' | *[!0-9]*) echo "usage: play_over_pipe.sh [LEVEL]" >&2; exit 2 ;; esac
if ! command -v "$othellier" >/dev/null; then
  echo "play_over_pipe.sh: no program $othellier (set OTHELLIER)" >&2
  exit 2
fi

# Every command is known beforehand, because `genmove` also plays its move: one process can take both sides in turn. A side that
# cannot move answers `pass`, and so do both when the game is over; a game has 60 moves at most, so 60 rounds always suffice.
commands() {
  echo "set_level $level"
  echo "clear_board"
  round=1
  while [ "$round" -le 60 ]; do
    echo "genmove black"
    echo "genmove white"
    round=$((round + 1))
  done
  echo "showboard"
  echo "final_score"
  echo "quit"
}

# A reply is a line `= TEXT` (or `? TEXT` for an error), perhaps more lines, and an empty line. Replies come in the order of the
# commands: 1 and 2 belong to the setup, 3 to 122 to the moves, then come the board, the score and `quit`.
commands | timeout 600 "$othellier" gtp | awk '
  /^[?]/  { print "error: " $0; failed = 1 }
  /^=/    { reply++; text = substr($0, 3) }
  !/^=/   { text = $0 }
  text == "" { next }
  reply >= 3 && reply <= 122 && text !~ /[Pp][Aa][Ss][Ss]/ { printf "%s ", text }
  reply == 123 { if (!board++) print ""; print text }
  reply == 124 { print "final score: " text; scored = 1 }
  END     { exit failed || !scored }
'
