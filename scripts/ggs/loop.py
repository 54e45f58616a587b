"""Sockets, processes, files and signals around the bridge, and its command line."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import queue
import re
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from .bridge import Bridge
from .dialogue import Dialogue, Event, Gtp, NBoard
from .engine import Engine
from .rules import BadRules, Rules, parse_rules
from .state import End, Hangup, Note, Send, Start, Store, Think

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # Seconds before connecting again, doubled each time,
HELD = 60.0  # until a login has held for so long.
CONNECT_PATIENCE = 20.0  # Seconds for one address of the server.


class Failure(Exception):
    """An error that ends the program with a message."""


class Files:
    """The log and the file of games."""

    def __init__(self, log: Path | None, games: Path, password: str) -> None:
        self._password = password
        self._log: TextIO | None = None
        self._games_path = games
        try:
            if log:
                self._log = open(log, "a", encoding="utf-8", buffering=1)
            # Better now than after the first game.
            with open(games, "a", encoding="utf-8"):
                pass
        except OSError as error:
            raise Failure(f"cannot write {error.filename}: {error.strerror}") from error

    def log(self, text: str) -> None:
        """A line with the time. The password never appears."""
        if self._log:
            stamp = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
            try:
                self._log.write(f"{stamp} {text.replace(self._password, '(password)')}\n")
            except OSError as error:
                # A match goes on without its log.
                name, self._log = self._log.name, None
                self.note(f"cannot write {name}: {error.strerror}; the log ends")

    def note(self, text: str) -> None:
        """A line for the user."""
        self.log(f"* {text}")
        with contextlib.suppress(OSError):
            print(text.replace(self._password, "(password)"), file=sys.stderr, flush=True)

    def store(self, action: Store) -> None:
        """Adds a game; it is on the disk when this returns."""
        date = datetime.datetime.now(datetime.UTC).strftime("%Y.%m.%d_%H:%M:%S.UTC")
        text = action.record.ggf(action.result, date)
        try:
            with open(self._games_path, "a", encoding="utf-8") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self.note(f"cannot write {self._games_path}: {error.strerror}; the game is {text}")


class Loop:
    """Waits for the server, the engines, signals and deadlines, and carries out the bridge's actions."""

    def __init__(
        self, bridge: Bridge, server: tuple[str, int], command: list[str], dialogue: type[Dialogue], files: Files
    ) -> None:
        self._bridge, self._server, self._command, self._dialogue = bridge, server, command, dialogue
        self._files = files
        self._engines: list[Engine] = []
        self._socket: socket.socket | None = None
        self._unsent = b""
        self._pause = FIRST_PAUSE
        self._connect_at: float | None = 0.0  # None while connecting and connected.
        self._connections: queue.SimpleQueue[socket.socket | str] = queue.SimpleQueue()
        self._online_since: float | None = None
        self._status: int | None = None
        self._wake_reader, self._wake_writer = socket.socketpair()
        self._n_signals = self._n_heard = 0

    def run(self) -> int:
        """Runs until the bridge has logged out; returns the exit status."""
        for end in (self._wake_reader, self._wake_writer):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake_writer.fileno())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._signalled)
        try:
            self._engine(0).start(time.monotonic())
            self._do_actions()
            while self._status is None:
                self._step()
            return self._status
        finally:
            signal.set_wakeup_fd(-1)
            for engine in self._engines:
                engine.end()
            if self._socket:
                self._socket.close()

    def _signalled(self, _number: int, _frame: object) -> None:
        self._n_signals += 1

    def _engine(self, seat: int) -> Engine:
        while len(self._engines) <= seat:
            n = len(self._engines)

            def on_event(event: Event, n: int = n) -> None:
                self._bridge.engine_event(n, event, time.monotonic())

            def on_death(why: str, n: int = n) -> None:
                self._bridge.engine_died(n, why, time.monotonic())

            def log(text: str, n: int = n) -> None:
                self._files.log(f"engine {n + 1} {text}")

            self._engines.append(Engine(self._command, self._dialogue, on_event, on_death, log))
        return self._engines[seat]

    def _step(self) -> None:
        now = time.monotonic()
        if self._connect_at is not None and now >= self._connect_at:
            self._connect()
        times = [at for at in (self._bridge.deadline(), self._connect_at) if at is not None]
        times += [engine.deadline for engine in self._engines if engine.deadline is not None]
        # A new selector for each wait keeps no descriptor of an engine that has been started anew.
        with selectors.DefaultSelector() as selector:
            waiting: dict[int, tuple[int, list[Callable[[], None]]]] = {}

            def wait_for(fd: int | None, event: int, act: Callable[[], None]) -> None:
                if fd is not None:
                    events, acts = waiting.get(fd, (0, []))
                    waiting[fd] = (events | event, [*acts, act])

            wait_for(self._wake_reader.fileno(), selectors.EVENT_READ, self._wake)
            if self._socket:
                wait_for(self._socket.fileno(), selectors.EVENT_READ, self._receive)
                if self._unsent:
                    wait_for(self._socket.fileno(), selectors.EVENT_WRITE, self._send)
            for engine in self._engines:
                wait_for(engine.outputs(), selectors.EVENT_READ, engine.read)
                wait_for(engine.inputs(), selectors.EVENT_WRITE, engine.write)
            for fd, (events, _) in waiting.items():
                selector.register(fd, events)
            ready = selector.select(max(0.0, min(times) - now) if times else None)
            for key, _ in ready:
                for act in waiting[key.fd][1]:
                    act()
                self._do_actions()
        now = time.monotonic()
        for engine in self._engines:
            engine.tick(now)
        self._bridge.tick(now)
        if self._n_signals > self._n_heard:
            self._n_heard = self._n_signals
            self._bridge.leave(now, at_once=self._n_signals > 1)
        self._do_actions()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake_reader.recv(64)
        with contextlib.suppress(queue.Empty):
            self._connected(self._connections.get_nowait())

    def _connect(self) -> None:
        """Connects in a thread of its own: names and addresses may take long, and engines and signals do not wait."""
        self._connect_at = None

        def connect() -> None:
            try:
                self._connections.put(socket.create_connection(self._server, timeout=CONNECT_PATIENCE))
            except (OSError, UnicodeError) as error:
                self._connections.put(str(error))
            # Where it blocks or is closed already, the loop is awake or has ended.
            with contextlib.suppress(OSError):
                self._wake_writer.send(b"\0")

        threading.Thread(target=connect, daemon=True).start()

    def _connected(self, found: socket.socket | str) -> None:
        if isinstance(found, str):
            self._files.note(f"cannot connect to {self._server[0]}:{self._server[1]}: {found}")
            self._connect_later(time.monotonic())
            return
        self._socket = found
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._socket.setblocking(False)
        self._unsent = b""
        self._files.log("* connected")
        self._bridge.connected(time.monotonic())

    def _connect_later(self, now: float) -> None:
        self._connect_at = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _disconnect(self, why: str) -> None:
        if self._socket:
            self._files.note(f"disconnected: {why}")
            self._socket.close()
            self._socket = None
            now = time.monotonic()
            # What follows a login says nothing of the next one; that it held does.
            if self._online_since is not None and now >= self._online_since + HELD:
                self._pause = FIRST_PAUSE
            self._online_since = None
            self._connect_later(now)
            self._bridge.disconnected(now)

    def _receive(self) -> None:
        if self._socket is None:
            return
        try:
            data = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as error:
            self._disconnect(str(error.strerror))
            return
        if not data:
            self._disconnect("the server closed the connection")
            return
        for line in data.split(b"\n"):
            self._files.log(f"> {line.decode('utf-8', 'backslashreplace').rstrip()}")
        now = time.monotonic()
        self._bridge.received(data, now)
        if self._online_since is None and self._bridge.is_online():
            self._online_since = now

    def _send(self) -> None:
        if self._socket is None:
            return
        try:
            self._unsent = self._unsent[self._socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._disconnect(str(error.strerror))

    def _do_actions(self) -> None:
        while actions := self._bridge.take():
            for action in actions:
                self._do(action)

    def _do(self, action: object) -> None:
        match action:
            case Send() if self._socket:
                self._files.log(f"< {'(password)' if action.secret else action.line}")
                self._unsent += action.line.encode("utf-8", "replace") + b"\n"
                self._send()
            case Think():
                self._engine(action.seat).think(action.turn, time.monotonic())
            case Start():
                self._engine(action.seat).start(time.monotonic())
            case End():
                self._engine(action.seat).end()
            case Store():
                self._files.store(action)
            case Note():
                self._files.note(action.text)
            case Hangup():
                self._hang_up(action)

    def _hang_up(self, action: Hangup) -> None:
        self._disconnect(action.why)
        if action.final:
            self._status = 1 if action.failed else 0


def _read_password(path: Path) -> str:
    try:
        if path.stat().st_mode & 0o077:
            raise Failure(f"{path} can be read by others; chmod 600 it")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from error
    if not lines or not lines[0].strip():
        raise Failure(f"{path} has no password in its first line")
    return lines[0].strip()


def _read_rules(path: Path | None) -> Rules:
    if path is None:
        return Rules()
    try:
        return parse_rules(path.read_text(encoding="utf-8"))
    except BadRules as error:
        raise Failure(f"{path}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not UTF-8'}") from error


def _server(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise argparse.ArgumentTypeError("HOST:PORT is expected")
    return host.strip("[]"), int(port)


def _login(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9+~-][A-Za-z0-9+~._-]{1,7}", text):
        raise argparse.ArgumentTypeError("a login has 2 to 8 letters and digits")
    return text


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Plays Othello on the Generic Game Server with an engine that speaks GTP or NBoard.",
        epilog="The first Ctrl-C leaves when the matches are over, the second at once. "
        "Exit status: 0 left, 1 failed, 2 wrong usage.",
    )
    parser.add_argument("--server", type=_server, required=True, metavar="HOST:PORT", help="such as skatgame.net:5000")
    parser.add_argument("--login", type=_login, required=True, metavar="NAME")
    parser.add_argument("--password-file", type=Path, required=True, metavar="FILE", help="its first line is the password")
    parser.add_argument("--rules", type=Path, metavar="FILE", help="which requests to accept; see docs/ggs.md")
    parser.add_argument(
        "--games", type=Path, default=Path("ggs-games.ggf"), metavar="FILE", help="games are added here (%(default)s)"
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="everything that is said, without the password")
    parser.add_argument(
        "--protocol", choices=("gtp", "nboard"), help="the engine's; by default what its command names, else gtp"
    )
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the engine, after --")
    arguments = parser.parse_args()
    protocol = arguments.protocol or (
        "nboard" if any(word.lstrip("-") == "nboard" for word in arguments.command) else "gtp"
    )
    try:
        password = _read_password(arguments.password_file)
        rules = _read_rules(arguments.rules)
        files = Files(arguments.log, arguments.games, password)
    except Failure as failure:
        print(f"ggs: {failure}", file=sys.stderr)
        return 1
    bridge = Bridge(arguments.login, password, rules)
    dialogue = NBoard if protocol == "nboard" else Gtp
    return Loop(bridge, arguments.server, arguments.command, dialogue, files).run()
