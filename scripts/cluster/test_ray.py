#!/usr/bin/env python3
"""Analyzes positions on a Ray cluster of two nodes on this machine, one of which is killed in the middle.

    test_ray.py --quick

Needs root, Python's ray and tqdm, and Debian's iproute2 and util-linux.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ray_analyze

import ray
from ray.cluster_utils import Cluster

ROOT = Path(__file__).resolve().parents[2]
OTHELLIER = os.environ.get("OTHELLIER", str(ROOT / "target/release/othellier"))
OPTIONS = ["--depth", os.environ.get("DEPTH", "9"), "--hash", "1"]


def run(*words):
    return subprocess.run([OTHELLIER, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def rows(text):
    return [{**json.loads(line), "time": 0} for line in text.splitlines()]


def node():
    return {"num_cpus": 1, "object_store_memory": 100 << 20, "wait": False}


class Killer:
    """Kills a node once each has an engine."""

    def __init__(self, cluster, node):
        self.cluster = cluster
        self.node = node
        self.n_done = None

    def __call__(self, crew, n_done):
        if self.n_done is not None:
            return
        # However long a node takes to start an engine: the other does not finish the job meanwhile.
        starting = list(crew.starting)
        if starting:
            ray.wait(starting, num_returns=len(starting))
        if n_done >= 2 and len(crew.pending) + len(crew.idle) == 2:
            self.n_done = n_done
            self.cluster.remove_node(self.node, allow_graceful=False)


def check(folder):
    event, archive, out = (os.path.join(folder, name) for name in ["event", "games.obf", "rows"])
    players = [word for name in ["minimax2", "greedy", "minimizer"] for word in ("--player", name)]
    run("match", *players, "--games", "2", "--seed", "5", "--out", event)
    run("convert", "--to", "obf", os.path.join(event, "games.ggf"), archive)
    whole = run("analyze", "--batch", "--threads", "1", *OPTIONS, archive)

    cluster = Cluster(initialize_head=True, head_node_args={**node(), "include_dashboard": False})
    killer = Killer(cluster, cluster.add_node(**node()))
    cluster.wait_for_nodes(timeout=300)
    ray.init(address=cluster.address, log_to_driver=False)
    lost = ray_analyze.analyze(archive, out, OTHELLIER, OPTIONS, killer)
    text = Path(out).read_text()
    assert killer.n_done and lost > 0, (killer.n_done, lost)
    assert rows(text) == rows(whole) and len(rows(whole)) > 100
    # Interrupted in the middle of a row, it goes on behind the last whole one.
    Path(out).write_text(text[: len(text) // 2])
    ray_analyze.analyze(archive, out, OTHELLIER, OPTIONS)
    assert rows(Path(out).read_text()) == rows(whole)
    ray.shutdown()
    cluster.shutdown()
    return killer.n_done


def main():
    if sys.argv[1:] != ["--quick"]:
        sys.exit("usage: test_ray.py --quick")
    if os.geteuid() != 0:
        sys.exit("test_ray.py: only root may make a network")
    if "IN_BOX" not in os.environ:
        # Processes and a network of their own: nobody else reaches the cluster, and nothing of it stays.
        os.environ["IN_BOX"] = "1"
        box = ["unshare", "--net", "--uts", "--pid", "--mount-proc", "--fork", "--kill-child"]
        os.execvp(box[0], [*box, sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # Ray takes the address of the host's name.
    subprocess.run(["hostname", "localhost"], check=True)
    # A short path: names of sockets are below it.
    with tempfile.TemporaryDirectory(prefix="othellier-ray.", dir="/tmp") as folder:
        os.environ["RAY_TMPDIR"] = folder
        n_done = check(folder)
    print(f"test_ray.py: a node died after {n_done} calls, all rows as in one run")


if __name__ == "__main__":
    main()
