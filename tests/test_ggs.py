#!/usr/bin/env python3
"""Tests of the bridge to the Generic Game Server, nearly all without sockets and processes.

    python3 -m unittest tests/test_ggs.py

The messages have the form that clients and the server's own sources show; docs/ggs.md names them.
"""

from __future__ import annotations

import io
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))

from ggs import messages as m
from ggs.bridge import Bridge
from ggs.clocks import Clock, budget, format_time, parse_time
from ggs.dialogue import Answer, Disagreement, Gtp, NBoard, Ready, Turn
from ggs.loop import FIRST_PAUSE, HELD, Files, Loop
from ggs.messages import Blocks, GameType, Lines, Played
from ggs.othello import BLACK, PASS, START, WHITE, Position, parse_move, spare_move
from ggs.record import Record
from ggs.rules import BadRules, parse_rules
from ggs.state import Action, End, Hangup, Note, Send, Start, Store, Think

LETTERS = "|   A B C D E F G H"
NO_MOVE = Position("-------------------*-------**--O---***OO-----*-O-----*----------", BLACK)


def board(position: Position) -> list[str]:
    rows = [f"| {n + 1} {' '.join(position.cells[8 * n : 8 * n + 8])} {n + 1} " for n in range(8)]
    return [LETTERS, *rows, LETTERS, "|", f"|{position.side} to move"]


def players(clocks: tuple[str, str], names: tuple[str, str] = ("me", "bob"), colors: str = "*O") -> list[str]:
    return [f"|{name:8} (1720.0 {color}) {clock}" for name, color, clock in zip(names, colors, clocks)]


RUNNING = ("00:56,1:0//02:00,1:0", "00:58,1:0//02:00,1:0")
SETTING = ("01:00//02:00", "01:00//02:00")


def join(
    moves: list[str], start: Position = START, id_: str = ".5", kind: str = "8", names: tuple[str, str] = ("me", "bob"),
    shown: Position | None = None, clocks: tuple[str, str] = RUNNING,
) -> list[str]:  # fmt: skip
    """A `join` message; a move may have a value and a time."""
    position = start
    for move in moves:
        position = position.play(parse_move(move.split("/")[0]) or "") or position
    lines = [f"/os: join {id_} {kind} K?", f"|{len(moves)} move(s)"]
    if moves:
        lines += [*players(SETTING, names), "|", *board(start)]
        lines += [f"|{n + 1:3}: {move}" for n, move in enumerate(moves)]
    else:
        lines += ["|  0: PASS"]
    return [*lines, *players(clocks, names), "|", *board(shown or position)]


def update(n: int, move: str, position: Position, id_: str = ".5", clocks: tuple[str, str] = RUNNING) -> list[str]:
    return [f"/os: update {id_} 8 K?", f"|{n:3}: {move}", *players(clocks), "|", *board(position)]


class Othello(unittest.TestCase):
    def test_counts_of_positions_after_some_plies(self) -> None:
        def count(position: Position, depth: int) -> int:
            if depth == 0:
                return 1
            afters = [position.play(move) for move in position.moves()]
            return sum(count(after, depth - 1) for after in afters if after)

        self.assertEqual([count(START, depth) for depth in range(1, 5)], [4, 12, 56, 244])

    def test_pass_is_legal_only_without_other_moves(self) -> None:
        self.assertEqual(NO_MOVE.moves(), [PASS])
        self.assertEqual(NO_MOVE.play(PASS), Position(NO_MOVE.cells, WHITE))
        self.assertIsNone(START.play(PASS))
        self.assertIsNone(START.play("A1"))

    def test_a_finished_board(self) -> None:
        over = Position("*" * 40 + "-" * 24, WHITE)
        self.assertTrue(over.is_over())
        self.assertEqual(over.margin(), 64)
        self.assertEqual(Position("*" * 20 + "O" * 20 + "-" * 24, WHITE).margin(), 0)

    def test_moves_as_text(self) -> None:
        for text, move in (
            ("f5", "F5"),
            (" D3 ", "D3"),
            ("pa", PASS),
            ("PASS", PASS),
            ("ps", PASS),
            ("i9", None),
            ("", None),
        ):
            self.assertEqual(parse_move(text), move)

    def test_a_spare_move_is_legal_and_not_refused(self) -> None:
        refused = frozenset({"D3", "C4", "F5"})
        self.assertEqual(spare_move(START, refused), "E6")
        self.assertIsNone(spare_move(START, refused | {"E6"}))


class Clocks(unittest.TestCase):
    def test_times(self) -> None:
        times = {"05:00": 300, "59": 59, "1:00:00": 3600, "1.00:00:00": 86400, "-00:05": 0, "00:00": 0}
        for text, seconds in times.items():
            self.assertEqual(parse_time(text), seconds)
        for text in ("", "x", "1:2:3:4", "5:", "--1"):
            with self.assertRaises(ValueError):
                parse_time(text)
        self.assertEqual(
            [format_time(t) for t in (0, 59.9, 60, 3601, -3)], ["00:00", "00:59", "01:00", "01:00:01", "00:00"]
        )

    def test_clocks_of_requests(self) -> None:
        self.assertEqual(Clock.parse("01:00//02:00"), Clock(60, extension=120))
        self.assertEqual(Clock.parse("15:00/00:05/02:00"), Clock(900, increment=5, extension=120))
        self.assertEqual(Clock.parse("05:00"), Clock(300))
        full = Clock.parse("02:00:00,40/00:10,N2/00:30,N10")
        self.assertEqual((full.left, full.moves, full.loses), (7200, 40, True))
        self.assertEqual((full.increment, full.increment_moves, full.increment_adds), (10, 2, False))
        self.assertEqual((full.extension, full.extension_moves, full.extension_adds), (30, 10, False))
        self.assertFalse(Clock.parse("05:00,N//01:00").loses)

    def test_clocks_of_running_games(self) -> None:
        clock = Clock.parse("00:56,N3:40/00:05,3:1/02:00,N3:10")
        self.assertEqual((clock.left, clock.loses, clock.made, clock.moves), (56, False, 3, 40))
        self.assertEqual((clock.increment, clock.extension, clock.extension_moves), (5, 120, 10))

    def test_what_is_no_clock(self) -> None:
        for text in ("", "/", "x//y", "1:00/2:00/3:00/4:00", "1:00,x//", "not-a-clock"):
            with self.assertRaises(ValueError, msg=text):
                Clock.parse(text)

    def test_ggf(self) -> None:
        for text in ("01:00//02:00", "15:00/00:05/02:00"):
            self.assertEqual(Clock.parse(text).ggf(), text)

    def test_sudden_death(self) -> None:
        told = budget(Clock.parse("01:40,5:0//02:00,5:0"), 5, 20, spent=0.0, lag=0.1, reserve=1.0)
        self.assertAlmostEqual(told.left, 100 - 1 - 2)
        self.assertEqual((told.increment, told.stones, told.period_stones), (0, 0, 0))

    def test_at_least_half_of_what_is_left_is_told(self) -> None:
        told = budget(Clock.parse("00:04,5:0//02:00,5:0"), 5, 30, spent=0.0, lag=2.0, reserve=1.0)
        self.assertAlmostEqual(told.left, 2.0)
        self.assertEqual(budget(Clock.parse("00:04//00:00"), 0, 30, spent=9.0, lag=0.1, reserve=1.0).left, 0.0)

    def test_the_extension_is_not_told_when_it_comes_with_a_loss(self) -> None:
        self.assertEqual(budget(Clock.parse("01:00,0:0//02:00,0:0"), 0, 0, 0.0, 0.0, 0.0).left, 60)
        self.assertEqual(budget(Clock.parse("01:00,N0:0//02:00,0:0"), 0, 0, 0.0, 0.0, 0.0).left, 180)

    def test_increment(self) -> None:
        self.assertEqual(budget(Clock.parse("01:00,0:0/00:06,0:3/02:00,0:0"), 0, 0, 0.0, 0.0, 0.0).increment, 2)

    def test_moves_that_a_time_must_cover(self) -> None:
        told = budget(Clock.parse("05:00,4:40//01:00,N4:10"), 4, 30, 0.0, 0.0, 0.0)
        self.assertEqual((told.left, told.stones, told.period, told.period_stones), (300, 36, 60, 10))
        # Three moves in the first extension.
        told = budget(Clock.parse("00:50,40:40//01:00,N40:10"), 43, 9, 0.0, 0.0, 0.0)
        self.assertEqual((told.left, told.stones, told.period_stones), (50, 7, 10))


