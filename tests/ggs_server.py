#!/usr/bin/env python3
"""A Generic Game Server for tests, on the loopback interface only. What it imitates is written down in docs/ggs.md.

It knows one real player, the bridge, and house players of its own, who move at random. A plan says which matches they ask
for and which fault is planted in each. Everything wrong that the bridge does is counted. `tests/ggs_games.py` drives it.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

from ggs.clocks import Clock, format_time
from ggs.othello import BLACK, START, WHITE, Position, other, parse_move

# Limits of ours for any second, moves not counted, as each answers a message. What the real server bears is not known; its
# buffer for a user's lines holds 2 KiB.
MOST_LINES, MOST_BYTES = 14, 1000

GARBAGE = [
    b"p\xe9t\xe9: Gr\xfc\xdfe, \xe4\xf6\xfc \xff\xfb\x01\x1b[1mbold\x1b[0m\x07\n",
    "ユーザ: こんにちは\n".encode(),
    b".chat anna: \x00\x01\x02 \xf0\x28\x8c\x28\n",
    b": something new from the server\n",
]
NONSENSE = [
    "/os: frobnicate .5 with vigor",
    "/os: join",
    "/os: update .77 8 K?\n|this is no board",
    "/os: + .77",
    "/os: +   .77 1720.0 nobody   xx:yy//zz 8 U 1720.0 nobody",
    "/os: - match",
    "/os: end",
    "/os: timeout",
    "/os: error",
    "/os:",
    "|a line that belongs to nothing",
    "/os: watch 1 : .41(1)",
    "/os: .5 A 1720 anna: good luck",
    "/os: rating_update .21\n|pamphlet 1720.00 @ 350.00  +316.06 -> 2036.06 @ 254.20",
]


@dataclass
class Plan:
    """A match that a house player asks for."""

    type: str = "8"
    clock: str = "00:20//02:00"
    mode: str = "R"
    fault: str | None = None
    at: int = 10  # The number of moves at which the fault comes.


@dataclass
class Count:
    """What happened, and what the bridge did wrong."""

    games: int = 0
    matches: int = 0
    moves: int = 0
    logins: int = 0
    illegal: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    floods: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    planted: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)  # Seconds from a position sent to its move received.


class Timer:
    """A player's clock by the server's rules."""

    def __init__(self, clock: Clock) -> None:
        self.terms = clock
        self.left = float(clock.left)
        self.started: float | None = None
        self.made = self.since_increment = self.extended_moves = 0
        self.extended = self.soft = self.hard = False
        self.used = 0.0

    def start(self) -> None:
        if self.started is None:
            self.started = time.monotonic()

    def now_left(self) -> float:
        return self.left - (time.monotonic() - self.started if self.started is not None else 0.0)

    def stop(self) -> float:
        """Charges the time since the start; returns it."""
        elapsed = time.monotonic() - (self.started or time.monotonic())
        self.started = None
        self.left -= elapsed
        self.used += elapsed
        self.since_increment += 1
        if self.extended:
            self.extended_moves += 1
        else:
            self.made += 1
        terms = self.terms
        if self.left < 0:
            if self.extended or (terms.moves and terms.loses):
                self.soft = self.hard = True
                return elapsed
            self.soft = self.soft or terms.loses
            self.hard = self.hard or not terms.extension
        if not self.extended:
            if (terms.moves and self.made >= terms.moves) or self.left < 0:
                self._extend()
        elif terms.extension_moves and self.extended_moves >= terms.extension_moves:
            self._extend()
        if self.since_increment >= terms.increment_moves:
            self.left += terms.increment if terms.increment_adds else min(self.used, terms.increment)
            self.since_increment, self.used = 0, 0.0
        return elapsed

    def _extend(self) -> None:
        self.left = self.left + self.terms.extension if self.terms.extension_adds else self.terms.extension
        self.extended, self.extended_moves = True, 0

    def show(self, setting: bool) -> str:
        terms = self.terms

        def part(seconds: float, count: str) -> str:
            text = f"{'-' if seconds < 0 else ''}{format_time(abs(seconds))}"
            return f"{text},{count}" if count else text

        no = ("" if terms.loses else "N", "" if terms.increment_adds else "N", "" if terms.extension_adds else "N")
        if setting:
            first = part(terms.left, no[0] + (str(terms.moves) if terms.moves else ""))
            step = no[1] + (str(terms.increment_moves) if terms.increment_moves != 1 else "")
            second = part(terms.increment, step) if terms.increment else ""
            return f"{first}/{second}/{part(terms.extension, no[2] + (str(terms.extension_moves) or ''))}"
        second = part(terms.increment, f"{no[1]}{self.made}:{terms.increment_moves}") if terms.increment else ""
        third = part(terms.extension, f"{no[2]}{self.made}:{terms.extension_moves}")
        return f"{part(self.now_left(), f'{no[0]}{self.made}:{terms.moves}')}/{second}/{third}"


@dataclass
class Game:
    """One board of a match. `names` are those of the match, `black` is who plays Black."""

    id: str
    black: str
    white: str
    start: Position
    timers: dict[str, Timer]
    position: Position = START
    moves: list[tuple[str, str]] = field(default_factory=list)  # Move, and the text after it.
    komi: float | None = 0.0
    komi_moves: dict[str, tuple[str, float]] = field(default_factory=dict)
    sent_at: float | None = None
    undo_asked: set[str] = field(default_factory=set)

    def to_move(self) -> str:
        return self.black if self.position.side == BLACK else self.white

    def is_over(self) -> bool:
        return self.position.is_over() or any(timer.hard for timer in self.timers.values())

    def result(self, first: str) -> float:
        """In discs for the first name."""
        black = float(self.position.margin())
        for name, timer in self.timers.items():
            lost = -64.0 if name == self.black else 64.0
            if timer.hard:
                black = lost
            elif timer.soft:
                black = min(black, -2.0) if name == self.black else max(black, 2.0)
        return (black - (self.komi or 0.0)) * (1 if first == self.black else -1)


@dataclass
class Match:
    id: str
    names: tuple[str, str]
    plan: Plan
    games: list[Game]
    done: asyncio.Event
    house: str
    held: list[tuple[Game, str]] = field(default_factory=list)  # Moves of a synchro match that wait for the other.
    moved: set[int] = field(default_factory=set)
    planted: bool = False


class Client:
    """A connection: it must log in, and its lines are counted."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        self.name: str | None = None
        self.recent: deque[tuple[float, int]] = deque()
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.halves = False
        self.open = 0

    def text(self, text: str) -> None:
        """A message; `READY` follows."""
        first, *rest = text.split("\n")
        lines = [first, *(line if line.startswith("|") else f"|{line}" for line in rest), "READY"]
        self.raw("".join(f"{line}\n" for line in lines).encode())

    def raw(self, data: bytes) -> None:
        self.queue.put_nowait(data)

    async def write(self) -> None:
        rng = random.Random(1)
        try:
            while (data := await self.queue.get()) is not None:
                while data:
                    n = rng.randint(1, 40) if self.halves else len(data)
                    self.writer.write(data[:n])
                    data = data[n:]
                    if self.halves:
                        await self.writer.drain()
                        await asyncio.sleep(0)
                await self.writer.drain()
        except OSError:
            pass
        finally:
            self.writer.close()

    async def run(self) -> None:
        writing = asyncio.create_task(self.write())
        try:
            self.raw(b": Enter login (yours, or one you'd like to use).\n")
            name = await self.line()
            self.raw(b": Enter your password.\n")
            password = await self.line()
            if password != self.server.password:
                self.raw(b": ERR Password is incorrect.\n")
                return
            self.name = name
            self.server.joined(self)
            self.text(": welcome\nThis server is for tests.")
            while True:
                self.server.command(self, await self.line())
        except (EOFError, OSError, ConnectionError):
            pass
        finally:
            self.server.left(self)
            self.queue.put_nowait(None)
            await writing

    async def line(self) -> str:
        data = await self.reader.readline()
        if not data.endswith(b"\n"):
            raise EOFError
        now = time.monotonic()
        if not data.startswith(b"tell /os play "):
            self.recent.append((now, len(data)))
        while self.recent and self.recent[0][0] < now - 1.0:
            self.recent.popleft()
        if len(self.recent) > MOST_LINES or sum(size for _, size in self.recent) > MOST_BYTES:
            self.server.count.floods.append(f"{len(self.recent)} lines in a second")
            raise EOFError
        return data.decode("utf-8", "replace").strip()


