#!/usr/bin/env python3
"""Plays games between the bridge to the Generic Game Server (scripts/ggs.py) and a server of our own, with faults planted.

    tests/ggs_games.py [--quick] [--out DIR]      100 games, or a few for .ci/run
    tests/ggs_games.py --latency                  what the bridge adds to a move, and the time it uses while it waits

OTHELLIER names the program, target/release/othellier unless set; gtp-rhino plays too where it is installed (with
OTHELLIER_REQUIRE_RHINO it must be). A game must have no illegal move and no loss on time, and none may be left behind; the
files of games must be readable. Exit status: 0 if all is well.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from ggs.othello import START, parse_move
from ggs_server import Plan, Server

OTHELLIER = os.environ.get("OTHELLIER", str(ROOT / "target/release/othellier"))
PASSWORD = "correct horse battery"
PATIENCE = 900.0  # Seconds for all matches of a session, far more than they need.

# Every fault that the server and this program can plant.
FAULTS = [
    "drop", "ghost", "down", "halves", "encodings", "unknown", "damaged", "disagree", "contradict",
    "refuse", "deaf", "kill", "stop", "undo", "abort", "chat",
]  # fmt: skip


@dataclass
class Session:
    """One run of the bridge: an engine, rules, and what each house player asks for."""

    name: str
    command: list[str]
    plans: dict[str, list[Plan]]
    rules: str = ""
    problems: list[str] = field(default_factory=list)


def rhino() -> str | None:
    """Where gtp-rhino is."""
    found = shutil.which("gtp-rhino", path=os.environ.get("PATH", "") + ":/usr/games")
    if found is None and os.environ.get("OTHELLIER_REQUIRE_RHINO"):
        sys.exit("gtp-rhino is not installed")
    return found


# Clocks of all kinds. They are long, so that a busy machine loses no game; only faults that cost time have short ones.
CLOCKS = [
    "02:00//02:00",
    "01:00/00:02/02:00",
    "02:00,N//01:00",
    "01:00,20/00:00/01:00,N10",
    "01:30/00:03,N/02:00",
    "03:00//00:00",
]


def plans(n_games: int, types: list[str], faults: list[str | None], seed: int) -> list[Plan]:
    """Matches of the types in turn, with each fault in turn, until they have as many games."""
    made: list[Plan] = []
    n = 0
    types_, faults_, clocks = itertools.cycle(types), itertools.cycle(faults), itertools.cycle(CLOCKS)
    for k in itertools.count():
        if n >= n_games:
            return made
        kind, fault, clock = next(types_), next(faults_), next(clocks)
        # What only a plain game has.
        if fault in ("undo", "contradict") and kind.startswith("s"):
            kind = "8"
        if fault == "stop":
            clock = "00:12//02:00"
        elif fault == "deaf":
            clock = "00:30//02:00"
        n += 2 if kind.startswith("s") else 1
        made.append(Plan(kind, clock, "R", fault, (7 * k + 5 * seed) % 36 + 3))
    raise AssertionError


def sessions(quick: bool) -> list[Session]:
    """What is played."""
    nboard = [OTHELLIER, "nboard", "--depth", "4", "--hash", "1"]
    gtp = [OTHELLIER, "gtp", "--depth", "4", "--hash", "1", "--ponder"]
    rules = 'undo = "always"\nresume = "own"\nchat = "I am a program."\nequal_clocks = true\ndiscs = [4, 40]\n'
    rules += 'initial = ["0:10", "60:00"]\n'
    types = ["8", "s8r20", "8r16", "s8r14", "s8", "8b"]
    none: list[str | None] = [None]
    if quick:
        all_faults: list[str | None] = [None, *(fault for fault in FAULTS if fault not in ("deaf", "stop", "down"))]
        made = [
            Session("gtp", gtp, {"house": plans(9, types, all_faults[:7], 1)}, rules),
            Session("nboard", nboard, {"house": plans(9, types, all_faults[7:], 2)}, rules),
        ]
        if path := rhino():
            made.append(
                Session("rhino", [path, "-l", "1", "-b", "0"], {"house": plans(3, types, [None, "drop"], 3)}, rules)
            )
        return made
    made = [
        Session("gtp", gtp, {"house": plans(30, types, [None, *FAULTS], 1)}, rules),
        Session("nboard", nboard, {"house": plans(24, types, [*FAULTS[::-1], None], 2)}, rules),
        Session(
            "pairs",
            gtp,
            {"anna": plans(7, types, none, 4), "otto": plans(7, types, ["halves"], 5)},
            rules + "matches = 2\n",
        ),
        Session(
            "komi",
            nboard,
            {"house": [Plan("8k", "02:00//02:00"), Plan("8kr14", "02:00//02:00")]},
            rules + 'types = ["8k", "8kr"]\n',
        ),
    ]
    # Engines that use the time they are given.
    short = ["00:12//02:00", "00:08/00:01/02:00", "00:08,10//00:06,N10", "00:06,N//00:06"]
    timed = {"house": [Plan(kind, clock) for kind, clock in zip(["8", "s8r20", "8r20", "8"], short, strict=True)]}
    low = rules.replace('"0:10"', '"0:05"')
    made += [Session(f"clocks-{name}", [OTHELLIER, name, "--hash", "1"], timed, low) for name in ("gtp", "nboard")]
    if path := rhino():
        made.append(Session("rhino", [path, "-l", "1", "-b", "0"], {"house": plans(30, types, [None, *FAULTS], 3)}, rules))
    return made


def descendants(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if parent == pid:
            found.append(int(path.parent.name))
    return found


def processor_time(pid: int) -> float:
    """Seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def play(session: Session, out: Path) -> Server:
    """Plays the session's matches and looks for everything that is wrong."""
    folder = out / session.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "password").write_text(PASSWORD + "\n")
    (folder / "password").chmod(0o600)
    (folder / "rules.toml").write_text(session.rules)
    bridge: asyncio.subprocess.Process | None = None
    engines: set[int] = set()

    def plant(fault: str) -> None:
        assert bridge
        for pid in descendants(bridge.pid):
            engines.add(pid)
            os.kill(pid, signal.SIGKILL if fault == "kill" else signal.SIGSTOP)

    with open(folder / "server.log", "w") as log, open(folder / "bridge.txt", "w") as printed:
        server = Server("bridge", PASSWORD, 1, plant)
        began = time.monotonic()
        server.log = lambda text: print(f"{time.monotonic() - began:8.3f} {text}", file=log, flush=True)
        await server.listen()
        command = [
            sys.executable, str(ROOT / "scripts/ggs.py"), "--server", f"127.0.0.1:{server.port}", "--login", "bridge",
            "--password-file", str(folder / "password"), "--rules", str(folder / "rules.toml"),
            "--games", str(folder / "games.ggf"), "--log", str(folder / "bridge.log"), "--", *session.command,
        ]  # fmt: skip
        bridge = await asyncio.create_subprocess_exec(*command, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed)
        tasks = [asyncio.create_task(server.run_plan(house, plans)) for house, plans in session.plans.items()]
        ended = asyncio.create_task(bridge.wait())

        async def watch() -> None:
            while True:
                await asyncio.sleep(0.05)
                server.late_games()

        watching = asyncio.create_task(watch())
        played: asyncio.Future[Any] = asyncio.gather(*tasks)
        await asyncio.wait([played, ended], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not all(task.done() for task in tasks):
            session.problems.append("not all matches were played")
        if not ended.done():
            engines.update(descendants(bridge.pid))
            used = processor_time(bridge.pid)
            await asyncio.sleep(1.0)
            used = processor_time(bridge.pid) - used
            if used > 0.05:
                session.problems.append(f"the bridge used {used:.2f} s of processor time while it waited for a second")
            bridge.terminate()
            try:
                await asyncio.wait_for(asyncio.shield(ended), 20)
            except TimeoutError:
                session.problems.append("the bridge does not end")
                bridge.kill()
                await ended
        for task in [*tasks, watching]:
            task.cancel()
        if bridge.returncode != 0:
            session.problems.append(f"the bridge ended with status {bridge.returncode}")
    check(session, server, folder, engines)
    return server


def check(session: Session, server: Server, folder: Path, engines: set[int]) -> None:
    """Adds to the session's problems."""
    count, problems = server.count, session.problems
    problems += [f"{what}: {found}" for what in ("illegal", "late", "floods", "wrong") for found in getattr(count, what)]
    planned = sorted(plan.fault for plans in session.plans.values() for plan in plans if plan.fault)
    if sorted(count.planted) != planned:
        problems.append(f"planted {sorted(count.planted)} instead of {planned}")
    problems += [f"{what} are left on the server" for what in ("matches", "requests", "stored") if getattr(server, what)]
    problems += [f"the engine {pid} is left" for pid in engines if Path(f"/proc/{pid}").exists()]
    for name in ("bridge.log", "bridge.txt", "games.ggf"):
        text = (folder / name).read_text(errors="replace") if (folder / name).exists() else ""
        if PASSWORD in text:
            problems.append(f"the password is in {name}")
        if "Traceback" in text:
            problems.append(f"{name} has a traceback")
    n_stored = len((folder / "games.ggf").read_text().splitlines())
    if n_stored != count.games:
        problems.append(f"{n_stored} games are stored, {count.games} were played")
    for command in (["convert", "--check"], ["analyze", "--depth", "1", "--batch"]):
        run = subprocess.run([OTHELLIER, *command, str(folder / "games.ggf")], capture_output=True, text=True, check=False)
        if run.returncode != 0 or "stops" in run.stdout + run.stderr:
            problems.append(
                f"othellier {command[0]}: {run.stderr[-300:]}{run.stdout[-300:] if command[0] == 'convert' else ''}"
            )


def stand_in() -> None:
    """A GTP engine for --latency: it moves at once and notes on stderr when it was asked and when it answered."""
    position = START
    for line in sys.stdin:
        asked = time.monotonic()
        words = line.split()
        text = ""
        match words:
            case ["name"]:
                text = "stand-in"
            case ["list_commands"]:
                text = "genmove\nplay"
            case ["clear_board"]:
                position = START
            case ["play", _, move]:
                position = position.play(parse_move(move) or "") or position
            case ["genmove", _]:
                text = position.moves()[0]
                position = position.play(text) or position
        print(f"= {text}\n", flush=True)
        if words[0] == "genmove":
            print(f"{time.monotonic() - asked:.6f}", file=sys.stderr, flush=True)


async def latency(out: Path) -> bool:
    """Prints what the bridge adds to a move."""
    session = Session(
        "latency", [sys.executable, __file__, "--stand-in"], {"house": [Plan(clock="02:00//02:00") for _ in range(10)]}
    )
    server = await play(session, out)
    times = [float(line) for line in (out / "latency/bridge.txt").read_text().split("\n") if line[:2] == "0."]
    added = statistics.median(server.count.delays) - statistics.median(times)
    highest = sorted(server.count.delays)[len(server.count.delays) * 95 // 100]
    n_moves = len(server.count.delays)
    print(f"{n_moves} moves: the bridge adds {1000 * added:.2f} ms (median), 95 % are below {1000 * highest:.2f} ms")
    for problem in session.problems:
        print(f"latency: {problem}")
    return not session.problems and added < 0.005


async def run(arguments: argparse.Namespace) -> bool:
    """Plays all sessions, one after the other."""
    out = Path(arguments.out)
    if arguments.latency:
        return await latency(out)
    if not shutil.which(OTHELLIER):
        sys.exit(f"{OTHELLIER} is not there; build it, or set OTHELLIER")
    is_good, n_games = True, 0
    for session in sessions(arguments.quick):
        if arguments.only and session.name != arguments.only:
            continue
        began = time.monotonic()
        server = await play(session, out)
        count = server.count
        n_games += count.games
        print(
            f"{session.name}: {count.games} games in {count.matches} matches, {count.moves} moves, {count.logins} logins, "
            f"faults: {', '.join(sorted(set(count.planted))) or 'none'} ({time.monotonic() - began:.0f} s)"
        )
        print(f"  {shlex.join(session.command)}")
        for problem in session.problems:
            print(f"  found: {problem}")
        is_good = is_good and not session.problems
    print(f"{n_games} games, {'nothing' if is_good else 'something'} wrong")
    return is_good


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Games between the bridge to GGS and a server for tests.")
    parser.add_argument("--quick", action="store_true", help="a few games")
    parser.add_argument("--latency", action="store_true", help="measure what the bridge adds to a move")
    parser.add_argument("--only", metavar="SESSION", help="one session")
    parser.add_argument("--out", default=str(ROOT / "target/ggs"), metavar="DIR", help="where logs and games go")
    parser.add_argument("--stand-in", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stand_in:
        stand_in()
        return 0
    return 0 if asyncio.run(run(arguments)) else 1


if __name__ == "__main__":
    sys.exit(main())
