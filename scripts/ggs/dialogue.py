"""The words of GTP and NBoard: what to send to an engine, and what its lines mean. No pipes here."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from .clocks import Budget, format_time
from .messages import Played
from .othello import BLACK, PASS, START, Position, other, parse_move
from .record import board_ggf, move_ggf


@dataclass(frozen=True)
class Turn:
    """A position to move in: the moves lead there from the start. One budget for each color, Black's first."""

    start: Position
    moves: tuple[str, ...]
    position: Position
    budgets: tuple[Budget, Budget]

    def budget(self) -> Budget:
        """The budget of the side to move."""
        return self.budgets[self.position.side != BLACK]


@dataclass(frozen=True)
class Ready:
    """The engine has introduced itself."""

    name: str
    can_set_up: bool
    gives_values: bool


@dataclass(frozen=True)
class Answer:
    """The engine's move; value in discs for the mover."""

    move: str
    value: float | None


@dataclass(frozen=True)
class Disagreement:
    """The engine refused the position, or its answer is no move."""

    why: str


Event = Ready | Answer | Disagreement


class Dialogue:
    """One engine's side of a game. Lines to send collect in `to_send`."""

    def __init__(self) -> None:
        self.to_send: list[str] = []

    def begin(self) -> None:
        """Introduces us; ends with `Ready`."""
        raise NotImplementedError

    def think(self, turn: Turn) -> None:
        """Asks for a move; ends with `Answer` or `Disagreement`."""
        raise NotImplementedError

    def receive(self, line: str) -> Event | None:
        """Takes a line of the engine."""
        raise NotImplementedError


class Gtp(Dialogue):
    """GTP as Othello engines speak it. The engine keeps the game, so that it can think on the opponent's time."""

    def __init__(self) -> None:
        super().__init__()
        self._awaited: deque[str] = deque()
        self._name = ""
        self._commands: set[str] = set()
        self._reply: list[str] | None = None
        self._start: Position | None = None  # None: what the engine holds is unknown.
        self._moves: tuple[str, ...] = ()
        self._settings = ""
        self._passes = True  # Whether the engine accepts a written pass.
        self._failed = ""

    def begin(self) -> None:
        self._ask("name")
        self._ask("list_commands")

    def _ask(self, command: str) -> None:
        self._awaited.append(command)
        self.to_send.append(command)

    def think(self, turn: Turn) -> None:
        self._failed = ""
        held = len(self._moves)
        if self._start != turn.start or self._moves != turn.moves[:held]:
            self._set_up(turn)
            held = 0
        position = _after(turn.start, turn.moves[:held])
        for move in turn.moves[held:]:
            side = position.side
            position = position.play(move) or position
            if move != PASS or self._passes:
                self._ask(f"play {_color(side)} {'pass' if move == PASS else move.lower()}")
        self._start, self._moves = turn.start, turn.moves
        self._set_clock(turn.budget(), turn.position.side)
        self._ask(f"genmove {_color(turn.position.side)}")

    def _set_up(self, turn: Turn) -> None:
        if "set_game" in self._commands:
            self._ask("set_game Othello")
        self._ask("boardsize 8")
        self._ask("clear_board")
        self._settings = ""
        if turn.start == START:
            return
        cells, side = turn.start
        if "gogui-setup" in self._commands and "gogui-setup_player" in self._commands:
            discs = (f"{'b' if cell == BLACK else 'w'} {_square(n)}" for n, cell in enumerate(cells) if cell != "-")
            self._ask(f"gogui-setup {' '.join(discs)}")
            self._ask(f"gogui-setup_player {_color(side)}")
        elif "grhino-setup_board" in self._commands:
            self._ask(f"grhino-setup_board {cells.replace('*', 'X')} {'X' if side == BLACK else 'O'}")
        else:
            self._failed = "it cannot set up a position"

    def _set_clock(self, budget: Budget, side: str) -> None:
        """Our own engine takes fractions and increments; others get whole seconds, and an increment only as time left."""
        is_own = "othellier-evaluation" in self._commands

        def seconds(time: float) -> str:
            return f"{time:.3f}" if is_own else str(max(1, int(time)))

        if "time_settings" in self._commands:
            if budget.period_stones:
                settings = f"{seconds(budget.left)} {seconds(budget.period)} {budget.period_stones}"
            else:
                settings = f"{seconds(budget.left)} {seconds(budget.increment) if is_own and budget.increment else 0} 0"
            kind = settings.split()[1:]
            if kind != self._settings.split()[1:] or "time_left" not in self._commands:
                self._ask(f"time_settings {settings}")
            self._settings = settings
        if "time_left" in self._commands:
            self._ask(f"time_left {_color(side)} {seconds(budget.left)} {budget.stones}")

    def receive(self, line: str) -> Event | None:
        line = line.rstrip()
        if self._reply is None:
            if not line or line.startswith("#"):
                return None
            if line[0] not in "=?":
                return self._disagree(f"'{line[:80]}' is no reply")
            self._reply = [line]
            return None
        if line:
            if len(self._reply) < 10000:
                self._reply.append(line)
            return None
        reply, self._reply = self._reply, None
        if not self._awaited:
            return self._disagree("it said more than it was asked")
        command = self._awaited.popleft()
        text = "\n".join(reply)
        return self._replied(command, text[1:].strip() if text[0] == "=" else None, text)

    def _disagree(self, why: str) -> Disagreement:
        self._start = None
        return Disagreement(why)

    def _replied(self, command: str, text: str | None, whole: str) -> Event | None:
        word = command.split()[0]
        if word == "name":
            self._name = text or "unknown"
        elif word == "list_commands":
            self._commands = set((text or "").split())
            can_set_up = "gogui-setup" in self._commands or "grhino-setup_board" in self._commands
            return Ready(self._name, can_set_up, False)
        elif word == "genmove":
            return self._moved(command, text, whole)
        elif text is None:
            if command.endswith(" pass"):
                self._passes = False
            elif word not in ("set_game", "time_settings", "time_left"):
                self._failed = self._failed or f"it refused '{command[:80]}'"
        return None

    def _moved(self, command: str, text: str | None, whole: str) -> Event:
        move = parse_move(text or "")
        if self._failed or move is None:
            return self._disagree(self._failed or f"it answered '{command}' with '{whole[:80]}'")
        self._moves += (move,)
        return Answer(move, None)


