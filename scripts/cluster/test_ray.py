#!/usr/bin/env python3
"""Analyzes positions on a Ray cluster of two nodes on this machine, one of which is killed in the middle.

    test_ray.py --quick

Needs Python's ray and tqdm.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# The loopback address alone; Ray reads this when it is imported.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

import ray
from ray.cluster_utils import Cluster

import ray_analyze

ROOT = Path(__file__).resolve().parents[2]
OTHELLIER = os.environ.get("OTHELLIER", str(ROOT / "target/release/othellier"))
OPTIONS = ["--evaluation", "terms", "--depth", os.environ.get("DEPTH", "12"), "--hash", "1"]


def run(*words):
    return subprocess.run([OTHELLIER, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def rows(text):
    return [{**json.loads(line), "time": 0} for line in text.splitlines()]


def node():
    return {"num_cpus": 1, "object_store_memory": 100 << 20}


def main():
    if sys.argv[1:] != ["--quick"]:
        sys.exit("usage: test_ray.py --quick")
    with tempfile.TemporaryDirectory(prefix="othellier-ray.") as folder:
        event, archive, out = (os.path.join(folder, name) for name in ["event", "games.obf", "rows"])
        players = [word for name in ["minimax2", "greedy", "minimizer"] for word in ("--player", name)]
        run("match", *players, "--games", "2", "--seed", "5", "--out", event)
        run("convert", "--to", "obf", os.path.join(event, "games.ggf"), archive)
        whole = run("analyze", "--batch", "--threads", "1", *OPTIONS, archive)

        cluster = Cluster(initialize_head=True, head_node_args={**node(), "include_dashboard": False})
        second = cluster.add_node(**node())
        ray.init(address=cluster.address, log_to_driver=False)
        killed = []

        def kill_in_the_middle(crew, n_done):
            # An engine on each node.
            if not killed and n_done >= 2 and len(crew.pending) + len(crew.idle) == 2:
                cluster.remove_node(second, allow_graceful=False)
                killed.append(n_done)

        lost = ray_analyze.analyze(archive, out, OTHELLIER, OPTIONS, kill_in_the_middle)
        text = Path(out).read_text()
        assert killed and lost > 0, (killed, lost)
        assert rows(text) == rows(whole) and len(rows(whole)) > 100
        # Interrupted in the middle of a row, it goes on behind the last whole one.
        Path(out).write_text(text[: len(text) // 2])
        ray_analyze.analyze(archive, out, OTHELLIER, OPTIONS)
        assert rows(Path(out).read_text()) == rows(whole)
        ray.shutdown()
        cluster.shutdown()
    print(f"test_ray.py: a node died after {killed[0]} calls, all rows as in one run")


if __name__ == "__main__":
    main()
