"""The messages of GGS: bytes to lines, lines to messages, messages to their meaning.

A message is a line and the lines after it that begin with `|`; `READY` ends it. Nothing here fails on odd input: what
cannot be understood becomes `Unknown`, or `Damaged` where a game of ours may be concerned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .clocks import Clock
from .othello import Position, parse_move

LONGEST_LINE = 1 << 16
_ESCAPES = re.compile(rb"\xff[\xf0-\xfa]|\xff[\xfb-\xfe].|\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]", re.DOTALL)
_ID = re.compile(r"\.\d+(\.[01])?")
_CLOCK_LINE = re.compile(r"\|(\S+)\s+\(\s*([-+\d.]+)\s+([*O?])\s*\)\s+(\S+)\s*")
_ROW = re.compile(r"\|\s*([1-8])((?: [-*O]){8})\s+\1\s*")
_MOVE = re.compile(r"\|\s*(\d+): (\S+)\s*")
_TYPE = re.compile(r"(?P<synchro>s?)(?P<size>\d+)(?P<options>(?:[kabw]|r\d*)*)")


class Lines:
    """Cuts the server's bytes into lines without control characters; takes any encoding."""

    def __init__(self) -> None:
        self._rest = b""
        self._dropping = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now. An overlong line is dropped."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        if self._dropping and whole:
            whole, self._dropping = whole[1:], False
        if len(self._rest) > LONGEST_LINE:
            self._rest, self._dropping = b"", True
        return [_text(line) for line in whole]

    def prompt(self) -> str:
        """What came after the last line."""
        return "" if self._dropping else _text(self._rest)


def _text(line: bytes) -> str:
    line = _ESCAPES.sub(b"", line)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("latin-1")
    return "".join(letter if letter.isprintable() else " " for letter in text)


class Blocks:
    """Gathers lines into messages."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def feed(self, line: str) -> list[list[str]]:
        """The messages that this line completes, the one that it begins not included."""
        if line.startswith("|") and self._lines:
            if len(self._lines) < 1000:
                self._lines.append(line)
            return []
        done = self.flush()
        if line.strip() and line.strip() not in ("READY", "ALERT"):
            self._lines = [line]
        return done

    def flush(self) -> list[list[str]]:
        """The message that is still open, if any."""
        done, self._lines = ([self._lines] if self._lines else []), []
        return done

    def is_open(self) -> bool:
        """Whether a message has begun."""
        return bool(self._lines)


@dataclass(frozen=True)
class GameType:
    """What is played: `s8r20` is a synchro match, both colors at once, from a random position of 20 discs."""

    text: str
    size: int
    synchro: bool = False
    komi: bool = False
    anti: bool = False
    discs: int = 0  # 0: no random position.

    @staticmethod
    def parse(text: str) -> GameType | None:
        """None if the text is no type."""
        match = _TYPE.fullmatch(text)
        if not match:
            return None
        options = match["options"]
        random = re.search(r"r(\d*)", options)
        discs = int(random[1] or 4) if random else 0
        return GameType(text, int(match["size"]), bool(match["synchro"]), "k" in options, "a" in options, discs)


@dataclass(frozen=True)
class Player:
    """A player as a game shows it; `color` is `?` until the komi is settled."""

    name: str
    rating: float
    color: str
    clock: Clock


@dataclass(frozen=True)
class Played:
    """A move of a game; value in discs for the mover, seconds as the server counts them."""

    move: str
    value: float | None = None
    seconds: float = 0.0


# --- Meanings ---


class OfService:
    """A message of the Othello service."""


@dataclass(frozen=True)
class LoginPrompt:
    pass


@dataclass(frozen=True)
class PasswordPrompt:
    pass


@dataclass(frozen=True)
class ServerError:
    """An error of the central server."""

    text: str


@dataclass(frozen=True)
class Presence:
    """The Othello service has come or gone."""

    here: bool


@dataclass(frozen=True)
class Request(OfService):
    """Somebody asks for a match; `mode` is R rated, U unrated, T tournament, S stored. `asked` is `*` for everybody."""

    id: str
    asker: str
    asker_rating: float
    asker_clock: Clock
    type: GameType
    mode: str
    asked: str
    asked_clock: Clock
    stored: str | None


@dataclass(frozen=True)
class RequestGone(OfService):
    id: str


@dataclass(frozen=True)
class MatchBegins(OfService):
    id: str
    names: tuple[str, str]
    type: str
    mode: str


@dataclass(frozen=True)
class MatchEnds(OfService):
    """`result` is in discs for the first name; None when the match was aborted or somebody left."""

    id: str
    names: tuple[str, str]
    type: str
    mode: str
    result: float | None
    text: str
    stored: str | None


@dataclass(frozen=True)
class GameEnds(OfService):
    """One game of a synchro match is over; the result is for the first name."""

    id: str
    result: float | None
    text: str


@dataclass(frozen=True)
class GameState(OfService):
    """A whole game (`join`) or its last move (`update`). `n_moves` is the number of moves made."""

    id: str
    type: GameType
    komi: float | None
    whole: bool
    n_moves: int
    moves: tuple[Played, ...]
    players: tuple[Player, Player]
    position: Position
    start: Position | None
    start_clocks: tuple[Clock, Clock] | None


@dataclass(frozen=True)
class Damaged(OfService):
    """A game that cannot be read."""

    id: str
    why: str


@dataclass(frozen=True)
class Asking(OfService):
    """A player asks to undo or abort."""

    what: str
    id: str
    name: str


@dataclass(frozen=True)
class OutOfTime(OfService):
    id: str
    name: str
    fatal: bool


@dataclass(frozen=True)
class Refusal(OfService):
    """An error of the Othello service; `id` names the game if it concerns one."""

    id: str | None
    text: str


@dataclass(frozen=True)
class Stored(OfService):
    """The list of stored matches: id, first name, second name, type."""

    matches: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True)
class Running(OfService):
    """The matches that a player is in: ids."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class StoredOpponent(OfService):
    """Somebody with whom a match is stored has come."""

    name: str