class Messages(unittest.TestCase):
    def test_lines_are_cut_wherever_the_bytes_are_split(self) -> None:
        data = "/os: join .5\r\n|a\nREADY\r\nh\u00e9llo".encode()
        for size in range(1, len(data)):
            lines = Lines()
            found = [line for n in range(0, len(data), size) for line in lines.feed(data[n : n + size])]
            self.assertEqual(found, ["/os: join .5", "|a", "READY"])
            self.assertEqual(lines.prompt(), "h\u00e9llo")

    def test_control_characters_and_other_encodings(self) -> None:
        found = Lines().feed(b"\xff\xfb\x01\x1b[1mbold\x1b[0m\x07\x00 x\n" + b"Gr\xfc\xdfe\n")
        self.assertEqual(found, ["bold x", "Gr\u00fc\u00dfe"])

    def test_an_overlong_line_is_dropped(self) -> None:
        lines = Lines()
        for _ in range(40):
            self.assertEqual(lines.feed(b"x" * 5000), [])
        self.assertEqual(lines.feed(b"x\nREADY\n"), ["READY"])

    def test_blocks_end_with_ready_or_the_next_message(self) -> None:
        blocks = Blocks()
        found = [block for line in ("a", "|b", "READY", "c", "d", "|e", "", "READY") for block in blocks.feed(line)]
        self.assertEqual(found, [["a", "|b"], ["c"], ["d", "|e"]])
        self.assertFalse(blocks.is_open())

    def test_types(self) -> None:
        self.assertEqual(GameType.parse("s8r20"), GameType("s8r20", 8, synchro=True, discs=20))
        self.assertEqual(GameType.parse("8b"), GameType("8b", 8))
        self.assertEqual(GameType.parse("10ka"), GameType("10ka", 10, komi=True, anti=True))
        for text in ("", "s", "x8", "8z"):
            self.assertIsNone(GameType.parse(text))

    def parse(self, text: str) -> object:
        return m.parse(text.split("\n"), "me")

    def test_requests(self) -> None:
        request = self.parse("/os: +   .8 1720.0 alice    01:00//02:00       8b U 1715.5 me")
        assert isinstance(request, m.Request)
        self.assertEqual(
            (request.id, request.asker, request.type.text, request.mode, request.asked), (".8", "alice", "8b", "U", "me")
        )
        self.assertEqual(request.asker_clock, request.asked_clock)
        self.assertIsNone(request.stored)
        request = self.parse("/os: +   .8 1720.0 alice    01:00//02:00    s8r20 S 1715.5 me 05:00//02:00 .42590")
        assert isinstance(request, m.Request)
        self.assertEqual((request.asked_clock.left, request.stored), (300, ".42590"))
        request = self.parse("/os: +   .8 1720.0 alice    01:00//02:00    8 R *      *       ")
        assert isinstance(request, m.Request)
        self.assertEqual(request.asked, "*")
        self.assertEqual(self.parse("/os: -   .8 1720.0 alice 01:00//02:00 8b U 1715.5 me"), m.RequestGone(".8"))

    def test_matches(self) -> None:
        self.assertEqual(
            self.parse("/os: + match .9 2544 lynx 2505 kitty s8r20 R "),
            m.MatchBegins(".9", ("lynx", "kitty"), "s8r20", "R"),
        )
        ends = self.parse("/os: - match .9 2544 lynx 2505 kitty s8r20 R +30.00 .4711")
        self.assertEqual(ends, m.MatchEnds(".9", ("lynx", "kitty"), "s8r20", "R", 30.0, "+30.00", ".4711"))
        ends = self.parse("/os: - match .9 2544 lynx 2505 kitty 8 U kitty left")
        self.assertEqual(ends, m.MatchEnds(".9", ("lynx", "kitty"), "8", "U", None, "kitty left", None))
        self.assertEqual(self.parse("/os: end .2.0 ( pamphlet vs. ant ) +46.00 "), m.GameEnds(".2.0", 46.0, "+46.00"))
        self.assertEqual(
            self.parse("/os: end .2.0 ( me vs. ant ) player me left"), m.GameEnds(".2.0", None, "player me left")
        )

    def test_lists(self) -> None:
        stored = self.parse("/os: stored 1 me\n|.42590   23 Feb 2001 23:17:39 me patzer   s8r16:l")
        self.assertEqual(stored, m.Stored(((".42590", "me", "patzer", "s8r16"),)))
        running = self.parse(
            "/os: match 2/2\n| .14       8  R 1174 YA       1503 ant+     1\n|  .9   s8r20  R 2574 lynx 2570 me 2"
        )
        self.assertEqual(running, m.Running((".14", ".9")))

    def test_the_rest(self) -> None:
        self.assertEqual(self.parse("/os: undo .24 htz is asking"), m.Asking("undo", ".24", "htz"))
        self.assertEqual(self.parse("/os: error .5 illegal move"), m.Refusal(".5", "illegal move"))
        self.assertEqual(self.parse("/os: ERR request '.8' not found."), m.Refusal(None, "request '.8' not found."))
        self.assertEqual(self.parse("/os: timeout .5 bob (*)"), m.OutOfTime(".5", "bob", False))
        self.assertEqual(self.parse(": + /os 1"), m.Presence(True))
        self.assertEqual(self.parse(": ERR Password is incorrect."), m.ServerError("Password is incorrect."))
        self.assertEqual(self.parse("bob: hello: you"), m.Chat("bob", "hello: you"))
        self.assertEqual(self.parse("/os: + bob stored"), m.StoredOpponent("bob"))

    def test_nothing_odd_fails(self) -> None:
        for text in (
            "/os:", "/os: +", "/os: -", "/os: + match", "/os: - match .5", "/os: end", "/os: error", "/os: timeout",
            "/os: undo .5", "/os: stored 1 me\n|x", "/os: match\n|x", "/os: +  .8 x y z", "/os: .5 A 1 b: c",
            ":", ".chat bob: hi", "/xs: hi", "me: hi",
        ):  # fmt: skip
            self.assertIsInstance(self.parse(text), (m.Unknown, m.Running, m.Stored), msg=text)

    def test_a_game_at_its_start(self) -> None:
        state = m.parse(join([]), "me")
        assert isinstance(state, m.GameState)
        self.assertEqual((state.id, state.whole, state.n_moves, state.moves, state.position), (".5", True, 0, (), START))
        self.assertEqual([player.name for player in state.players], ["me", "bob"])
        self.assertEqual(state.players[1].clock.left, 58)

    def test_a_game_with_moves(self) -> None:
        state = m.parse(join(["f5//3.47", "f6/-1.50/1.25"]), "me")
        assert isinstance(state, m.GameState)
        self.assertEqual(state.moves, (Played("F5", None, 3.47), Played("F6", -1.5, 1.25)))
        self.assertEqual(state.start, START)
        assert state.start_clocks
        self.assertEqual(state.start_clocks[0], Clock(60, extension=120))

    def test_damage_is_never_taken_for_a_game(self) -> None:
        whole = join(["f5", "f6"])
        for n in range(1, len(whole)):
            self.assertIsInstance(m.parse(whole[:n], "me"), m.Damaged, msg=f"{n} lines")
            self.assertNotIsInstance(m.parse(whole[:n] + whole[n + 1 :], "me"), (m.Unknown, m.Chat))
        one = update(1, "f5", START)
        for n in range(1, len(one)):
            self.assertIsInstance(m.parse(one[:n], "me"), m.Damaged, msg=f"{n} lines")
        self.assertIsInstance(m.parse(["/os: join .5 10 K?"], "me"), m.Damaged)


