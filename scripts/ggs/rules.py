"""The file of rules (TOML): which requests to accept, and how to answer everything else."""

from __future__ import annotations

import fnmatch
import math
import tomllib
from dataclasses import dataclass, fields
from typing import Any

from .clocks import Clock, parse_time
from .messages import GameType, Request


class BadRules(Exception):
    """A file of rules that cannot be used; the text says why."""


@dataclass(frozen=True)
class Rules:
    """Every rule with its default. Times are `MM:SS`; names may contain `*` and `?` and are compared without case."""

    # Requests.
    types: tuple[str, ...] = ("8", "8r", "s8", "s8r")  # Board, s for synchro, r for random, k for komi; anti never.
    discs: tuple[int, int] = (4, 40)  # Discs of a random position.
    initial: tuple[str, str] = ("0:30", "60:00")
    increment: tuple[str, str] = ("0:00", "1:00")
    extension: tuple[str, str] = ("0:00", "10:00")
    equal_clocks: bool = True
    modes: tuple[str, ...] = ("R", "U", "S")  # Rated, unrated, stored.
    everybody: bool = False  # Also accept requests that are addressed to nobody.
    accept: tuple[str, ...] = ("*",)
    refuse: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    prefer_seconds: float = 10.0  # How long others wait for one who is preferred.
    # Playing.
    matches: int = 1  # At the same time.
    rated: bool = True
    trust: bool = True
    undo: str = "never"  # never, always
    abort: str = "never"  # never, always, or the number of moves up to which it is granted
    resume: str = "own"  # own: matches that our connection broke off; all; never
    reserve: float = 1.0  # Seconds of the clock that the engine is never told of.
    chat: str = ""  # The answer to anybody who speaks to us, once an hour; empty for none.

    def judge_name(self, asker: str) -> str | None:
        """Why an opponent is declined; None if it is accepted."""
        is_accepted = _is_any(asker, self.accept) and not _is_any(asker, self.refuse)
        return None if is_accepted else f"{asker} is refused"

    def judge(self, request: Request, can_set_up: bool, gives_values: bool) -> str | None:
        """Why a request to us is declined; None if it is accepted."""
        kind = request.type
        if why := self.judge_name(request.asker):
            return why
        if request.mode not in self.modes:
            return f"mode {request.mode} is refused"
        if kind.anti or kind.size != 8 or bare_type(kind) not in self.types:
            return f"type {kind.text} is refused"
        if kind.discs and not self.discs[0] <= kind.discs <= self.discs[1]:
            return f"{kind.discs} random discs are refused"
        if kind.discs and not can_set_up:
            return "the engine cannot set up positions"
        if kind.komi and not gives_values:
            return "the engine gives no values, which komi needs"
        if self.equal_clocks and request.asker_clock != request.asked_clock:
            return "the clocks differ"
        # A stored match keeps its clocks.
        return None if request.mode == "S" else self._judge_clock(request.asked_clock)

    def _judge_clock(self, clock: Clock) -> str | None:
        for name, seconds in (("initial", clock.left), ("increment", clock.increment), ("extension", clock.extension)):
            low, high = (parse_time(text) for text in getattr(self, name))
            if not low <= seconds <= high:
                return f"the clock's {name} time is refused"
        return None

    def waits(self, request: Request) -> bool:
        """Whether an acceptable request waits for one of a preferred opponent."""
        return bool(self.prefer) and not _is_any(request.asker, self.prefer)

    def grants(self, what: str, n_moves: int) -> bool:
        """Whether to agree when the opponent asks to undo or abort."""
        rule = self.undo if what == "undo" else self.abort
        return rule == "always" or (rule.isdecimal() and n_moves <= int(rule))


def bare_type(kind: GameType) -> str:
    """A type as the rules name it: without the number of discs and the choice of a color."""
    return f"{'s' if kind.synchro else ''}{kind.size}{'k' if kind.komi else ''}{'r' if kind.discs else ''}"


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def parse_rules(text: str) -> Rules:
    """The rules in a TOML file, with defaults for everything it does not set."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadRules(f"not TOML: {error}") from error
    defaults = Rules()
    given: dict[str, Any] = {}
    known = {one.name for one in fields(Rules)}
    for name, value in table.items():
        if name not in known:
            raise BadRules(f"unknown rule '{name}'; there are {', '.join(sorted(known))}")
        given[name] = _checked(name, value, getattr(defaults, name))
    rules = Rules(**given)
    if not 1 <= rules.matches <= 8:
        raise BadRules("'matches' must be 1 to 8")
    if rules.resume not in ("own", "all", "never"):
        raise BadRules("'resume' must be own, all or never")
    if rules.undo not in ("always", "never"):
        raise BadRules("'undo' must be always or never")
    if rules.abort not in ("always", "never") and not rules.abort.isdecimal():
        raise BadRules("'abort' must be always, never or a number of moves")
    for one in rules.types:
        kind = GameType.parse(one)
        if kind is None or kind.anti or kind.size != 8 or bare_type(kind) != one:
            raise BadRules(f"'{one}' is no type; types are 8, 8r, 8k, 8kr, and s8 and s8r for synchro")
    if not set(rules.modes) <= set("RUST"):
        raise BadRules("'modes' are R, U, S and T")
    if not (0 <= rules.reserve < math.inf and 0 <= rules.prefer_seconds < math.inf):
        raise BadRules("'reserve' and 'prefer_seconds' must be seconds, from 0 on")
    if len(rules.chat) > 200 or not rules.chat.isprintable() or "\\" in rules.chat:
        raise BadRules("'chat' must be a printable line of at most 200 letters without backslashes")
    return rules


def _checked(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, tuple):
        kind = type(default[0]) if default else str
        if not isinstance(value, list) or not all(type(one) is kind for one in value):
            raise BadRules(f"'{name}' must be a list of {'numbers' if kind is int else 'texts'}")
        if name in ("discs", "initial", "increment", "extension"):
            if len(value) != 2:
                raise BadRules(f"'{name}' must have a lowest and a highest value")
            try:
                low, high = map(parse_time if kind is str else int, value)
            except ValueError as error:
                raise BadRules(f"'{name}': {error}") from error
            if low > high:
                raise BadRules(f"'{name}' must have the lowest value first")
        return tuple(value)
    if isinstance(default, float) and type(value) in (int, float):
        return float(value)
    if type(value) is not type(default):
        raise BadRules(f"'{name}' must be like {default!r}")
    return value