@dataclass(frozen=True)
class Chat:
    """A message from one user to us."""

    name: str
    text: str


@dataclass(frozen=True)
class Unknown:
    lines: list[str] = field(default_factory=list)


def parse(lines: list[str], login: str) -> object:
    """The meaning of a message to the user `login`."""
    head = lines[0].strip()
    if head.startswith("/os:"):
        words = head[4:].split()
        try:
            found = _parse_service(words, lines) if words else None
        except (ValueError, IndexError) as error:
            if words[0] in ("join", "update") and len(words) > 1 and _ID.fullmatch(words[1]):
                return Damaged(words[1], str(error))
            found = None
        return found or Unknown(lines)
    if head.startswith(":"):
        return _parse_system(head[1:].strip()) or Unknown(lines)
    match = re.fullmatch(r"([^\s.,/|:][^\s,:]{1,7}): ?(.*)", head)
    if match and match[1] != login:
        return Chat(match[1], match[2])
    return Unknown(lines)


def _parse_system(text: str) -> object | None:
    if "nter login" in text:
        return LoginPrompt()
    if "nter your password" in text:
        return PasswordPrompt()
    if text.startswith("ERR"):
        return ServerError(text[3:].strip())
    match = re.fullmatch(r"([-+]) /os\b.*", text)
    return Presence(match[1] == "+") if match else None


def _parse_service(words: list[str], lines: list[str]) -> object | None:
    match words[0]:
        case "join" | "update":
            return _parse_game(words, lines)
        case "+" if words[1].startswith("."):
            return _parse_request(words[1:])
        case "-" if words[1].startswith("."):
            return RequestGone(_id(words[1]))
        case "+" if words[1] == "match":
            return MatchBegins(_id(words[2]), (words[4], words[6]), words[7], words[8])
        case "-" if words[1] == "match":
            stored = words[-1] if _ID.fullmatch(words[-1]) else None
            text = " ".join(words[9 : -1 if stored else None])
            return MatchEnds(_id(words[2]), (words[4], words[6]), words[7], words[8], _number(text), text, stored)
        case "+" if words[2:3] == ["stored"]:
            return StoredOpponent(words[1])
        case "end":
            text = " ".join(words[words.index(")") + 1 :]) if ")" in words else ""
            return GameEnds(_id(words[1]), _number(text), text)
        case "undo" | "abort" if words[3:5] == ["is", "asking"]:
            return Asking(words[0], _id(words[1]), words[2])
        case "timeout" | "fatal-timeout":
            return OutOfTime(_id(words[1]), words[2], words[0] == "fatal-timeout")
        case "error":
            return Refusal(words[1], " ".join(words[2:]))
        case "ERR":
            return Refusal(None, " ".join(words[1:]))
        case "stored":
            if "ERR" in words:
                return None
            return Stored(tuple(_stored(line.lstrip("|").split()) for line in lines[1:] if line.strip("| ")))
        case "match":
            found = (re.match(r"\|\s*(\.\d+)\s", line) for line in lines[1:])
            return Running(tuple(one[1] for one in found if one))
    return None