class RuleFile(unittest.TestCase):
    def request(
        self, kind: str = "8", clock: str = "05:00//02:00", mode: str = "R", asker: str = "bob", other: str = ""
    ) -> m.Request:
        found = m.parse([f"/os: + .8 1720.0 {asker} {clock} {kind} {mode} 1720.0 me {other}"], "me")
        assert isinstance(found, m.Request)
        return found

    def judge(self, text: str, request: m.Request, can_set_up: bool = True, gives_values: bool = True) -> str | None:
        return parse_rules(text).judge(request, can_set_up, gives_values)

    def test_types(self) -> None:
        for kind in ("8", "8b", "8w", "8r20", "s8r20", "s8", "s8r4"):
            self.assertIsNone(self.judge("", self.request(kind)), msg=kind)
        for kind in ("10", "8a", "8ak", "8k", "s8r20a", "s8r41", "88"):
            self.assertIsNotNone(self.judge("", self.request(kind)), msg=kind)
        # Anti is refused whatever the rules say, komi by rule.
        with self.assertRaises(BadRules):
            parse_rules('types = ["8a"]')
        self.assertIsNone(self.judge('types = ["8k"]', self.request("8k")))
        self.assertIn("komi", self.judge('types = ["8k"]', self.request("8k"), gives_values=False) or "")
        self.assertIn("set up", self.judge("", self.request("s8r20"), can_set_up=False) or "")

    def test_clocks(self) -> None:
        rules = 'initial = ["1:00", "10:00"]\nincrement = ["0:00", "0:10"]\nextension = ["1:00", "5:00"]'
        for clock in ("01:00//02:00", "10:00/00:10/05:00"):
            self.assertIsNone(self.judge(rules, self.request(clock=clock)), msg=clock)
        for clock in ("00:59//02:00", "10:01//02:00", "05:00/00:11/02:00", "05:00//00:59", "05:00//05:01"):
            self.assertIsNotNone(self.judge(rules, self.request(clock=clock)), msg=clock)
        self.assertIsNotNone(self.judge("", self.request(other="04:00//02:00")))
        self.assertIsNone(self.judge("equal_clocks = false", self.request(other="04:00//02:00")))

    def test_opponents_and_modes(self) -> None:
        self.assertIsNotNone(self.judge('refuse = ["BO*"]', self.request()))
        self.assertIsNotNone(self.judge('accept = ["anna"]', self.request()))
        self.assertIsNotNone(self.judge('modes = ["U"]', self.request()))
        self.assertTrue(parse_rules('prefer = ["anna"]').waits(self.request()))
        self.assertFalse(parse_rules('prefer = ["bob"]').waits(self.request()))

    def test_abort_and_undo(self) -> None:
        self.assertFalse(parse_rules("").grants("undo", 0))
        self.assertTrue(parse_rules('undo = "always"').grants("undo", 50))
        self.assertTrue(parse_rules('abort = "4"').grants("abort", 4))
        self.assertFalse(parse_rules('abort = "4"').grants("abort", 5))

    def test_bad_rules_are_named(self) -> None:
        for text, word in (
            ("x = ", "TOML"), ("typos = 1", "typos"), ("matches = 0", "matches"), ('matches = "1"', "matches"),
            ("types = 8", "types"), ('types = ["9"]', "9"), ('initial = ["1:00"]', "initial"), ("reserve = -1", "reserve"),
            ('initial = ["a", "b"]', "initial"), ('resume = "x"', "resume"), ('undo = "perhaps"', "undo"),
            ('abort = "perhaps"', "abort"), ('modes = ["X"]', "modes"), ('chat = "a\\nb"', "chat"), ("trust = 1", "trust"),
            ("discs = [4.5, 6]", "discs"), ("discs = [40, 4]", "discs"), ('abort = "²"', "abort"), ("reserve = nan", "reserve"),
            ('initial = ["5:00", "1:00"]', "initial"),
        ):  # fmt: skip
            with self.assertRaisesRegex(BadRules, word, msg=text):
                parse_rules(text)


class Records(unittest.TestCase):
    def record(self, moves: list[Played], start: Position = START) -> Record:
        clock = Clock.parse("05:00//02:00")
        black, white = m.Player("bob", 1800.5, BLACK, clock), m.Player("me", 1720.0, WHITE, clock)
        return Record("8", ("me", "bob"), black, white, (clock, clock), start, moves)

    def test_ggf(self) -> None:
        text = self.record([Played("F5", 1.5, 2.25), Played("D6", None, 0.4), Played("C3")]).ggf(
            None, "2026.11.23_07:31:00.UTC"
        )
        self.assertEqual(
            text,
            "(;GM[Othello]PC[GGS/os]DT[2026.11.23_07:31:00.UTC]PB[bob]PW[me]RB[1800.5]RW[1720.0]TI[05:00//02:00]TY[8]RE[?]"
            f"BO[8 {START.cells} *]B[F5/1.50/2.25]W[D6//0.40]B[C3];)",
        )

    def test_results_are_blacks(self) -> None:
        over = Position("*" * 40 + "O" * 24, BLACK)
        self.assertIn("RE[+16.00]", self.record([], over).ggf(None, ""))
        self.assertIn("RE[+16.00]", self.record([], over).ggf(-16.0, ""))
        # Without a finished board the server's result is one by resignation or time.
        self.assertIn("RE[-64.00:r]", self.record([]).ggf(64.0, ""))
        late = self.record([])
        late.out_of_time = True
        self.assertIn("RE[-64.00:t]", late.ggf(64.0, ""))


TURN = Turn(START, (), START, (budget(Clock(60), 0, 0, 0, 0, 0),) * 2)


