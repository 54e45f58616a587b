"""The clocks of GGS, and what to send an engine about them.

A clock is `initial/increment/extension`, each `TIME[,[N]MOVES]`. A game is lost (minimally) when the initial time is
over, and wholly when the extension is over too. MOVES after the initial time is how many moves it covers; after the
increment, every how many moves it is added; after the extension, how many moves each extension covers; 0 means the rest
of the game. `N` turns around what happens: the end of the initial time is no loss, the increment gives back at most what
was used, the extension replaces what was left. While a game runs, `TIME,MADE:MOVES` shows what is left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

_FIELD = re.compile(r"(?P<time>-?[\d.:]*)(?:,(?P<not>[Nn]?)(?:(?P<made>\d+):)?(?P<moves>\d*))?")


def parse_time(text: str) -> int:
    """Seconds from `[DAYS.][HH:]MM:SS` or `SS`; a clock that has run out (`-00:05`) counts as 0. ValueError otherwise."""
    match = re.fullmatch(r"(-?)(?:(\d+)\.)?((?:\d+:){0,2}\d+)", text.strip())
    if not match:
        raise ValueError(f"'{text}' is no time such as 5:00")
    seconds = 0
    for part in match[3].split(":"):
        seconds = seconds * 60 + int(part)
    return 0 if match[1] else seconds + 86400 * int(match[2] or 0)


def format_time(seconds: float) -> str:
    """`MM:SS`, with hours in front where needed; fractions are dropped."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours:02}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes:02}:{whole % 60:02}"


@dataclass(frozen=True)
class Clock:
    """A player's clock, times in seconds. `left` is the initial time until the game begins."""

    left: float
    moves: int = 0
    loses: bool = True
    increment: int = 0
    increment_moves: int = 1
    increment_adds: bool = True
    extension: int = 0
    extension_moves: int = 0
    extension_adds: bool = True
    made: int = 0  # Moves made before any extension, in the form for running games.

    @staticmethod
    def parse(text: str) -> Clock:
        """A clock in either form; ValueError if it is none."""
        parts = text.strip().split("/")
        if not parts[0] or len(parts) > 3:
            raise ValueError(f"'{text}' is no clock")
        fields = []
        for part in parts + [""] * (3 - len(parts)):
            match = _FIELD.fullmatch(part.strip())
            if not match:
                raise ValueError(f"'{text}' is no clock")
            moves = int(match["moves"]) if match["moves"] else None
            fields.append((parse_time(match["time"] or "0"), bool(match["not"]), int(match["made"] or 0), moves))
        (left, not_loss, made, moves), (step, not_added, _, every), (more, replaces, _, covers) = fields
        return Clock(
            left, moves or 0, not not_loss, step, max(1, 1 if every is None else every), not not_added,
            more, covers or 0, not replaces, made,
        )  # fmt: skip

    def ggf(self) -> str:
        """The clock as GGF's TI, TB and TW have it."""
        increment = format_time(self.increment) if self.increment else ""
        return f"{format_time(self.left)}/{increment}/{format_time(self.extension)}"

    def is_extended(self, n_own: int) -> bool:
        """Whether the player, who has made `n_own` moves, is in the extension: the server stops counting `made` there."""
        return (self.moves > 0 and self.made >= self.moves) or self.made != n_own

    def until_loss(self, n_own: int) -> float:
        """Seconds until the player loses on time, even minimally."""
        if not self.loses and self.moves == 0 and not self.is_extended(n_own):
            return self.left + self.extension
        return self.left


class Budget(NamedTuple):
    """What an engine is told, in seconds: `left` for all its moves, or for the next `stones` if that is not 0; then
    `period` for each `period_stones`. Without stones `increment` comes with every move."""

    left: float
    increment: float = 0.0
    stones: int = 0
    period: float = 0.0
    period_stones: int = 0


def budget(clock: Clock, n_own: int, n_to_come: int, spent: float, lag: float, reserve: float) -> Budget:
    """What to tell an engine of a clock as the server showed it `spent` seconds ago.

    `n_own` moves are made and at most `n_to_come` are to come; each of those costs the `lag` on the way. `reserve` seconds
    are kept back as well. Neither takes more than half of what is left, the reserve no more than a tenth.
    """
    stones, period, period_stones = 0, 0.0, 0
    left = clock.left
    if clock.is_extended(n_own):
        if clock.extension_moves:
            n_extended = max(0, n_own - clock.made)
            stones = clock.extension_moves - n_extended % clock.extension_moves
            period, period_stones = clock.extension, clock.extension_moves
    elif clock.moves:
        stones = clock.moves - clock.made
        period, period_stones = clock.extension, clock.extension_moves or clock.moves
    elif not clock.loses:
        if clock.extension_moves:
            period, period_stones = clock.extension, clock.extension_moves
        else:
            left += clock.extension
    n_covered = min(stones, n_to_come) if stones else n_to_come
    left = max(0.0, left - spent)
    kept = min(reserve, left / 10) + lag * max(1, n_covered)
    left -= min(kept, left / 2)
    return Budget(left, clock.increment / clock.increment_moves, stones, period, period_stones)


def with_left(clock: Clock, left: float) -> Clock:
    """The same clock with another time left."""
    return replace(clock, left=left)
