#!/usr/bin/env bash
# Plays a game of Othello in the real Quarry without a display: Quarry runs under Xvfb, one side is othellier, the other gtp-rhino.
# Quarry's log of the GTP traffic shows whether the game was played to its end.
set -euo pipefail

usage() {
  cat <<'END'
usage: quarry_game.sh [option ...]

  --engine CMD       the engine to try (default: target/release/othellier gtp, with its log in DIR/engine.log)
  --color COLOR      its side, black or white (default: black)
  --opponent CMD     the other engine (default: /usr/games/gtp-rhino -l 1)
  --clock KIND       none, game, move or canadian (default: none)
  --limit M:SS       time a game or a move, or the main time of canadian, which adds 5 moves in 0:10 (default: 1:00)
  --timeout SECONDS  give up after so long (default: 900)
  --out DIR          where the files go (default: a new folder in the temporary directory)
  --help             this text

The folder then holds quarry.gtp (Quarry's GTP log of both engines), board.png, game.sgf and result.
Exit status: 0 the game ended by the rules and no play or genmove was answered with an error, 1 otherwise, 2 wrong usage
or missing programs.
END
}

wrong_usage() {
  echo "quarry_game.sh: $*" >&2
  echo "try: quarry_game.sh --help" >&2
  exit 2
}

engine=
color=black
opponent="/usr/games/gtp-rhino -l 1"
clock=none
limit=1:00
timeout=900
out=
while [ $# -gt 0 ]; do
  case $1 in
    --help) usage; exit 0 ;;
    --engine | --color | --opponent | --clock | --limit | --timeout | --out)
      [ $# -ge 2 ] || wrong_usage "$1 needs a value"
      printf -v "${1#--}" %s "$2"
      shift 2
      ;;
    *) wrong_usage "unknown option $1" ;;
  esac
done
case $color in black | white) ;; *) wrong_usage "--color is black or white, not '$color'" ;; esac
case $clock in
  none) clock_type=0 ;;
  game) clock_type=1 ;;
  move) clock_type=2 ;;
  canadian) clock_type=3 ;;
  *) wrong_usage "--clock is none, game, move or canadian, not '$clock'" ;;
esac
[[ $limit =~ ^[0-9]+:[0-5][0-9]$ ]] || wrong_usage "--limit is M:SS, not '$limit'"
[[ $timeout =~ ^[1-9][0-9]*$ ]] || wrong_usage "--timeout is a number of seconds, not '$timeout'"

# Debian packages, each with a program that shows whether it is there. gtp-rhino is needed in any case: it is the referee.
PATH=$PATH:/usr/games
packages=()
for pair in quarry:quarry gtp-rhino:grhino Xvfb:xvfb xdotool:xdotool import:imagemagick openbox:openbox wmctrl:wmctrl; do
  command -v "${pair%:*}" >/dev/null || packages+=("${pair#*:}")