class Dialogues(unittest.TestCase):
    def gtp(self, commands: str) -> Gtp:
        gtp = Gtp()
        gtp.begin()
        self.assertEqual(gtp.to_send, ["name", "list_commands"])
        gtp.to_send.clear()
        events = [gtp.receive(line) for line in ("= Eng", "", f"= {commands.split()[0]}", *commands.split()[1:], "")]
        self.assertEqual([type(event) for event in events if event], [Ready])
        return gtp

    def replies(self, gtp: Gtp, last: str) -> Answer | Disagreement:
        """Answers everything with success but the last with the text."""
        n = len(gtp.to_send)
        gtp.to_send.clear()
        found = [event for k in range(n) for line in (last if k == n - 1 else "=", "") if (event := gtp.receive(line))]
        self.assertEqual(len(found), 1)
        assert isinstance(found[0], (Answer, Disagreement))
        return found[0]

    def turn(self, moves: str, start: Position = START) -> Turn:
        position = start
        for move in moves.split():
            position = position.play(move) or position
        return Turn(start, tuple(moves.split()), position, TURN.budgets)

    def test_gtp_keeps_the_game(self) -> None:
        gtp = self.gtp("play genmove time_left")
        gtp.think(TURN)
        self.assertEqual(gtp.to_send, ["boardsize 8", "clear_board", "time_left black 60 0", "genmove black"])
        self.assertEqual(self.replies(gtp, "= F5"), Answer("F5", None))
        gtp.think(self.turn("F5 F6"))
        self.assertEqual(gtp.to_send, ["play white f6", "time_left black 60 0", "genmove black"])
        # The opponent's move was taken back: from the beginning.
        self.replies(gtp, "= E6")
        gtp.think(self.turn("F5 D6"))
        self.assertEqual(gtp.to_send[:4], ["boardsize 8", "clear_board", "play black f5", "play white d6"])

    def test_gtp_sets_up_positions(self) -> None:
        gtp = self.gtp("gogui-setup gogui-setup_player othellier-evaluation time_settings time_left")
        gtp.think(self.turn("PA", NO_MOVE))
        self.assertTrue(gtp.to_send[2].startswith("gogui-setup b d3 b d4 b e4 w h4 "))
        clock = ["time_settings 60.000 0 0", "time_left white 60.000 0"]
        self.assertEqual(gtp.to_send[3:], ["gogui-setup_player black", "play black pass", *clock, "genmove white"])
        rhino = self.gtp("grhino-setup_board")
        rhino.think(self.turn("", NO_MOVE))
        self.assertEqual(rhino.to_send[2], f"grhino-setup_board {NO_MOVE.cells.replace('*', 'X')} X")
        plain = self.gtp("play")
        plain.think(self.turn("", NO_MOVE))
        self.assertIsInstance(self.replies(plain, "= E7"), Disagreement)

    def test_a_refused_pass_is_no_disagreement(self) -> None:
        gtp = self.gtp("gogui-setup gogui-setup_player")
        gtp.think(self.turn("PA", NO_MOVE))
        found = [gtp.receive(line) for line in ("=", "") * 4 + ("? illegal move", "", "= E7", "")]
        self.assertEqual(found[-1], Answer("E7", None))

    def test_gtp_disagreements(self) -> None:
        for answer in ("? no", "= resign", "= z9", "=", "nonsense"):
            gtp = self.gtp("play")
            gtp.think(TURN)
            self.assertIsInstance(
                self.replies(gtp, answer) if answer != "nonsense" else gtp.receive(answer), Disagreement, msg=answer
            )
        gtp = self.gtp("play")
        gtp.think(self.turn("F5"))
        events = [gtp.receive(line) for line in ("=", "", "=", "", "? illegal move", "", "= D6", "")]
        self.assertIsInstance(events[-1], Disagreement)

    def test_nboard(self) -> None:
        nboard = NBoard()
        nboard.begin()
        self.assertIsNone(nboard.receive("set myname Eng-5"))
        self.assertEqual(nboard.receive("pong 1"), Ready("Eng-5", True, True))
        nboard.to_send.clear()
        nboard.think(self.turn("F5 F6"))
        self.assertEqual(nboard.to_send[1], "go")
        # Black's one move has taken what brings 61 s down to 60.
        self.assertIn("TB[01:01//00:00]TW[01:01//00:00]", nboard.to_send[0])
        self.assertIn("B[F5//1.00]W[F6//1.00];)", nboard.to_send[0])
        self.assertIsNone(nboard.receive("status Thinking"))
        self.assertEqual(nboard.receive("=== E6/1.50/0.3"), Answer("E6", 1.5))
        self.assertEqual(nboard.to_send[-1], "move E6")
        nboard.think(TURN)
        self.assertEqual(nboard.receive("=== C4"), Answer("C4", None))
        nboard.think(TURN)
        self.assertIsInstance(nboard.receive("status game not accepted: odd"), Disagreement)
        nboard.think(TURN)
        self.assertIsInstance(nboard.receive("=== what"), Disagreement)


class Driven:
    """A bridge, and a clock to drive it by."""

    def __init__(self, rules: str = "", login: bool = True, ready: bool = True) -> None:
        self.bridge = Bridge("me", "secret", parse_rules(rules))
        self.now = 1000.0
        if ready:
            self.bridge.engine_event(0, Ready("Eng", True, True), self.now)
        self.bridge.take()
        if login:
            self.login()

    def login(self) -> list[Action]:
        self.bridge.connected(self.now)
        self.raw(b": Enter login (yours, or one you'd like to use).\n: Enter your password.\nwelcome\nREADY\n")
        return self.wait(10.0)

    def raw(self, data: bytes) -> list[Action]:
        self.bridge.received(data, self.now)
        return self.bridge.take()

    def say(self, *blocks: list[str] | str) -> list[Action]:
        lines = [line for block in blocks for line in ([block] if isinstance(block, str) else block) + ["READY"]]
        return self.raw("".join(f"{line}\n" for line in lines).encode())

    def wait(self, seconds: float) -> list[Action]:
        """Lets time pass, with every deadline kept."""
        end, found = self.now + seconds, []
        for _ in range(1000):
            found += self.bridge.take()
            at = self.bridge.deadline()
            if at is None or at > end:
                break
            self.now = max(self.now + 0.001, at)
            self.bridge.tick(self.now)
        self.now = end
        return found + self.bridge.take()

    def answer(self, move: str, value: float | None = None, seat: int = 0) -> list[Action]:
        self.bridge.engine_event(seat, Answer(move, value), self.now)
        return self.bridge.take()


def lines(actions: list[Action]) -> list[str]:
    return [action.line for action in actions if isinstance(action, Send)]


def thoughts(actions: list[Action]) -> list[Turn]:
    return [action.turn for action in actions if isinstance(action, Think)]


STORED = ["/os: stored 1 me", "|.42590   23 Feb 2001 23:17:39 me bob   8:l"]
BEGIN = "/os: + match .5 1720 me 1720 bob 8 R "
AFTER_F5 = START.play("F5")
assert AFTER_F5
REQUEST = "/os: +   .8 1720.0 bob      05:00//02:00        8 R 1720.0 me"