class NBoard(Dialogue):
    """The NBoard protocol: sends whole games whose clocks match the budgets, and plays the move afterwards."""

    _MOVE = re.compile(r"=== *([A-Za-z0-9@-]+)(?:/([-+0-9.]*))?(?:/.*)?")

    def __init__(self) -> None:
        super().__init__()
        self._is_thinking = False
        self._began = False

    def begin(self) -> None:
        self.to_send += ["nboard 2", "ping 1"]
        self._name = "NBoard engine"

    def think(self, turn: Turn) -> None:
        self.to_send += [f"set game {_game(turn)}", "go"]
        self._is_thinking = True

    def receive(self, line: str) -> Event | None:
        line = line.strip()
        if line.startswith("set myname "):
            self._name = line[11:].strip()
        elif line.startswith("pong") and not self._began:
            self._began = True
            return Ready(self._name, True, True)
        elif line.startswith("status") and self._is_thinking and re.search("not (understood|accepted)|illegal", line):
            self._is_thinking = False
            return Disagreement(line[:200])
        elif line.startswith("===") and self._is_thinking:
            self._is_thinking = False
            match = self._MOVE.fullmatch(line)
            move = parse_move(match[1]) if match else None
            if match is None or move is None:
                return Disagreement(f"'{line[:80]}' is no move")
            # After its move an engine may ponder.
            self.to_send.append(f"move {move}")
            try:
                return Answer(move, float(match[2]) if match[2] else None)
            except ValueError:
                return Answer(move, None)
        return None


def _game(turn: Turn) -> str:
    """GGF whose clocks, less the times of the moves, equal the budgets."""
    sides = [turn.start.side]
    for _ in turn.moves:
        sides.append(other(sides[-1]))
    times = [0.0] * len(turn.moves)
    clocks = []
    for color, budget in zip("*O", turn.budgets):
        own = [n for n, side in enumerate(sides[:-1]) if side == color]
        available = budget.left + (budget.period if budget.period_stones and not budget.stones else 0.0)
        main, increment = int(available) + 1, int(budget.increment)
        if own:
            # The last move pays for everything before it.
            times[own[-1]] = main + increment * len(own) - available
        else:
            main = int(available)
        clocks.append(f"{format_time(main)}/{format_time(increment) if increment else ''}/00:00")
    text = f"(;GM[Othello]PC[GGS/os]PB[Black]PW[White]TB[{clocks[0]}]TW[{clocks[1]}]TY[8]RE[?]{board_ggf(turn.start)}"
    for side, move, seconds in zip(sides, turn.moves, times):
        text += move_ggf(side, Played(move, None, seconds))
    return text + ";)"


def _after(start: Position, moves: tuple[str, ...]) -> Position:
    for move in moves:
        start = start.play(move) or start
    return start


def _color(side: str) -> str:
    return "black" if side == BLACK else "white"


def _square(n: int) -> str:
    return f"{'abcdefgh'[n % 8]}{n // 8 + 1}"
