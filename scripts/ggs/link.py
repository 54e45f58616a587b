"""The connection as the bridge sees it: login, messages, signs of life, and lines that wait for their turn. No sockets here."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from . import messages as m
from .state import Send

PROBE_AFTER = 60.0  # Seconds of silence after which the server is asked for a sign of life,
PROBE_PATIENCE = 30.0  # and within which it must give one.
LOGIN_PATIENCE = 60.0  # Seconds for a whole login.
READY_PATIENCE = 0.5  # Seconds until a message without its end counts as whole.
LINES_AT_ONCE, LINES_PER_SECOND = 8, 4.0


@dataclass(frozen=True)
class LoggedIn:
    """The login is done."""


@dataclass(frozen=True)
class Lost:
    """The connection is useless; `final` if another would be, too."""

    why: str
    final: bool = False


@dataclass(frozen=True)
class Quiet:
    """The server has been silent for long: send it something to answer."""


@dataclass
class Outgoing:
    """Lines that wait for their turn, so that the server never sees a flood. Moves do not come here: each answers a message
    of the server."""

    waiting: deque[Send] = field(default_factory=deque)
    tokens: float = LINES_AT_ONCE
    filled: float = 0.0

    def due(self, now: float) -> list[Send]:
        """The lines that may go now."""
        self.tokens = min(LINES_AT_ONCE, self.tokens + (now - self.filled) * LINES_PER_SECOND)
        self.filled = now
        ready = []
        while self.waiting and self.tokens >= 1:
            ready.append(self.waiting.popleft())
            self.tokens -= 1
        return ready

    def next(self) -> float | None:
        """When the next line may go."""
        return self.filled + max(0.0, 1 - self.tokens) / LINES_PER_SECOND + 0.001 if self.waiting else None


class Link:
    """The current connection."""

    def __init__(self, login: str, password: str) -> None:
        self.login, self._password = login, password
        self.to_send: list[Send] = []
        self._phase = "offline"  # then greeted, named, secret (the password is sent), online
        self._was_online = False
        self._n_errors = 0
        self._lines, self._blocks = m.Lines(), m.Blocks()
        self._outgoing = Outgoing()
        self._connected_at = self._heard = 0.0
        self._probed: float | None = None

    def is_online(self) -> bool:
        """Whether we are logged in."""
        return self._phase == "online"

    def is_connected(self) -> bool:
        """Whether there is a connection."""
        return self._phase != "offline"

    def connected(self, now: float) -> None:
        """Call it when a connection is open."""
        self._phase, self._probed = "greeted", None
        self._lines, self._blocks = m.Lines(), m.Blocks()
        self._outgoing.waiting.clear()
        self._connected_at = self._heard = now

    def disconnected(self) -> None:
        """Call it when the connection is lost; drops unsent lines."""
        self._phase = "offline"
        self.to_send.clear()

    def received(self, data: bytes, now: float) -> list[object]:
        """The messages in the server's bytes, and events of the connection."""
        self._heard, self._probed = now, None
        found: list[object] = []
        for line in self._lines.feed(data):
            if self._phase == "online":
                found += [m.parse(block, self.login) for block in self._blocks.feed(line)]
            elif line.strip() == "READY" and self._phase == "secret":
                self._phase, self._was_online, self._n_errors = "online", True, 0
                found.append(LoggedIn())
            else:
                # No READY follows a prompt.
                found += self._log_in(line)
        # Nor need it end its line.
        if self._phase in ("greeted", "named"):
            found += self._log_in(self._lines.prompt())
        return found

    def _log_in(self, line: str) -> list[object]:
        match m.parse([line], self.login):
            case m.LoginPrompt() if self._phase == "greeted":
                self.to_send.append(Send(self.login))
                self._phase = "named"
            case m.PasswordPrompt() if self._phase == "named":
                self.to_send.append(Send(self._password, secret=True))
                self._phase = "secret"
            case m.ServerError(text) if self.is_connected():
                # A server that has not yet noticed that we were gone may refuse a second login for a while.
                self._n_errors += 1
                return [Lost(f"the server refuses the login: {text}", not self._was_online or self._n_errors > 5)]
        return []

    def say(self, line: str) -> None:
        """Sends a line when its turn comes; never while we are not logged in."""
        if self._phase == "online":
            self._outgoing.waiting.append(Send(line))

    def say_at_once(self, line: str) -> None:
        """Sends a line that answers a message."""
        if self._phase == "online":
            self.to_send.append(Send(line))

    def take(self, now: float) -> list[Send]:
        """The lines to send now."""
        taken, self.to_send = self.to_send, []
        return taken + (self._outgoing.due(now) if self._phase == "online" else [])

    def deadline(self) -> float | None:
        """When to call `tick`."""
        if self._phase == "offline":
            return None
        if self._phase != "online":
            return self._connected_at + LOGIN_PATIENCE
        times = [self._probed + PROBE_PATIENCE if self._probed is not None else self._heard + PROBE_AFTER]
        if (at := self._outgoing.next()) is not None:
            times.append(at)
        if self._blocks.is_open():
            times.append(self._heard + READY_PATIENCE)
        return min(times)

    def tick(self, now: float) -> list[object]:
        """What the time means: the same as for `received`."""
        found: list[object] = []
        if self._phase == "online":
            if self._blocks.is_open() and now >= self._heard + READY_PATIENCE:
                found += [m.parse(block, self.login) for block in self._blocks.flush()]
            if self._probed is not None and now >= self._probed + PROBE_PATIENCE:
                found.append(Lost("the server is silent"))
            elif self._probed is None and now >= self._heard + PROBE_AFTER:
                self._probed = now
                found.append(Quiet())
        elif self._phase != "offline" and now >= self._connected_at + LOGIN_PATIENCE:
            found.append(Lost("the login takes too long"))
        return found