class Login(unittest.TestCase):
    def test_the_dialogue(self) -> None:
        driven = Driven(login=False)
        driven.bridge.connected(driven.now)
        # The prompt comes in pieces and without the end of its line.
        self.assertEqual(driven.raw(b": Enter log"), [])
        self.assertEqual(lines(driven.raw(b"in (yours, or one you'd like to use).")), ["me"])
        self.assertEqual(driven.raw(b"\n"), [])
        sent = driven.raw(b": Enter your password.\n")
        self.assertEqual(sent, [Send("secret", secret=True)])
        self.assertEqual(driven.raw(b"Welcome\n"), [])
        said = lines(driven.raw(b"READY\n")) + lines(driven.wait(10.0))
        self.assertIn("tell /os client -", said)
        self.assertIn("tell /os open 1", said)
        self.assertEqual(said[-1], "tell /os stored")

    def test_a_wrong_password_ends_it_without_being_told(self) -> None:
        driven = Driven(login=False)
        driven.bridge.connected(driven.now)
        actions = driven.raw(b": Enter login (yours).\n: Enter your password.\n: ERR Password is incorrect.\n")
        hangup = actions[-1]
        assert isinstance(hangup, Hangup)
        self.assertTrue(hangup.final and hangup.failed)
        self.assertNotIn("secret", hangup.why)

    def test_after_a_first_login_a_refusal_is_not_final(self) -> None:
        driven = Driven()
        driven.bridge.disconnected(driven.now)
        driven.bridge.connected(driven.now)
        actions = driven.raw(b": Enter login (yours).\n: Enter your password.\n: ERR Password is incorrect.\n")
        assert isinstance(actions[-1], Hangup)
        self.assertFalse(actions[-1].final)

    def test_no_matches_without_an_engine(self) -> None:
        driven = Driven(ready=False)
        driven.bridge.engine_event(0, Ready("Eng", True, True), driven.now)
        self.assertIn("tell /os open 1", lines(driven.wait(5.0)))

    def test_a_silent_server_is_left(self) -> None:
        driven = Driven()
        actions = driven.wait(200.0)
        self.assertIn("tell /os match me", lines(actions))
        self.assertTrue(any(isinstance(action, Hangup) and not action.final for action in actions))

    def test_lines_never_come_as_a_flood(self) -> None:
        driven = Driven()
        for n in range(40):
            driven.say(f"/os: + .{n + 10} 1720.0 bob 05:00//02:00 10 R 1720.0 me")
        sent: list[float] = []
        for _ in range(200):
            sent += [driven.now] * len(lines(driven.wait(0.1)))
        self.assertEqual(len(sent), 40 - 8)
        for at in sent:
            self.assertLessEqual(sum(at <= other < at + 1.0 for other in sent), 6)

    def test_leaving(self) -> None:
        driven = Driven()
        driven.bridge.leave(driven.now, at_once=False)
        actions = driven.bridge.take()
        self.assertEqual(lines(actions), ["quit"])
        self.assertEqual(actions[-1], Hangup("farewell", final=True))

    def test_leaving_waits_for_matches(self) -> None:
        driven = Driven()
        driven.say(BEGIN, join([]))
        driven.bridge.leave(driven.now, at_once=False)
        self.assertEqual(lines(driven.wait(1.0)), ["tell /os open 0"])
        actions = driven.say("/os: - match .5 1720 me 1720 bob 8 R +64.00 .99")
        self.assertEqual(lines(actions), ["quit"])

    def test_a_request_that_waited_for_another_is_declined(self) -> None:
        driven = Driven('prefer = ["anna"]\nmatches = 2')
        driven.say(BEGIN, join([]), REQUEST)
        driven.bridge.leave(driven.now, at_once=False)
        self.assertEqual(lines(driven.wait(15.0)), ["tell /os open 0", "tell /os decline .8"])


class Requests(unittest.TestCase):
    def test_accept_and_decline(self) -> None:
        driven = Driven()
        self.assertEqual(lines(driven.say(REQUEST)), ["tell /os accept .8"])
        self.assertEqual(lines(driven.say(REQUEST.replace(" 8 R", " 8a R"))), ["tell /os decline .8"])

    def test_requests_of_others_are_left_alone(self) -> None:
        driven = Driven()
        ours = REQUEST.replace("bob", "me").replace("R 1720.0 me", "R 1720.0 bob")
        for text in (REQUEST.replace(" me", " you"), ours, REQUEST.replace("1720.0 me", "* *")):
            self.assertEqual(lines(driven.say(text)), [], msg=text)
        self.assertEqual(lines(Driven("everybody = true").say(REQUEST.replace("1720.0 me", "* *"))), ["tell /os accept .8"])

    def test_no_more_matches_than_the_rules_say(self) -> None:
        driven = Driven()
        driven.say(BEGIN, join([]))
        self.assertEqual(lines(driven.say(REQUEST)), ["tell /os decline .8"])
        driven = Driven("matches = 2")
        driven.say(BEGIN, join([]))
        self.assertEqual(lines(driven.say(REQUEST)), ["tell /os accept .8"])

    def test_preferred_opponents_come_first(self) -> None:
        driven = Driven('prefer = ["anna"]\nprefer_seconds = 10')
        self.assertEqual(lines(driven.say(REQUEST)), [])
        self.assertEqual(lines(driven.say(REQUEST.replace("bob", "anna").replace(".8", ".9"))), ["tell /os accept .9"])
        driven.say(BEGIN.replace("bob", "anna"))
        self.assertEqual(lines(driven.wait(15.0)), ["tell /os decline .8"])
        driven = Driven('prefer = ["anna"]')
        driven.say(REQUEST)
        self.assertEqual(lines(driven.wait(15.0)), ["tell /os accept .8"])
        driven.say(REQUEST, "/os: -   .8 1720.0 bob      05:00//02:00        8 R 1720.0 me")
        self.assertEqual(lines(driven.wait(15.0)), [])

    def test_chat_is_answered_once(self) -> None:
        driven = Driven('chat = "I am a program."')
        self.assertEqual(lines(driven.say("bob: hello")), ["tell bob I am a program."])
        self.assertEqual(lines(driven.say("bob: hello?", "/os: .5 A 1720 bob: hi", ".chat bob: hi")), [])
        self.assertEqual(lines(Driven().say("bob: hello")), [])