done
if [ ${#packages[@]} -gt 0 ]; then
  if [ "$(id -u)" -ne 0 ]; then
    echo "quarry_game.sh: missing packages, install with: apt-get install ${packages[*]}" >&2
    exit 2
  fi
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"; } >&2 || {
    echo "quarry_game.sh: could not install ${packages[*]}" >&2
    exit 2
  }
fi

if [ -n "$out" ]; then
  mkdir -p "$out"
else
  out=$(mktemp -d "${TMPDIR:-/tmp}/quarry-game.XXXXXX")
fi
out=$(cd "$out" && pwd)
rm -f "$out"/{quarry.gtp,quarry.err,board.png,game.sgf,result,engine.log}
if [ -z "$engine" ]; then
  program=$(cd "$(dirname "$0")/.." && pwd)/target/release/othellier
  [ -x "$program" ] || wrong_usage "no $program: build it with 'cargo build --release' or name an --engine"
  engine=$(printf '%q gtp --log-file %q' "$program" "$out/engine.log")
fi

# --- Everything started here is ended here, by process id. ---------------------------------------------------------------

work=$(mktemp -d "${TMPDIR:-/tmp}/quarry-home.XXXXXX")
pids=()

end_process() {
  kill "$1" 2>/dev/null || return 0
  for _ in {1..20}; do
    is_alive "$1" || return 0
    sleep 0.1
  done
  kill -9 "$1" 2>/dev/null || true
}

# A process that has ended but that nobody has waited for still has an id.
is_alive() {
  [[ $(ps -o stat= -p "$1" 2>/dev/null) =~ ^[^Z] ]]
}

cleanup() {
  local status=$? file
  trap - EXIT INT TERM HUP
  set +e
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    end_process "${pids[i]}"
  done
  # Quarry's engines are not its children. They saw the end of their input when Quarry ended; this is for those that ignore it.
  for file in "$work"/*.pid; do
    [ -e "$file" ] && end_process "$(cat "$file")"
  done
  rm -rf "$work"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# --- What the log says. ---------------------------------------------------------------------------------------------------

# Lines `play COLOR SQUARE`, the game so far. In the log a command is a line `> COMMAND`, its reply the indented lines below.
moves() {
  awk '/^> / { command = $2; color = $3; first = 1; next }
       first && /^ *=/ && command == "genmove" { print "play", color, $2 }
       { first = 0 }' "$out/quarry.gtp"
}

# Commands to move that were answered with an error.
errors() {
  awk '/^> / { command = $0; word = $2; first = 1; next }
       first && /^ *[?]/ && (word == "play" || word == "genmove") { print command, $0 }
       { first = 0 }' "$out/quarry.gtp"
}

# Replays the game in gtp-rhino: `over SCORE`, `playing` or `illegal move`. At the end of a game, and only then, gtp-rhino
# passes for both sides.
referee() {
  { printf 'boardsize 8\nclear_board\n'; moves; printf 'genmove black\ngenmove white\nfinal_score\nquit\n'; } |
    timeout 60 gtp-rhino -l 1 -b 0 2>/dev/null |
    awk -v moves="$(moves | wc -l)" '/^[=?]/ { reply[++n] = $0 }
         END {
           for (i = 3; i <= moves + 2; i++) if (reply[i] ~ /^[?]/) { print "illegal move"; exit }
           if (reply[moves + 3] reply[moves + 4] != "= pass= pass") { print "playing"; exit }
           print "over", substr(reply[moves + 5], 3)
         }'
}

board_window=
finish() {
  local status=$1 verdict=$2
  if [ -n "$board_window" ]; then
    wmctrl -i -a "$board_window" 2>/dev/null || true
    sleep 1
  fi
  import -window "${board_window:-root}" "$out/board.png" 2>/dev/null || echo "quarry_game.sh: no screenshot" >&2
  [ "$status" -ne 0 ] || save_game
  {
    echo "verdict: $verdict"
    echo "othellier's side: $color"
    echo "moves: $(moves | wc -l)"
    echo "errors: $(errors | wc -l)"
    errors
    if [ -e "$out/game.sgf" ]; then
      grep -oE '(PB|PW|RE)\[[^]]*\]' "$out/game.sgf" || true
    fi
  } >"$out/result"
  cat "$out/result"
  echo "files: $out"
  exit "$status"
}

fail() {
  finish 1 "$*"
}

# --- Quarry and its display. ----------------------------------------------------------------------------------------------

# Tries a command every tenth of a second until it succeeds.
await() {
  local seconds=$1
  shift
  for ((i = 0; i < seconds * 10; i++)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  return 1
}

window=
find_window() {
  window=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1) && [ -n "$window" ]
}

press() {
  timeout 10 xdotool windowfocus --sync "$1" key "$2" || fail "could not press $2"
}

save_game() {
  press "$board_window" ctrl+s
  if await 5 find_window 'Save As'; then
    sleep 0.5
    timeout 20 xdotool type --delay 20 "$work/game.sgf" || true
    press "$window" Return
    await 3 test -s "$work/game.sgf" || true
  fi
  cp "$work"/game.sgf* "$out/game.sgf" 2>/dev/null || echo "quarry_game.sh: no game.sgf" >&2
}

touch "$out/quarry.gtp"
# The server itself picks a free display and says which one when it is ready. -noreset: without it the server starts over when
# the last of the clients seen so far goes.
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1000x760x24 -noreset -nolisten tcp 3>"$work/display" >/dev/null 2>&1 &
pids+=($!)
read -r -t 30 number <"$work/display" || wrong_usage "Xvfb did not start"
export DISPLAY=:$number
export HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work
openbox >/dev/null 2>&1 &
pids+=($!)
await 10 wmctrl -m >/dev/null 2>&1 || fail "no window manager"

# Quarry splits an engine's command line at blanks, hence a script for each. The two variables are stdbuf's (below).
configure_engine() {
  local name=$1 command=$2
  printf '#!/bin/sh\necho $$ >%q\nunset LD_PRELOAD _STDBUF_O\nexec %s\n' "$work/$name.pid" "$command" >"$work/$name"
  chmod +x "$work/$name"
  cat <<END
[GTP Engine "$name"]
Screen name format = "%n"
Name = "$name"
Command line = "$work/$name"
Supported games = "Reversi"

END
}

other=white
[ "$color" = black ] || other=black
{
  configure_engine "engine-$color" "$engine"
  configure_engine "engine-$other" "$opponent"
  cat <<END
[New Game Parameters]
Game = "Reversi"
White is computer = true
Engine playing white = "engine-white"
Black is computer = true
Engine playing black = "engine-black"
White player name = "White"
Black player name = "Black"

[New Reversi Game Parameters]
Board size = 8
Time control type = $clock_type
Time limit for game = $limit
Time limit for move = $limit
Main time = $limit
Overtime period length = 0:10
Moves per overtime = 5
END
} >"$work/.quarry"

# Into a file Quarry writes its log when it ends; to a line-buffered standard output at once.
stdbuf -oL quarry --gtp-log=- >"$out/quarry.gtp" 2>"$out/quarry.err" &
quarry=$!
pids+=("$quarry")
await 20 find_window '^Quarry Control Center$' || fail "no control center"
sleep 0.5
press "$window" Return # "New Game" has the focus.
await 10 find_window '^New Game$' || fail "no New Game dialog"
sleep 0.5
press "$window" alt+f # Forward
sleep 0.7
press "$window" alt+p # Play
await 20 find_window ' vs\. ' || fail "no board window"
board_window=$window

# --- The game. ------------------------------------------------------------------------------------------------------------

# Quarry does not report that a game is over, so the referee is asked, once a position, when the log has been still for two seconds.
# A minute of silence is a stall: without a clock othellier takes at most 30 seconds a move.
started=$SECONDS
size=-1
still=0
asked=-1
while :; do
  [ $((SECONDS - started)) -lt "$timeout" ] || fail "not over after $timeout seconds"
  is_alive "$quarry" || fail "Quarry ended"
  for side in black white; do
    file=$work/engine-$side.pid
    [ ! -s "$file" ] || is_alive "$(cat "$file")" || fail "the engine of $side ended"
  done
  [ -z "$(errors)" ] || fail "error reply"
  now=$(wc -c <"$out/quarry.gtp")
  if [ "$now" -ne "$size" ]; then
    size=$now
    still=0
  else
    still=$((still + 1))
  fi
  if [ "$still" -ge 2 ] && [ "$asked" -ne "$size" ]; then
    asked=$size
    verdict=$(referee)
    case $verdict in
      over*) finish 0 "$verdict" ;;
      illegal*) fail "$verdict" ;;
    esac
  fi
  [ "$still" -lt 60 ] || fail "nothing happened for a minute"
  sleep 1
done
