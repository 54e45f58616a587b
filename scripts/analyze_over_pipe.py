#!/usr/bin/env python3
"""Example: analyzes a game with othellier over a pipe, using only the standard library.

    analyze_over_pipe.py f5d6c3d3c4f4          the positions of a transcript, over the NBoard protocol
    analyze_over_pipe.py --cassio POSITION     one position of 65 characters, over the Cassio protocol: 64 cells row by row
                                               from a1 (X black, O white, - empty), then the side to move (X or O)

Values are in discs for the side to move. OTHELLIER names the program, target/release/othellier unless set.
Exit status: 0 done, 1 the engine failed, 2 wrong usage.
"""

import argparse
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

START = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
PATIENCE = 20.0  # Seconds in which a healthy engine has answered whatever is due at once.


class EngineFailure(Exception):
    """The engine ended, fell silent or sent something unintelligible."""


class WrongInput(Exception):
    """A transcript or position that cannot be read."""


class Engine:
    """A child process driven line by line. Its output is read by a thread, so that every read can have a time limit."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii", errors="replace"
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\r\n"))
        self.lines.put(None)

    def send(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise EngineFailure(f"cannot send '{line}': {error}") from error

    def read(self, seconds):
        """The next line; None if there is none in time."""
        try:
            line = self.lines.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return None
        if line is None:
            raise EngineFailure(f"the engine ended with status {self.process.wait()}")
        return line

    def read_due(self):
        line = self.read(PATIENCE)
        if line is None:
            raise EngineFailure(f"no answer in {PATIENCE:.0f} seconds")
        return line

    def close(self, farewell):
        try:
            self.process.stdin.write(farewell + "\n")
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# --- The rules, as far as they are needed to know whose turn it is. ---


def flips(cells, side, square):
    """The squares turned by a disc of `side` on `square`; none if that is illegal."""
    turned = []
    if cells[square] != "-":
        return turned
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            row, column = divmod(square, 8)
            line = []
            while down or right:
                row, column = row + down, column + right
                if not (0 <= row < 8 and 0 <= column < 8) or cells[row * 8 + column] == "-":
                    break
                if cells[row * 8 + column] == side:
                    turned += line
                    break
                line.append(row * 8 + column)
    return turned


def can_move(cells, side):
    return any(flips(cells, side, square) for square in range(64))


def other(side):
    return "O" if side == "X" else "X"


def replay(transcript):
    """The game as (side, move) pairs with the passes filled in, and the side to move in the end, None if it is over."""
    words = re.findall(r"[a-h][1-8]|pa(?:ss)?|--", transcript.lower())
    if re.sub(r"[\s,]", "", transcript.lower()) != "".join(words):
        raise WrongInput("a transcript is made of squares such as f5")
    cells, side, plies = list(START), "X", []
    for word in words:
        if not re.match("[a-h][1-8]", word):
            continue  # Passes are found by the rules, written down or not.
        square = ord(word[0]) - ord("a") + 8 * (int(word[1]) - 1)
        if not can_move(cells, side):
            plies.append((side, "PA"))
            side = other(side)
        turned = flips(cells, side, square)
        if not turned:
            raise WrongInput(f"{word} is no legal move for {'Black' if side == 'X' else 'White'}, ply {len(plies) + 1}")
        for changed in turned + [square]:
            cells[changed] = side
        plies.append((side, word.upper()))
        side = other(side)
    if not can_move(cells, "X") and not can_move(cells, "O"):
        side = None
    return plies, side


# --- NBoard: state commands, then `ping`, then the request. ---


def game_record(plies):
    """A game in the GGF form that NBoard sends."""
    board = " ".join(START[row : row + 8].replace("X", "*") for row in range(0, 64, 8))
    moves = "".join(f"{'B' if side == 'X' else 'W'}[{move}]" for side, move in plies)
    return f"(;GM[Othello]PC[script]PB[]PW[]RE[?]TI[5:00]TY[8]BO[8 {board} *]{moves};)"


class Hints:
    """The best line reported for each first move, those of the deepest search only."""

    def __init__(self):
        self.depth = None
        self.rows = {}

    def add(self, line):
        """Takes a line `search PV VALUE 0 DEPTH ...` or `book PV VALUE GAMES DEPTH ...`; ignores others."""
        fields = line.split()
        if len(fields) < 5 or fields[0] not in ("search", "book"):
            return
        variation, value, _, depth = fields[1:5]
        if depth != self.depth:
            self.depth, self.rows = depth, {}
        try:
            # A value may be a pair, one for each view of a draw.
            self.rows[variation[:2].upper()] = (float(value.split(",")[0]), depth, variation)
        except ValueError as error:
            raise EngineFailure(f"no value in '{line}'") from error

    def is_final(self, wanted):
        """Whether the depth asked for was reached: a plain number of plies, or a percentage for a search to the end."""
        depth = re.match(r"(\d+)(%?)", self.depth or "")
        return bool(depth) and (depth.group(2) == "%" or int(depth.group(1)) >= wanted)

    def best_first(self):
        return sorted(self.rows.values(), key=lambda row: -row[0])


def synchronize(engine, number, hints=None):
    """Waits for the engine to have carried out all that was sent. A `ping` also stops a running search."""
    engine.send(f"ping {number}")
    while (line := engine.read_due()) != f"pong {number}":
        if hints:
            hints.add(line)


def hint(engine, number, plies, arguments):
    """Analyzes the position at the end of `plies`."""
    engine.send(f"set game {game_record(plies)}")
    synchronize(engine, number)
    engine.send(f"hint {arguments.moves}")
    hints = Hints()
    deadline = time.monotonic() + arguments.time
    while (left := deadline - time.monotonic()) > 0:
        # Nothing marks the end of the hints: they end when the requested depth is reached and silence follows.
        line = engine.read(min(left, 0.2) if hints.is_final(arguments.depth) else left)
        if line is not None:
            hints.add(line)
        elif hints.is_final(arguments.depth):
            break
    synchronize(engine, number + 1, hints)
    return hints.best_first()


def analyze_game(arguments):
    plies, side = replay(arguments.transcript)
    engine = Engine([arguments.othellier, "nboard"])
    try:
        engine.send("nboard 2")
        engine.send(f"set depth {arguments.depth}")
        print(f"{'ply':>3} {'side':5} {'played':6} {'move':4} {'value':>7} {'depth':>6}  principal variation")
        for ply in range(len(plies) + 1):
            mover, played = plies[ply] if ply < len(plies) else (side, "")
            if mover is None or played == "PA":
                continue
            rows = hint(engine, 2 * ply + 1, plies[:ply], arguments)
            if not rows:
                raise EngineFailure(f"no hint for the position after {ply} plies")
            for value, depth, variation in rows[: arguments.moves]:
                name = "black" if mover == "X" else "white"
                print(f"{ply + 1:3} {name:5} {played:6} {variation[:2].upper():4} {value:+7.2f} {depth:>6}  {variation}", flush=True)
    finally:
        engine.close("quit")


# --- Cassio: one line asks, lines of results follow, `ready.` ends them. ---


def analyze_position(arguments):
    position = arguments.cassio.upper().replace("*", "X").replace(".", "-")
    if not re.fullmatch("[XO-]{64}[XO]", position):
        raise WrongInput("a position has 64 cells (X, O, -) and the side to move (X, O), without blanks")
    engine = Engine([arguments.othellier, "cassio"])
    try:
        engine.send(f"ENGINE-PROTOCOL midgame-search {position} -64.00 64.00 {arguments.depth} 100")
        result = None
        deadline = time.monotonic() + arguments.time
        while True:
            line = engine.read(deadline - time.monotonic())
            if line is None:
                # Out of time: `ready.` still has to come, after what was found so far.
                engine.send("ENGINE-PROTOCOL stop")
                line, deadline = engine.read_due(), time.monotonic() + PATIENCE
            if line.startswith("ERROR"):
                raise EngineFailure(line)
            if line.startswith(position):
                result = line
            if line == "ready.":
                break
        # POSITION, move D3, depth 4, @73%, B+0.00 <= v <= B+0.00, D3c3D2, node 215, time 0.000
        fields = [field.strip() for field in (result or "").split(",")]
        bounds = re.match(r"([BW])([-+][\d.]+) <=? v <=? [BW]([-+][\d.]+)$", fields[4]) if len(fields) == 8 else None
        if not bounds:
            raise EngineFailure(f"no result, the last line was '{result}'")
        # The letter says whose value it is.
        sign = 1 if (bounds.group(1) == "B") == (position[64] == "X") else -1
        low, high = sorted(sign * float(bound) for bound in bounds.group(2, 3))
        value = f"{low:+.2f}" if low == high else f"{low:+.2f}..{high:+.2f}"
        move, depth, precision, variation = fields[1].split()[1], fields[2].split()[1], fields[3], fields[5]
        print(f"{'move':4} {'value':>7} {'depth':>6}  principal variation")
        print(f"{move:4} {value:>7} {depth + precision:>6}  {variation}")
    finally:
        engine.close("ENGINE-PROTOCOL quit")


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "target" / "release" / "othellier"
    parser = argparse.ArgumentParser(description="Analyze a game or a position with othellier over a pipe.")
    parser.add_argument("transcript", nargs="?", help="moves such as f5d6c3, passes left out or not")
    parser.add_argument("--cassio", metavar="POSITION", help="analyze this position of 65 characters over the Cassio protocol")
    parser.add_argument("--othellier", default=os.environ.get("OTHELLIER", default), help="the program")
    parser.add_argument("--depth", type=int, default=10, help="depth of the search (default: 10)")
    parser.add_argument("--moves", type=int, default=1, help="moves to evaluate in each position (default: 1)")
    parser.add_argument("--time", type=float, default=10.0, help="seconds a position at most (default: 10)")
    words = sys.argv[1:]
    if "--cassio" in words[:-1]:
        # Most positions begin with a hyphen; only in this form they are not taken for options.
        at = words.index("--cassio")
        words[at : at + 2] = ["--cassio=" + words[at + 1]]
    arguments = parser.parse_args(words)
    if (arguments.transcript is None) == (arguments.cassio is None):
        parser.error("give either a transcript or --cassio POSITION")
    try:
        analyze_position(arguments) if arguments.cassio else analyze_game(arguments)
    except WrongInput as error:
        parser.error(str(error))
    except (EngineFailure, OSError) as error:
        print(f"analyze_over_pipe.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