class Games(unittest.TestCase):
    def game(self, rules: str = "") -> Driven:
        driven = Driven(rules)
        actions = driven.say(BEGIN, join([]))
        self.turns = thoughts(actions)
        return driven

    def test_a_move(self) -> None:
        driven = self.game()
        self.assertEqual([turn.position for turn in self.turns], [START])
        self.assertLess(self.turns[0].budget().left, 56)
        driven.now += 1.5
        self.assertEqual(lines(driven.answer("F5", 1.234)), ["tell /os play .5 F5/1.23/1.50"])
        assert AFTER_F5
        self.assertEqual(driven.say(update(1, "f5/1.23/1.52", AFTER_F5)), [])
        after = AFTER_F5.play("F6")
        assert after
        turn = thoughts(driven.say(update(2, "f6", after)))[0]
        self.assertEqual((turn.start, turn.moves, turn.position), (START, ("F5", "F6"), after))

    def test_the_way_to_the_server_is_measured(self) -> None:
        driven = self.game()
        driven.answer("F5")
        driven.now += 0.35
        assert AFTER_F5
        driven.say(update(1, "f5//0.00", AFTER_F5))
        self.assertAlmostEqual(driven.bridge.lag(), 0.35)

    def test_a_pass_is_sent_without_the_engine(self) -> None:
        driven = Driven()
        actions = driven.say(BEGIN, join([], NO_MOVE))
        self.assertEqual(lines(actions), ["tell /os play .5 PA//0.00"])
        self.assertEqual(thoughts(actions), [])

    def test_a_board_that_does_not_follow_from_the_move(self) -> None:
        driven = self.game()
        driven.answer("F5")
        assert AFTER_F5
        driven.say(update(1, "f5", AFTER_F5))
        wrong = Position("*" + AFTER_F5.cells[1:], BLACK)
        actions = driven.say(update(2, "f6", wrong))
        self.assertEqual((lines(actions), thoughts(actions)), (["tell /os moves .5"], []))
        actions = driven.say(join(["f5", "f6"]))
        self.assertEqual(thoughts(actions)[0].moves, ("F5", "F6"))

    def test_when_the_whole_game_disagrees_too_the_servers_board_counts(self) -> None:
        driven = self.game()
        driven.answer("F5")
        shown = Position("*" + START.cells[1:], BLACK)
        actions = driven.say(join(["f5", "f6"], shown=shown))
        self.assertEqual([(turn.start, turn.moves) for turn in thoughts(actions)], [(shown, ())])

    def test_a_damaged_message(self) -> None:
        driven = self.game()
        driven.answer("F5")
        assert AFTER_F5
        self.assertEqual(lines(driven.say(update(1, "f5", AFTER_F5)[:9])), ["tell /os moves .5"])
        self.assertEqual(lines(driven.say(join(["f5"]))), [])

    def test_an_undo_while_the_engine_thinks(self) -> None:
        driven = self.game('undo = "always"')
        driven.answer("F5")
        assert AFTER_F5
        driven.say(update(1, "f5", AFTER_F5))
        driven.say(join(["f5", "f6"]))
        actions = driven.say("/os: undo .5 bob is asking")
        self.assertEqual(lines(actions), ["tell /os undo .5"])
        self.assertIn(End(0), actions)
        # A move that was under way is for the position before.
        self.assertEqual(driven.answer("E6"), [])
        self.assertEqual(driven.say(join(["f5"])), [])

    def test_an_undo_back_to_our_turn(self) -> None:
        driven = self.game('undo = "always"')
        driven.answer("F5")
        assert AFTER_F5
        driven.say(update(1, "f5", AFTER_F5))
        driven.say("/os: undo .5 bob is asking")
        actions = driven.say(join([]))
        self.assertEqual([turn.position for turn in thoughts(actions)], [START])
        self.assertEqual(lines(driven.answer("F5"))[0][:20], "tell /os play .5 F5/")

    def test_an_undo_that_never_comes(self) -> None:
        driven = self.game('undo = "always"')
        driven.say("/os: undo .5 bob is asking")
        self.assertIn("tell /os moves .5", lines(driven.wait(12)))
        self.assertEqual([turn.position for turn in thoughts(driven.say(join([])))], [START])

    def test_abort_and_undo_are_not_granted_by_default(self) -> None:
        driven = self.game()
        self.assertEqual(lines(driven.say("/os: undo .5 bob is asking", "/os: abort .5 bob is asking")), [])

    def test_the_engine_dies(self) -> None:
        driven = self.game()
        driven.bridge.engine_died(0, "it ended", driven.now)
        actions = driven.bridge.take()
        self.assertIn(End(0), actions)
        self.assertEqual(thoughts(actions)[0].position, START)
        # And again and again: the bridge moves itself.
        driven.bridge.engine_died(0, "it ended", driven.now)
        driven.bridge.engine_died(0, "it ended", driven.now)
        sent = lines(driven.bridge.take())
        self.assertRegex(sent[-1], r"tell /os play \.5 (F5|D3|C4|E6)//")

    def test_an_illegal_answer(self) -> None:
        driven = self.game()
        actions = driven.answer("A1")
        self.assertEqual((lines(actions), len(thoughts(actions))), ([], 1))

    def test_an_engine_that_never_starts(self) -> None:
        driven = Driven(ready=False)
        found: list[Action] = []
        for _ in range(3):
            driven.bridge.engine_died(0, "no greeting", driven.now)
            found += driven.bridge.take()
        self.assertEqual(found.count(Start(0)), 2)
        self.assertTrue(any(isinstance(action, Hangup) and action.failed for action in found))

    def test_a_hanging_engine_loses_no_game_on_time(self) -> None:
        driven = self.game()
        began = driven.now
        sent: list[tuple[float, str]] = []
        while driven.now < began + 56:
            sent += [(driven.now - began, line) for line in lines(driven.wait(0.1)) if "play" in line]
            if sent:
                break
        self.assertTrue(sent)
        self.assertLess(sent[0][0], 56)

    def test_with_nothing_left_the_engine_still_has_a_moment(self) -> None:
        driven = Driven()
        driven.say(BEGIN, join([], clocks=("00:00,0:0//02:00,0:0", "00:58,0:0//02:00,0:0")))
        self.assertEqual(lines(driven.wait(0.2)), [])
        self.assertEqual(len(lines(driven.wait(0.3))), 1)

    def test_a_refused_move(self) -> None:
        driven = self.game()
        driven.answer("F5")
        self.assertEqual(lines(driven.say("/os: error .5 illegal move")), ["tell /os moves .5"])
        self.assertEqual(len(thoughts(driven.say(join([])))), 1)
        # The engine insists; it gets its chances, then another move is sent.
        driven.answer("F5")
        driven.answer("F5")
        sent = lines(driven.answer("F5"))
        self.assertEqual(len(sent), 1)
        self.assertNotIn("F5", sent[0])

    def test_a_move_that_got_lost_is_sent_again(self) -> None:
        driven = self.game()
        driven.answer("F5", 2.0)
        self.assertEqual(lines(driven.wait(15.0)), ["tell /os moves .5"])
        self.assertEqual(lines(driven.say(join([]))), ["tell /os play .5 F5/2.00/0.00"])

    def test_two_games_of_a_match_have_an_engine_each(self) -> None:
        driven = Driven()
        actions = driven.say(
            "/os: + match .5 1720 me 1720 bob s8r20 R ",
            join([], id_=".5.0", kind="s8r20"),
            join([], id_=".5.1", kind="s8r20", names=("bob", "me")),
        )
        self.assertEqual([action.seat for action in actions if isinstance(action, Think)], [0])
        driven.answer("F5")
        actions = driven.say(join(["f5"], id_=".5.1", kind="s8r20", names=("bob", "me")))
        self.assertEqual([action.seat for action in actions if isinstance(action, Think)], [1])
        self.assertEqual(lines(driven.answer("F6", seat=1)), ["tell /os play .5.1 F6//0.00"])

    def test_the_end(self) -> None:
        driven = self.game()
        actions = driven.say("/os: - match .5 1720 me 1720 bob 8 R -64.00 .99")
        stored = [action for action in actions if isinstance(action, Store)]
        self.assertEqual([(one.result, one.record.black.name) for one in stored], [(-64.0, "me")])
        # An engine that is not at the end of its game would think on.
        self.assertIn(End(0), actions)
        self.assertEqual(driven.bridge.games, {})
        self.assertEqual(lines(driven.say(REQUEST)), ["tell /os accept .8"])

    def test_the_games_of_a_synchro_match_have_their_own_results(self) -> None:
        driven = Driven()
        first, second = join([], id_=".5.0", kind="s8"), join([], id_=".5.1", kind="s8", names=("bob", "me"))
        driven.say("/os: + match .5 1720 me 1720 bob s8 R ", first, second)
        ends = ["/os: end .5.0 ( me vs. bob ) -10.00 ", "/os: end .5.1 ( me vs. bob ) +4.00 "]
        actions = driven.say(*ends, "/os: - match .5 1720 me 1720 bob s8 R -3.00 .99")
        stored = [action for action in actions if isinstance(action, Store)]
        self.assertEqual([one.result for one in stored], [-10.0, 4.0])
        self.assertIn("RE[-10.00:r]", stored[0].record.ggf(stored[0].result, ""))
        self.assertIn("RE[-4.00:r]", stored[1].record.ggf(stored[1].result, ""))

    def test_komi(self) -> None:
        driven = Driven('types = ["8k"]')
        settled = [line.replace(" 8 K?", " 8k K+1.5") for line in join(["f5"])]
        unsettled = [re.sub(r"\(1720.0 .\)", "(1720.0 ?)", line).replace(" 8 K?", " 8k K?") for line in join([])]
        actions = driven.say(BEGIN.replace(" 8 ", " 8k "), unsettled)
        self.assertEqual(len(thoughts(actions)), 1)
        self.assertEqual(lines(driven.answer("F5", 3.0)), ["tell /os play .5 F5/3.00/0.00"])
        self.assertEqual(lines(driven.wait(30.0)), [])
        self.assertEqual(thoughts(driven.say(settled)), [])


