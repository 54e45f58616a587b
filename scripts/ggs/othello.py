"""The rules of Othello, as far as a client needs them to check what the server and the engine say."""

from __future__ import annotations

import re
from typing import NamedTuple

BLACK, WHITE, EMPTY = "*", "O", "-"
PASS = "PA"
_DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def other(side: str) -> str:
    """The opponent of a side."""
    return WHITE if side == BLACK else BLACK


def parse_move(text: str) -> str | None:
    """A move as `D3` or `PA`; None if the text is none."""
    text = text.strip().upper()
    if re.fullmatch("[A-H][1-8]", text):
        return text
    return PASS if text in ("PA", "PASS", "PS", "--", "@@") else None


def _lines(square: int) -> list[list[int]]:
    """The squares in each direction from a square, nearest first."""
    found = []
    for down, right in _DIRECTIONS:
        row, column = square // 8 + down, square % 8 + right
        line = []
        while 0 <= row < 8 and 0 <= column < 8:
            line.append(row * 8 + column)
            row, column = row + down, column + right
        found.append(line)
    return found


_LINES = [_lines(square) for square in range(64)]


class Position(NamedTuple):
    """A board, row by row from a1, and the side to move."""

    cells: str
    side: str

    def flips(self, square: int, side: str) -> list[int]:
        """The squares that turn when `side` plays on `square`; none if that is illegal."""
        if self.cells[square] != EMPTY:
            return []
        turned = []
        for line in _LINES[square]:
            run: list[int] = []
            for place in line:
                if self.cells[place] == side:
                    turned += run
                    break
                if self.cells[place] == EMPTY:
                    break
                run.append(place)
        return turned

    def placings(self, side: str) -> list[str]:
        """The squares where `side` may play."""
        return [f"{'ABCDEFGH'[n % 8]}{n // 8 + 1}" for n in range(64) if self.flips(n, side)]

    def moves(self) -> list[str]:
        """The legal moves: squares, or only the pass; none when the game is over."""
        return self.placings(self.side) or ([PASS] if self.placings(other(self.side)) else [])

    def is_over(self) -> bool:
        """Whether neither side can move."""
        return not self.moves()

    def play(self, move: str) -> Position | None:
        """The position after a move; None if it is illegal."""
        if move == PASS:
            return Position(self.cells, other(self.side)) if self.moves() == [PASS] else None
        square = "ABCDEFGH".index(move[0]) + 8 * (int(move[1]) - 1)
        turned = self.flips(square, self.side)
        if not turned:
            return None
        cells = list(self.cells)
        for place in [*turned, square]:
            cells[place] = self.side
        return Position("".join(cells), other(self.side))

    def margin(self) -> int:
        """The result for Black, in discs; the winner takes the empty squares."""
        black, white = self.cells.count(BLACK), self.cells.count(WHITE)
        empty = 64 - black - white
        return black - white + (empty if black > white else -empty if white > black else 0)


START = Position("-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27, BLACK)


def spare_move(position: Position, refused: frozenset[str] = frozenset()) -> str | None:
    """A legal move chosen without an engine: one that leaves the opponent the fewest. None if all are refused."""
    moves = [move for move in position.moves() if move not in refused]

    def replies(move: str) -> int:
        after = position.play(move)
        return len(after.placings(after.side)) if after else 64

    return min(moves, key=replies, default=None)
