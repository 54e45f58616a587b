#!/usr/bin/env python3
"""Analyzes an archive on a Ray cluster, with engines that stay warm.

    ray_analyze.py ARCHIVE OUT [--address ADDRESS] [--depth N] [--lines N] [--hash MB]
    ray_analyze.py games.ggf scores.jsonl --address auto --depth 12

Each core of the cluster has an actor with one `othellier analyze --batch`, which answers position by position. ARCHIVE holds positions
(.obf) or games (every position of each is analyzed). OUT gets the rows that one `othellier analyze --batch` prints, in order, each as
soon as those before it are there; run again, the script goes on behind the last whole row. What a node that dies had under way is done by
the others, and nodes that join are put to work. Every node needs the program under the same path (--othellier, or PATH).

Needs Python's ray and tqdm.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections import deque

# Ray would report its use to its makers.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
from ray.exceptions import RayActorError, RayTaskError
from tqdm import tqdm

CHUNK = 16
"""Positions of a call: many hide the time of the call, few lose little with a node."""

PATIENCE = 2.0
"""Seconds between looks for nodes that joined."""


@ray.remote(num_cpus=1, max_restarts=0)
class Engine:
    """A process that answers lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def is_ready(self):
        return True

    def answers(self, positions):
        """The rows of some positions. Blank lines and comments have none, so they are not sent."""
        rows = []
        for position in positions:
            self.process.stdin.write(position + "\n")
            self.process.stdin.flush()
            row = self.process.stdout.readline()
            if not row.endswith("\n"):
                raise RuntimeError(f"the engine ended at: {position}")
            rows.append(row)
        return rows


def positions_of(archive, othellier):
    """The positions of an archive with their numbers, from 1."""
    if archive.endswith(".obf"):
        with open(archive, "rb") as file:
            text = file.read()
    else:
        # A game that cannot be read is named, and the others are analyzed.
        command = [othellier, "convert", "--to", "obf", archive, "-"]
        text = subprocess.run(command, stdout=subprocess.PIPE).stdout
        if not text:
            sys.exit(f"{archive}: no positions")
    # Lines end as they do for the engine: other signs that end lines may stand in comments.
    lines = text.decode("utf-8-sig", "replace").split("\n")
    numbered = enumerate(map(str.strip, lines), start=1)
    return [(number, line) for number, line in numbered if line and not line.startswith("%")]


def last_row(path):
    """The number of the last whole row of a file; cuts off what follows it. Ends with an error if it holds anything else."""
    if not os.path.exists(path):
        return 0
    with open(path, "r+b") as file:
        *rows, rest = file.read().split(b"\n")
        numbers = [re.match(rb'\{"id":(\d+),', row) for row in rows]
        if not all(numbers) or not (rest.startswith(b'{"id":') or b'{"id":'.startswith(rest)):
            sys.exit(f"{path} holds other than rows of this program, and is left as it is")
        file.truncate(sum(len(row) + 1 for row in rows))
    return int(numbers[-1].group(1)) if rows else 0


class Crew:
    """The engines, and what each of them is at."""

    def __init__(self, command):
        self.command = command
        self.starting = {}
        self.idle = []
        self.pending = {}
        self.looked = float("-inf")
        self.lost = 0

    def grow(self):
        """Gives every core of the living nodes an engine."""
        if time.monotonic() < self.looked + PATIENCE:
            return
        self.looked = time.monotonic()
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        n_cores = int(sum(resources.get("CPU", 0) for resources in nodes))
        n_missing = n_cores - len(self.starting) - len(self.idle) - len(self.pending)
        for _ in range(n_missing):
            engine = Engine.remote(self.command)
            self.starting[engine.is_ready.remote()] = engine
        # A node that died counts as alive for a while, so there may be more engines than cores for them.
        for future in list(self.starting)[: max(0, -n_missing)]:
            del self.starting[future]

    def begin(self, chunk):
        engine = self.idle.pop()
        future = engine.answers.remote([line for _, line in chunk])
        self.pending[future] = (engine, chunk)

    def finished(self):
        """Waits a while; yields chunks with their rows, or with None where an engine died."""
        futures = [*self.starting, *self.pending]
        if not futures:
            time.sleep(PATIENCE)
            return
        done, _ = ray.wait(futures, num_returns=1, timeout=PATIENCE)
        for future in done:
            is_new = future in self.starting
            engine, chunk = (self.starting.pop(future), None) if is_new else self.pending.pop(future)
            try:
                rows = ray.get(future)
                self.idle.append(engine)
            except RayTaskError:
                # The engine itself failed, as it would elsewhere.
                raise
            except RayActorError:
                rows = None
                self.lost += 1
            if not is_new:
                yield chunk, rows


def analyze(archive, out, othellier, options, on_chunk=lambda crew, n: None):
    """Analyzes what OUT lacks. Returns the number of engines that died."""
    positions = positions_of(archive, othellier)
    first = last_row(out)
    left = [(number, line) for number, line in positions if number > first]
    chunks = [left[start : start + CHUNK] for start in range(0, len(left), CHUNK)]
    todo = deque(chunks)
    order = deque(chunk[0][0] for chunk in chunks)
    crew = Crew([othellier, "analyze", "--batch", "--threads", "1", *options])
    ready = {}
    n_done = len(positions) - len(left)
    # Shown on a terminal only.
    bar = tqdm(total=len(positions), initial=n_done, unit="positions", disable=None)
    with bar, open(out, "a", encoding="utf-8") as file:
        while order:
            crew.grow()
            while todo and crew.idle:
                crew.begin(todo.popleft())
            for chunk, rows in crew.finished():
                if rows is None:
                    todo.appendleft(chunk)
                    continue
                ready[chunk[0][0]] = [
                    re.sub(r'^\{"id":\d+', f'{{"id":{number}', row)
                    for (number, _), row in zip(chunk, rows)
                ]
                bar.update(len(chunk))
            while order and order[0] in ready:
                file.writelines(ready.pop(order.popleft()))
                file.flush()
            on_chunk(crew, len(chunks) - len(order))
    return crew.lost


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("archive", metavar="ARCHIVE")
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("--address", help="of the cluster; without it, this machine alone")
    parser.add_argument("--othellier", default="othellier", help="the program on every node")
    for option in ["depth", "lines", "hash", "time"]:
        parser.add_argument(f"--{option}", help="as for othellier analyze --batch")
    arguments = parser.parse_args()
    given = {name: getattr(arguments, name) for name in ["depth", "lines", "hash", "time"]}
    options = [word for name, value in given.items() if value for word in (f"--{name}", value)]
    ray.init(address=arguments.address, log_to_driver=False)
    lost = analyze(arguments.archive, arguments.out, arguments.othellier, options)
    if lost:
        print(f"{lost} engines died; others did their work", file=sys.stderr)


if __name__ == "__main__":
    main()