class Damage(unittest.TestCase):
    """A session with lines lost, doubled, cut, exchanged and garbled: nothing fails, and only sensible lines are sent."""

    SAYS = re.compile(
        r"me|secret|quit|(verbose|vt100|bell|notify) [-+ a-z/]+|tell \S{2,8} hello|"
        r"tell /os ((client|vt100|trust|rated|request|stored) [-+]|bell [-+ a-z]+|open \d|stored|match me|"
        r"(moves|accept|decline|ask|undo|abort) \.\d+|play \.\d+(\.\d)? (PA|[A-H][1-8])/(-?\d+\.\d\d)?/\d+\.\d\d)"
    )

    def session(self) -> list[str]:
        """The server's lines of a login, two matches and their ends."""
        said = [": Enter login (yours).", ": Enter your password.", "welcome", "READY"]
        blocks: list[list[str]] = [["/os: match 0/0"], STORED, [REQUEST], [BEGIN], join([])]
        position = START
        for n in range(1, 12):
            move = spare_move(position) or PASS
            position = position.play(move) or position
            blocks.append(update(n, move.lower(), position))
        blocks += [["/os: undo .5 bob is asking"], ["/os: abort .5 bob is asking"], ["bob: who are you?"]]
        blocks += [["/os: error .5 illegal move"], ["/os: timeout .5 bob (O)"], [": - /os 1"], [": + /os 1"]]
        blocks += [["/os: match 1/1", "| .5  8 R 1720 me 1720 bob 1"], join(["f5", "f6", "e6"])]
        blocks += [["/os: - match .5 1720 me 1720 bob 8 R bob left .42590"]]
        blocks += [["/os: + match .6 1720 me 1720 bob s8r20 R "], join([], NO_MOVE, ".6.0", "s8r20")]
        blocks += [join([], NO_MOVE, ".6.1", "s8r20", ("bob", "me")), ["/os: end .6.0 ( me vs. bob ) +2.00"]]
        blocks += [["/os: - match .6 1720 me 1720 bob s8r20 R +2.00 .42591"]]
        return said + [line for block in blocks for line in [*block, "READY"]]

    def damage(self, rng: random.Random, lines_: list[str]) -> bytes:
        for _ in range(rng.randrange(6)):
            n = rng.randrange(4, len(lines_))
            match rng.randrange(6):
                case 0:
                    del lines_[n]
                case 1:
                    lines_.insert(n, lines_[rng.randrange(len(lines_))])
                case 2:
                    lines_[n] = lines_[n][: rng.randrange(len(lines_[n]) + 1)]
                case 3:
                    words = lines_[n].split(" ")
                    rng.shuffle(words)
                    lines_[n] = " ".join(words)
                case 4:
                    other_line = rng.randrange(4, len(lines_))
                    lines_[n], lines_[other_line] = lines_[other_line], lines_[n]
                case 5:
                    place = rng.randrange(len(lines_[n]) + 1)
                    lines_[n] = (
                        lines_[n][:place] + chr(rng.choice([0, 7, 27, 46, 47, 58, 124, 255, 0x3042])) + lines_[n][place:]
                    )
        return "".join(f"{line}\n" for line in lines_).encode()

    def test_no_damage_leads_astray(self) -> None:
        whole = self.session()
        for seed in range(400):
            rng = random.Random(seed)
            with self.subTest(seed=seed):
                driven = Driven('chat = "hello"\nundo = "always"\nmatches = 2', login=False)
                driven.bridge.connected(driven.now)
                data = self.damage(rng, list(whole))
                while data:
                    n = rng.randint(1, 400)
                    actions, data = driven.raw(data[:n]), data[n:]
                    while actions:
                        for line in lines(actions):
                            self.assertRegex(line, f"^({self.SAYS.pattern})$")
                        asked = [action for action in actions if isinstance(action, Think)]
                        actions = driven.wait(rng.random())
                        for think in asked:
                            if rng.random() < 0.8:
                                move = spare_move(think.turn.position) or "A1"
                                actions += driven.answer(move, 1.0, think.seat)
                            else:
                                driven.bridge.engine_died(think.seat, "it ended", driven.now)
                        actions += driven.wait(0.01)
                driven.wait(300.0)
                driven.bridge.leave(driven.now, at_once=True)