def _stored(words: list[str]) -> tuple[str, str, str, str]:
    """`.42590   23 Feb 2001 23:17:39 pamphlet patzer   s8r16:l`"""
    return _id(words[0]), words[5], words[6], words[7].split(":")[0]


def _id(text: str) -> str:
    if not _ID.fullmatch(text):
        raise ValueError(f"'{text}' is no id")
    return text


def _number(text: str) -> float | None:
    match = re.match(r"[-+]?\d+(\.\d+)?$", text.split(" ")[0])
    return float(match[0]) if match else None


def _parse_request(words: list[str]) -> Request | None:
    id_, rating, asker, clock, type_, mode, *rest = words
    kind = GameType.parse(type_)
    if kind is None:
        return None
    asked, rest = rest[1], rest[2:]
    stored = rest.pop() if rest and _ID.fullmatch(rest[-1]) else None
    first = Clock.parse(clock)
    second = Clock.parse(rest[0]) if rest else first
    return Request(_id(id_), asker, float(rating), first, kind, mode, asked, second, stored)


def _parse_game(words: list[str], lines: list[str]) -> GameState:
    whole, id_ = words[0] == "join", _id(words[1])
    kind = GameType.parse(words[2])
    if kind is None or kind.size != 8:
        raise ValueError(f"type {words[2]}")
    komi = None if words[3] == "K?" else float(words[3][1:])
    boards: list[Position] = []
    rows: list[str] = []
    players: list[Player] = []
    moves: list[tuple[int, Played | None]] = []
    n_announced = None
    for line in lines[1:]:
        if match := _ROW.fullmatch(line):
            if int(match[1]) != len(rows) + 1:
                raise ValueError("rows of the board are missing")
            rows.append(match[2].replace(" ", ""))
        elif match := re.fullmatch(r"\|([*O]) to move\s*", line):
            if len(rows) != 8:
                raise ValueError("rows of the board are missing")
            boards.append(Position("".join(rows), match[1]))
            rows = []
        elif match := _CLOCK_LINE.fullmatch(line):
            players.append(Player(match[1], float(match[2]), match[3], Clock.parse(match[4])))
        elif match := _MOVE.fullmatch(line):
            moves.append((int(match[1]), _played(match[2]) if int(match[1]) else None))
        elif match := re.fullmatch(r"\|\s*(\d+) move\(s\)\s*", line):
            n_announced = int(match[1])
    made = tuple(one for _, one in moves if one is not None)
    n_moves = max((number for number, _ in moves), default=0)
    n_boards = 2 if whole and n_moves else 1
    if len(boards) != n_boards or len(players) != 2 * n_boards or rows or not moves:
        raise ValueError("the message is incomplete")
    if whole and not (
        n_announced == n_moves == len(made) and [number for number, _ in moves if number] == list(range(1, n_moves + 1))
    ):
        raise ValueError("moves are missing")
    now = (players[-2], players[-1])
    colors = {player.color for player in now}
    if colors not in ({"*", "O"}, {"?"}):
        raise ValueError("the colors are wrong")
    start = boards[0] if whole else None
    start_clocks = (players[0].clock, players[1].clock) if whole else None
    return GameState(id_, kind, komi, whole, n_moves, made, now, boards[-1], start, start_clocks)


def _played(text: str) -> Played:
    parts = text.split("/")
    move = parse_move(parts[0])
    if move is None:
        raise ValueError(f"'{text}' is no move")
    value = float(parts[1]) if len(parts) > 1 and parts[1] else None
    return Played(move, value, float(parts[2]) if len(parts) > 2 and parts[2] else 0.0)