class Server:
    """The central server and the Othello service in one."""

    def __init__(self, player: str, password: str, seed: int, on_fault: Callable[[str], None]) -> None:
        self.player, self.password = player, password
        self.rng = random.Random(seed)
        self.on_fault = on_fault  # Faults that only the driver can plant.
        self.count = Count()
        self.client: Client | None = None
        self.matches: dict[str, Match] = {}
        self.requests: dict[str, tuple[str, Plan, asyncio.Event, str | None]] = {}
        self.stored: dict[str, Match] = {}
        self.ghost: str | None = None
        self.next_id = 1
        self.service = True
        self.is_open = asyncio.Event()
        self.port = 0
        self.log: Callable[[str], None] = lambda text: None

    async def listen(self) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await Client(self, reader, writer).run()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    def new_id(self) -> str:
        self.next_id += 1
        return f".{self.next_id}"

    # --- People ---

    def joined(self, client: Client) -> None:
        if client.name != self.player:
            self.count.wrong.append(f"login as {client.name}")
        self.count.logins += 1
        self.client = client

    def left(self, client: Client) -> None:
        if self.client is not client:
            return
        self.client = None
        self.is_open.clear()
        self.requests.clear()
        for match in list(self.matches.values()):
            if self.ghost != match.id:
                self.break_off(match)

    def break_off(self, match: Match) -> None:
        """Stores a match; its clocks stop."""
        del self.matches[match.id]
        for game in match.games:
            for timer in game.timers.values():
                if timer.started is not None:
                    timer.left -= time.monotonic() - timer.started
                    timer.started = None
        # Both boards of a synchro match have the same number of moves when it goes on.
        if len(match.games) == 2:
            shortest = min(len(game.moves) for game in match.games)
            for game in match.games:
                if len(game.moves) > shortest and not game.is_over():
                    self.take_back(game)
        match.held.clear()
        self.stored[f".{1000 + self.next_id}"] = match
        self.next_id += 1

    def say(self, text: str) -> None:
        if self.client:
            self.log(f"> {text.splitlines()[0]}")
            self.client.text(text)

    # --- Commands ---

    def command(self, client: Client, line: str) -> None:
        self.log(f"< {line}")
        words = line.split()
        if not words:
            return
        if self.password in line:
            self.count.wrong.append("the password was said again")
        match words:
            case ["tell", "/os", *rest] if self.service:
                self.serve(client, rest)
            case ["tell", "/os", *_]:
                client.raw(b": ERR user '/os' not found.\nREADY\n")
            case ["tell", name, *_]:
                self.log(f"chat to {name}")
            case ["quit"]:
                raise EOFError
            case ["verbose" | "vt100" | "bell" | "notify", *_]:
                client.raw(b"READY\n")
            case _:
                self.count.wrong.append(f"unknown command {line}")

    def serve(self, client: Client, words: list[str]) -> None:
        match words:
            case ["client" | "vt100" | "bell" | "trust" | "rated" | "request", *_] | ["stored", "+"]:
                pass
            case ["open", n]:
                client.open = int(n)
                self.is_open.set() if client.open else self.is_open.clear()
            case ["stored"]:
                rows = [
                    f"{id_:8} 23 Nov 2026 07:00:00 {m.names[0]:8} {m.names[1]:8} {m.plan.type}:l"
                    for id_, m in self.stored.items()
                ]
                self.say("\n".join([f"/os: stored {len(rows)} {self.player}", *rows]))
            case ["match", _]:
                rows = [
                    f" {m.id:>4} {m.plan.type:>7}  {m.plan.mode} 1720 {m.names[0]} 1720 {m.names[1]} 1"
                    for m in self.matches.values()
                ]
                self.say("\n".join([f"/os: match {len(rows)}/{len(rows)}", *rows]))
            case ["moves", id_] if id_ in self.matches:
                for game in self.matches[id_].games:
                    self.send_whole(self.matches[id_], game)
            case ["accept", id_] if id_ in self.requests:
                house, plan, done, counter = self.requests.pop(id_)
                self.begin(house, plan, done)
            case ["decline", id_] if id_ in self.requests:
                _, plan, done, _ = self.requests.pop(id_)
                self.count.wrong.append(f"declined {plan.type}")
                done.set()
            case ["ask", counter] if counter in self.stored:
                self.go_on_with(counter)
            case ["play", id_, text]:
                self.play(id_, text)
            case ["undo", id_] if id_ in self.matches:
                self.undo(self.matches[id_], self.player)
            case ["abort", _]:
                self.count.wrong.append("agreed to abort")
            case ["accept" | "ask" | "moves" | "decline" | "undo", *_]:
                self.say(f"/os: ERR '{words[-1]}' not found.")
            case _:
                self.count.wrong.append(f"unknown command {words}")

    # --- Matches ---

    async def run_plan(self, house: str, plans: list[Plan]) -> None:
        """A house player asks for one match after the other."""
        for plan in plans:
            await self.is_open.wait()
            await asyncio.sleep(0.02)
            done = asyncio.Event()
            id_ = self.new_id()
            self.requests[id_] = (house, plan, done, None)
            self.say(f"/os: + {id_:>4} 1720.0 {house:8} {plan.clock:>18} {plan.type:>8} {plan.mode} 1720.0 {self.player:8}")
            await done.wait()

    def begin(self, house: str, plan: Plan, done: asyncio.Event) -> None:
        id_ = self.new_id()
        names = (house, self.player) if self.rng.random() < 0.5 else (self.player, house)
        start = START
        if "r" in plan.type:
            start = self.random_start(int(plan.type.split("r")[1]))
        n_games = 2 if plan.type.startswith("s") else 1
        games = []
        for n in range(n_games):
            black, white = names if n == 0 else names[::-1]
            timers = {name: Timer(Clock.parse(plan.clock)) for name in names}
            games.append(Game(f"{id_}.{n}" if n_games == 2 else id_, black, white, start, timers, start))
            if "k" in plan.type:
                games[-1].komi = None
        self.start_match(Match(id_, names, plan, games, done, house))

    def random_start(self, n_discs: int) -> Position:
        while True:
            position = START
            for _ in range(n_discs - 4):
                moves = position.moves()
                if not moves:
                    break
                position = position.play(self.rng.choice(moves)) or position
            if not position.is_over():
                return position

    def start_match(self, match: Match) -> None:
        self.matches[match.id] = match
        mode = match.plan.mode
        self.say(f"/os: + match {match.id} 1720 {match.names[0]} 1720 {match.names[1]} {match.plan.type} {mode} ")
        for game in match.games:
            self.send_whole(match, game)
        match.moved = {n for n, game in enumerate(match.games) if game.is_over()}
        for game in match.games:
            self.start_clock(match, game)

    def go_on_with(self, counter: str) -> None:
        match = self.stored.pop(counter)
        match.id = self.new_id()
        for n, game in enumerate(match.games):
            game.id = f"{match.id}.{n}" if len(match.games) == 2 else match.id
        self.start_match(match)

    def start_clock(self, match: Match, game: Game) -> None:
        if game.is_over():
            return
        if game.komi is None:
            for timer in game.timers.values():
                timer.start()
        else:
            game.timers[game.to_move()].start()
        if game.komi is None or game.to_move() == match.house:
            asyncio.get_running_loop().call_later(0.001, self.house_moves, match, game, len(game.moves))

    def house_moves(self, match: Match, game: Game, n_moves: int) -> None:
        if self.matches.get(match.id) is not match or len(game.moves) != n_moves or game.is_over():
            return
        if game.komi is None:
            if match.house not in game.komi_moves:
                self.play_komi(match, game, match.house, self.rng.choice(game.position.moves()), 1.0)
        elif game.to_move() == match.house:
            self.move(match, game, match.house, self.rng.choice(game.position.moves()), "")

    # --- Moves ---

    def play(self, id_: str, text: str) -> None:
        """The bridge's move."""
        match = self.matches.get("." + id_.split(".")[1])
        game = next((game for game in match.games if game.id == id_), None) if match else None
        if match is None or game is None:
            self.say(f"/os: ERR match '{id_}' not found.")
            return
        move_text, _, rest = text.partition("/")
        move = parse_move(move_text)
        if game.komi is None and move and game.position.play(move):
            self.play_komi(match, game, self.player, move, float(rest.split("/")[0] or 0))
            return
        if game.to_move() != self.player or game.timers[self.player].started is None:
            self.say(f"/os: error {id_} not your turn")
            return
        if self.plant_at_move(match, game, move):
            return
        if move is None or game.position.play(move) is None:
            self.count.illegal.append(f"{id_} {text} after {len(game.moves)} moves")
            self.say(f"/os: error {id_} illegal move")
            return
        if game.sent_at is not None:
            self.count.delays.append(time.monotonic() - game.sent_at)
        self.count.moves += 1
        self.move(match, game, self.player, move, rest)

    def play_komi(self, match: Match, game: Game, name: str, move: str, value: float) -> None:
        game.komi_moves[name] = (move, value)
        game.timers[name].stop()
        if len(game.komi_moves) < 2:
            return
        values = [game.komi_moves[name][1] for name in match.names]
        komi = sum(values) / 2
        mover = match.names[0] if values[0] > komi else match.names[1]
        rest = match.names[mover == match.names[0]]
        game.black, game.white = (mover, rest) if game.position.side == BLACK else (rest, mover)
        game.komi = komi if game.position.side == BLACK else -komi
        game.moves.append((game.komi_moves[mover][0], f"{game.komi_moves[mover][1]:.2f}"))
        game.position = game.position.play(game.komi_moves[mover][0]) or game.position
        self.send_whole(match, game)
        self.start_clock(match, game)

    def move(self, match: Match, game: Game, name: str, move: str, rest: str) -> None:
        elapsed = game.timers[name].stop()
        value = rest.split("/")[0]
        details = f"/{value}" if value else ""
        if elapsed >= 0.005:
            details = f"/{value}/{elapsed:.2f}"
        game.position = game.position.play(move) or game.position
        game.moves.append((move, details[1:]))
        game.undo_asked.clear()
        timer = game.timers[name]
        if timer.soft or timer.hard:
            if name == self.player and game.id not in self.count.late:
                self.count.late.append(game.id)
            self.say(f"/os: {'fatal-timeout' if timer.hard else 'timeout'} {game.id} {name} (*)")
        if len(match.games) == 1:
            self.after_move(match, game)
            self.start_clock(match, game)
            return
        # In a synchro match the opponent sees a move when both have moved.
        match.moved.add(match.games.index(game))
        if name == self.player:
            self.after_move(match, game)
        else:
            match.held.append((game, name))
        if len(match.moved) == 2 and self.matches.get(match.id) is match:
            held, match.held = match.held, []
            match.moved = {n for n, one in enumerate(match.games) if one.is_over()}
            for one, _ in held:
                self.after_move(match, one)
            for one in match.games:
                self.start_clock(match, one)

    def after_move(self, match: Match, game: Game) -> None:
        self.send_update(match, game)
        if game.is_over():
            self.count.games += 1
            if len(match.games) == 2:
                self.say(
                    f"/os: end {game.id} ( {match.names[0]} vs. {match.names[1]} ) {game.result(match.names[0]):+.2f} "
                )
        if all(one.is_over() for one in match.games) and not match.held:
            result = sum(one.result(match.names[0]) for one in match.games) / len(match.games)
            self.matches.pop(match.id, None)
            self.count.matches += 1
            self.say(
                f"/os: - match {match.id} 1720 {match.names[0]} 1720 {match.names[1]} {match.plan.type} "
                f"{match.plan.mode} {result:+.2f} {f'.{5000 + self.next_id}' if match.plan.mode == 'R' else ''}"
            )
            match.done.set()
        else:
            self.plant(match, game)

    def take_back(self, game: Game) -> None:
        game.moves.pop()
        position = game.start
        for move, _ in game.moves:
            position = position.play(move) or position
        game.position = position

    def undo(self, match: Match, name: str) -> None:
        game = match.games[0]
        game.undo_asked.add(name)
        if len(game.undo_asked) < 2:
            self.say(f"/os: undo {game.id} {name} is asking")
            return
        game.undo_asked.clear()
        for timer in game.timers.values():
            if timer.started is not None:
                timer.left -= time.monotonic() - timer.started
                timer.started = None
        self.take_back(game)
        self.send_whole(match, game)
        self.start_clock(match, game)

    # --- What the bridge sees ---

    def clocks(self, game: Game, setting: bool) -> list[str]:
        black, white = (BLACK, WHITE) if game.komi is not None else ("?", "?")
        return [
            f"{name:8} ({1720.0:6.1f} {color}) {game.timers[name].show(setting)}"
            for name, color in ((game.black, black), (game.white, white))
        ]

    def board(self, position: Position) -> list[str]:
        letters = "   A B C D E F G H"
        rows = [f" {n + 1} {' '.join(position.cells[8 * n : 8 * n + 8])} {n + 1} " for n in range(8)]
        return [letters, *rows, letters, "", f"{position.side} to move"]

    def header(self, word: str, match: Match, game: Game) -> str:
        komi = "?" if "k" not in match.plan.type or game.komi is None else f"{game.komi:g}"
        return f"/os: {word} {game.id} {match.plan.type} K{komi}"

    def last(self, game: Game, n_moves: int) -> str:
        if not n_moves:
            return "  0: PASS"
        return f"{n_moves:3}: {'/'.join(part for part in game.moves[n_moves - 1] if part)}"

    def shown(self, match: Match, game: Game) -> tuple[int, Position]:
        """What the bridge may see: not the opponent's move in a synchro match before both have moved."""
        if any(held is game for held, _ in match.held):
            position = game.start
            for move, _ in game.moves[:-1]:
                position = position.play(move) or position
            return len(game.moves) - 1, position
        return len(game.moves), game.position

    def send_whole(self, match: Match, game: Game) -> None:
        n_moves, position = self.shown(match, game)
        lines = [self.header("join", match, game), f"{n_moves} move(s)"]
        if n_moves:
            lines += [*self.clocks(game, True), "", *self.board(game.start)]
            lines += [self.last(game, n) for n in range(1, n_moves)]
        lines += [self.last(game, n_moves), *self.clocks(game, False), "", *self.board(position)]
        self.say("\n".join(lines))
        game.sent_at = None

    def send_update(self, match: Match, game: Game, shown: Position | None = None) -> None:
        n_moves, position = self.shown(match, game)
        lines = [self.header("update", match, game), self.last(game, n_moves), *self.clocks(game, False), ""]
        lines += self.board(shown or position)
        fault = match.plan.fault
        if fault == "encodings" and self.client:
            self.client.raw(self.rng.choice(GARBAGE))
        if fault == "unknown":
            self.say(self.rng.choice(NONSENSE))
        if n_moves == match.plan.at and not match.planted and fault in ("damaged", "disagree", "contradict"):
            self.planted(match)
            if fault == "damaged":
                lines = lines[: self.rng.randint(2, len(lines) - 1)]
            elif shown is None:
                wrong = self.with_wrong_disc(position)
                if fault == "contradict":
                    game.position = wrong
                self.send_update(match, game, wrong)
                return
        self.say("\n".join(lines))
        game.sent_at = time.monotonic() if game.to_move() == self.player else None

    def with_wrong_disc(self, position: Position) -> Position:
        """The position with one disc turned over, in which the side to move still has a move."""
        places = [n for n, cell in enumerate(position.cells) if cell != "-"]
        self.rng.shuffle(places)
        for place in places:
            cells = position.cells[:place] + other(position.cells[place]) + position.cells[place + 1 :]
            if Position(cells, position.side).placings(position.side):
                return Position(cells, position.side)
        return position

    # --- Faults ---

    def planted(self, match: Match) -> None:
        match.planted = True
        self.count.planted.append(match.plan.fault or "")
        self.log(f"planted {match.plan.fault} in {match.id}")

    def plant(self, match: Match, game: Game) -> None:
        """Faults between moves."""
        fault = match.plan.fault
        if self.client:
            self.client.halves = fault == "halves"
        if match.planted or len(game.moves) < match.plan.at or fault is None:
            return
        loop = asyncio.get_running_loop()
        match fault:
            case "drop" | "ghost" if self.client:
                self.planted(match)
                self.ghost = match.id if fault == "ghost" else None
                loop.call_soon(self.client.writer.transport.abort)
            case "down":
                self.planted(match)
                loop.call_soon(self.go_down)
            case "kill" | "stop":
                self.planted(match)
                self.on_fault(fault)
            case "undo" | "abort":
                self.planted(match)
                if fault == "undo":
                    game.undo_asked.add(match.house)
                self.say(f"/os: {fault} {game.id} {match.house} is asking")
            case "chat" if self.client:
                self.planted(match)
                for _ in range(20):
                    self.client.raw(f"{match.house}: are you a program?\nREADY\n".encode())
            case "halves" | "encodings" | "unknown":
                self.planted(match)

    def plant_at_move(self, match: Match, game: Game, move: str | None) -> bool:
        """Faults in answer to a move of the bridge; whether the move is lost."""
        if match.planted or len(game.moves) < match.plan.at or match.plan.fault not in ("refuse", "deaf"):
            return False
        if match.plan.fault == "refuse" and len(game.position.moves()) < 2:
            return False
        self.planted(match)
        if match.plan.fault == "refuse":
            self.say(f"/os: error {game.id} illegal move")
        return True

    def go_down(self) -> None:
        """The Othello service restarts."""
        self.service = False
        for match in list(self.matches.values()):
            self.break_off(match)
        self.is_open.clear()
        if self.client:
            self.client.raw(b": - /os 1\nREADY\n")

        def come_up() -> None:
            self.service = True
            if self.client:
                self.client.raw(b": + /os 1\nREADY\n")

        asyncio.get_running_loop().call_later(0.3, come_up)

    def late_games(self) -> None:
        """Clocks that run out while nobody moves."""
        for game in [game for match in self.matches.values() for game in match.games]:
            timer = game.timers[self.player]
            is_late = timer.started is not None and timer.now_left() < 0 and not timer.extended and timer.terms.loses
            if is_late and game.id not in self.count.late:
                self.count.late.append(game.id)