class CommandLine(unittest.TestCase):
    def run_with(self, folder: str, *options: str, mode: int = 0o600, password: str = "secret\n", rules: str = "") -> str:
        """What the program says when it cannot start."""
        (Path(folder) / "password").write_text(password)
        (Path(folder) / "password").chmod(mode)
        (Path(folder) / "rules.toml").write_text(rules)
        files = [
            "--password-file",
            f"{folder}/password",
            "--rules",
            f"{folder}/rules.toml",
            "--games",
            f"{folder}/games.ggf",
        ]
        command = [sys.executable, str(SCRIPTS / "ggs.py"), *files, *options, "--", "/no/such/engine", "gtp"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        self.assertIn(run.returncode, (1, 2))
        self.assertNotIn("Traceback", run.stderr)
        self.assertNotIn("secret", run.stdout + run.stderr)
        return run.stderr

    def test_errors(self) -> None:
        server = ("--server", "127.0.0.1:9", "--login", "me")
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("HOST:PORT", self.run_with(folder, "--server", "nowhere", "--login", "me"))
            self.assertIn("login", self.run_with(folder, "--server", "127.0.0.1:9", "--login", "far too long"))
            self.assertIn("chmod", self.run_with(folder, *server, mode=0o644))
            self.assertIn("no password", self.run_with(folder, *server, password="\n"))
            self.assertIn("unknown rule 'x'", self.run_with(folder, *server, rules="x = 1"))
            self.assertIn("cannot write", self.run_with(folder, *server, "--games", "/no/such/folder/games.ggf"))
            self.assertIn("cannot start /no/such/engine", self.run_with(folder, *server))


class FullDisk(unittest.TestCase):
    @unittest.skipUnless(Path("/dev/full").exists(), "no device is always full")
    def test_a_match_goes_on_without_its_log(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch("sys.stderr", io.StringIO()) as said:
            files = Files(Path("/dev/full"), Path(folder) / "games.ggf", "secret")
            files.log("one")
            files.log("two")
            self.assertEqual(said.getvalue().count("cannot write /dev/full"), 1)


class Connections(unittest.TestCase):
    """The loop around the bridge, and the process of an engine."""

    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        files = Files(None, Path(folder) / "games.ggf", "secret")
        self.enterContext(mock.patch.object(files, "note"))
        self.loop = Loop(Bridge("me", "secret", parse_rules("")), ("127.0.0.1", 9), ["cat"], Gtp, files)
        for end in (self.loop._wake_reader, self.loop._wake_writer):
            self.addCleanup(end.close)
        self.server = self.enterContext(socket.create_server(("127.0.0.1", 0)))

    def pair(self) -> tuple[socket.socket, socket.socket]:
        """A connection: our end and the server's."""
        ours = socket.create_connection(self.server.getsockname())
        theirs, _ = self.server.accept()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        return ours, theirs

    def receive(self, theirs: socket.socket, data: bytes) -> None:
        """Lets the loop take what the server sends; nothing closes the connection."""
        assert self.loop._socket
        self.loop._socket.settimeout(60)
        theirs.sendall(data) if data else theirs.shutdown(socket.SHUT_WR)
        self.loop._receive()
        self.loop._do_actions()

    def pause_after_login(self, held: float = 0.0) -> float:
        """The pause before the next connection but one, after a login that was followed by data and held so long."""
        ours, theirs = self.pair()
        self.loop._connected(ours)
        for data in [b": Enter login (yours or one you'd like to use).\n: ", b": Enter your password.\n", b"READY\n", b": hi\n"]:
            self.receive(theirs, data)
        self.assertTrue(self.loop._bridge.is_online())
        assert self.loop._online_since is not None
        self.loop._online_since -= held
        self.receive(theirs, b"")
        self.assertIsNone(self.loop._socket)
        return self.loop._pause

    def test_a_login_that_does_not_hold_shortens_no_pause(self) -> None:
        pauses = [self.pause_after_login() for _ in range(8)]
        self.assertEqual(pauses, [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0])
        self.assertEqual(self.pause_after_login(held=HELD), 2 * FIRST_PAUSE)

    def test_nobody_waits_while_it_connects(self) -> None:
        gate = threading.Event()

        def connect(*_: object, **__: object) -> socket.socket:
            self.assertTrue(gate.wait(60))
            return self.pair()[0]

        self.enterContext(mock.patch("socket.create_connection", connect))
        # As a signal does.
        threading.Timer(0.1, lambda: self.loop._wake_writer.send(b"\0")).start()
        self.loop._step()
        self.assertFalse(gate.is_set() or self.loop._bridge.is_online())
        self.assertIsNone(self.loop._socket)
        self.enterContext(mock.patch("socket.create_connection", lambda *_, **__: self.fail("one is enough")))
        gate.set()

    def test_a_refused_connection_is_tried_again(self) -> None:
        for error in [OSError("refused"), UnicodeError("no name")]:
            with mock.patch("socket.create_connection", side_effect=error):
                self.loop._connect_at = 0.0
                self.loop._step()
            self.assertIsNotNone(self.loop._connect_at)

    def test_engines_end_however_the_bridge_ends(self) -> None:
        script = (
            "import sys, time; from ggs.dialogue import Gtp; from ggs.engine import Engine; "
            "engine = Engine(sys.argv[1:], Gtp, print, print, lambda _: None); engine.start(0.0); "
            "print('started', flush=True); time.sleep(600)"
        )
        engine = ["sh", "-c", "sleep 1004 & echo $$ $! >&2; wait"]
        command = [sys.executable, "-c", script, *engine]
        bridge = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=SCRIPTS)
        assert bridge.stdout and bridge.stderr
        ids = bridge.stderr.readline().split()
        self.assertEqual(bridge.stdout.readline(), b"started\n")

        def run() -> list[bytes]:
            states = [Path(f"/proc/{id_.decode()}/stat") for id_ in ids]
            return [state.read_bytes() for state in states if state.exists() and b") Z" not in state.read_bytes()]

        self.assertEqual((len(ids), len(run())), (2, 2))
        bridge.kill()
        bridge.wait()
        bridge.stdout.close()
        bridge.stderr.close()
        deadline = time.monotonic() + 60
        while run():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)


class Interruptions(unittest.TestCase):
    def interrupted(self, rules: str = "") -> Driven:
        driven = Driven(rules)
        driven.say(BEGIN, join(["f5", "f6"]))
        driven.bridge.disconnected(driven.now)
        self.assertIn(End(0), driven.bridge.take())
        self.assertIsNone(driven.bridge.deadline())
        said = lines(driven.login())
        self.assertIn("tell /os match me", said)
        self.assertIn("tell /os stored", said)
        return driven

    def test_a_match_that_still_runs_is_joined_again(self) -> None:
        driven = self.interrupted()
        self.assertEqual(lines(driven.say(["/os: match 1/1", "| .5  8 R 1720 me 1720 bob 1"])), ["tell /os moves .5"])
        # The position is the server's, which has gone on.
        actions = driven.say(join(["f5", "f6", "e6", "f4"]))
        self.assertEqual(thoughts(actions)[0].moves, ("F5", "F6", "E6", "F4"))

    def test_a_stored_match_is_asked_for(self) -> None:
        driven = self.interrupted()
        driven.say("/os: match 0/1")
        driven.say(STORED)
        self.assertEqual(lines(driven.wait(1.0)), ["tell /os ask .42590"])
        actions = driven.say(BEGIN.replace(".5", ".6"), join(["f5", "f6"], id_=".6"))
        self.assertEqual(len(thoughts(actions)), 1)
        actions = driven.say("/os: - match .6 1720 me 1720 bob 8 R +2.00 .99")
        self.assertEqual(len([action for action in actions if isinstance(action, Store)]), 1)

    def test_it_is_asked_for_again_when_the_opponent_comes(self) -> None:
        driven = self.interrupted()
        driven.say("/os: match 0/1")
        driven.say(STORED)
        driven.wait(1.0)
        self.assertEqual(lines(driven.wait(20.0)), [])
        driven.say("/os: + bob stored")
        self.assertEqual(lines(driven.wait(1.0)), ["tell /os ask .42590"])

    def test_resume_never(self) -> None:
        driven = self.interrupted('resume = "never"')
        driven.say("/os: match 0/1")
        driven.say(STORED)
        self.assertEqual(lines(driven.wait(5.0)), [])

    def test_what_others_broke_off_is_not_asked_for(self) -> None:
        driven = Driven()
        driven.say(BEGIN, join(["f5", "f6"]))
        actions = driven.say("/os: - match .5 1720 me 1720 bob 8 R bob left .42590")
        self.assertFalse(any(isinstance(action, Store) for action in actions))
        self.assertEqual(lines(driven.wait(30.0)), [])
        # But if they ask, it goes on.
        request = "/os: +   .8 1720.0 bob      05:00//02:00        8 S 1720.0 me .42590"
        self.assertEqual(lines(driven.say(request)), ["tell /os accept .8"])

    def test_what_is_not_stored_is_kept_as_it_is(self) -> None:
        driven = self.interrupted()
        driven.say("/os: match 0/1")
        actions = driven.say("/os: stored 0 me")
        stored = [action for action in actions if isinstance(action, Store)]
        self.assertEqual([(one.result, len(one.record.moves)) for one in stored], [(None, 2)])

    def test_nothing_is_lost_when_leaving(self) -> None:
        driven = self.interrupted()
        driven.say("/os: match 0/1")
        driven.say(STORED)
        driven.bridge.leave(driven.now, at_once=True)
        self.assertEqual(len([action for action in driven.bridge.take() if isinstance(action, Store)]), 1)

    def test_the_service_restarts(self) -> None:
        driven = Driven()
        driven.say(BEGIN, join(["f5", "f6"]))
        driven.say(": - /os 1")
        self.assertIn("tell /os match me", lines(driven.say(": + /os 1")) + lines(driven.wait(5.0)))

    def test_notes_are_for_people(self) -> None:
        driven = Driven()
        notes = [action.text for action in driven.say(BEGIN) if isinstance(action, Note)]
        self.assertEqual(notes, ["match .5: me - bob, 8 R"])


if __name__ == "__main__":
    unittest.main()
