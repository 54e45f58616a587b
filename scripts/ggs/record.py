"""A game as GGF, for `othellier convert` and `analyze`."""

from __future__ import annotations

from dataclasses import dataclass, field

from .clocks import Clock
from .messages import Played, Player
from .othello import BLACK, START, Position, other


@dataclass
class Record:
    """What is written of a game. `moves` lead from `start` to `position` unless the server contradicted itself."""

    type: str
    names: tuple[str, str]  # In the order of the match, which results refer to.
    black: Player
    white: Player
    clocks: tuple[Clock, Clock]  # Black's and White's at the start.
    start: Position = START
    moves: list[Played] = field(default_factory=list)
    komi: float | None = None
    out_of_time: bool = False

    def positions(self) -> list[Position] | None:
        """The positions after each move, the start first; None if a move is illegal."""
        found = [self.start]
        for played in self.moves:
            after = found[-1].play(played.move)
            if after is None:
                return None
            found.append(after)
        return found

    def ggf(self, result: float | None, date: str) -> str:
        """The record on one line; `result` is in discs for the first of `names`, None if the game was broken off."""
        positions = self.positions()
        is_over = positions is not None and positions[-1].is_over()
        if result is None and not is_over:
            outcome = "?"
        else:
            if result is None:
                outcome = f"{positions[-1].margin() - (self.komi or 0.0):+.2f}"  # type: ignore[index]
            else:
                outcome = f"{result if self.black.name == self.names[0] else -result:+.2f}"
            # Without a finished board somebody ran out of time or resigned.
            outcome += ":t" if self.out_of_time else "" if is_over else ":r"
        text = f"(;GM[Othello]PC[GGS/os]DT[{date}]PB[{self.black.name}]PW[{self.white.name}]"
        text += f"RB[{self.black.rating:.1f}]RW[{self.white.rating:.1f}]"
        black, white = (clock.ggf() for clock in self.clocks)
        text += f"TI[{black}]" if black == white else f"TB[{black}]TW[{white}]"
        text += f"TY[{self.type}]"
        if self.komi is not None:
            text += f"KM[{self.komi:.3f}]"
        text += f"RE[{outcome}]{board_ggf(self.start)}"
        side = self.start.side
        for played in self.moves:
            text += move_ggf(side, played)
            side = other(side)
        return text + ";)"


def board_ggf(position: Position) -> str:
    """GGF's BO of a position."""
    return f"BO[8 {position.cells} {position.side}]"


def move_ggf(side: str, played: Played) -> str:
    """GGF's B or W of a move."""
    value = "" if played.value is None else f"{played.value:.2f}"
    seconds = f"{played.seconds:.2f}" if played.seconds else ""
    rest = f"/{value}" + (f"/{seconds}" if seconds else "") if value or seconds else ""
    return f"{'B' if side == BLACK else 'W'}[{played.move}{rest}]"
