"""The state machine's matches and engines, and its actions."""

from __future__ import annotations

from dataclasses import dataclass

from .dialogue import Turn
from .messages import Player
from .othello import BLACK, Position
from .record import Record


@dataclass(frozen=True)
class Send:
    """A line for the server; a secret one is not logged."""

    line: str
    secret: bool = False


@dataclass(frozen=True)
class Hangup:
    """Close the connection; connect again unless it is final."""

    why: str
    final: bool = False
    failed: bool = False


@dataclass(frozen=True)
class Think:
    """Let an engine choose a move; start it if it is not running."""

    seat: int
    turn: Turn


@dataclass(frozen=True)
class End:
    """End an engine, whatever it does; the next `Start` or `Think` starts it anew."""

    seat: int


@dataclass(frozen=True)
class Start:
    """Start an engine."""

    seat: int


@dataclass(frozen=True)
class Store:
    """A game has ended; `result` is for its first name, None if it was broken off."""

    record: Record
    result: float | None


@dataclass(frozen=True)
class Note:
    """Something for the user to know."""

    text: str


Action = Send | Hangup | Think | End | Start | Store | Note


@dataclass
class Seat:
    """An engine: the game it plays, and whether it is at work on it."""

    game: str | None = None
    is_thinking: bool = False


@dataclass
class Game:
    """A game of ours. The position has been there since `since`; the server showed the clocks at `clock_at`."""

    id: str
    seat: int
    record: Record
    position: Position
    color: str  # Ours; `?` until the komi is settled.
    players: dict[str, Player]
    since: float
    clock_at: float
    n_moves: int = 0
    sent: tuple[str, float, float] | None = None  # Move, time, seconds that we say it took.
    value: float | None = None  # Of the move that was sent.
    refused: frozenset[str] = frozenset()  # Moves that the server did not take in this position.
    n_attempts: int = 0
    asked_whole: float | None = None  # When the whole game was last asked for.
    n_before: int = 0  # Moves before the record begins, if the server's board did not follow from them.
    first_side: str = BLACK
    awaits_whole: int = 0  # How often the whole game was asked for in vain; nothing is done without it.
    result: float | None = None
    suspended: bool = False


@dataclass
class Broken:
    """A match that was broken off and may go on."""

    opponent: str
    type: str
    records: list[Record]
    by_us: bool
    stored: str | None = None
    ask_at: float | None = None
    n_asked: int = 0
