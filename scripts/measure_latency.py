#!/usr/bin/env python3
"""Measures how quickly the engine responds and how few resources it takes. Linux and the standard library only.

    scripts/measure_latency.py [COMMAND [ARGUMENT ...]]      default: target/release/othellier

Prints the time from process start to first reply, from `ping` to `pong` during a deep search, the processor time of an idle
engine, and the memory after 10 s of search with its hash size.
"""
import os
import subprocess
import sys
import time

HASH_MB = 64
START = "---------------------------O*------*O---------------------------"


def start(arguments):
    return subprocess.Popen(
        COMMAND + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )


def send(engine, line):
    engine.stdin.write(line.encode() + b"\n")


def wait_for(engine, prefix):
    """Reads lines until one begins with the prefix."""
    while True:
        line = engine.stdout.readline()
        if not line:
            sys.exit("the engine has ended")
        if line.startswith(prefix):
            return


def end(engine):
    engine.stdin.close()
    engine.stdout.read()
    engine.wait()


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def first_reply(arguments, request, reply):
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        engine = start(arguments)
        send(engine, request)
        wait_for(engine, reply)
        times.append(time.perf_counter() - begin)
        end(engine)
    return times


def pings():
    engine = start(["nboard"])
    send(engine, "nboard 2")
    send(engine, "set depth 60")
    times = []
    for number in range(1, 301):
        game = f"(;GM[Othello]TY[8]BO[8 {START} *]B[F5]W[D6];)"
        send(engine, f"set game {game}")
        send(engine, "hint 4")
        time.sleep(0.02 + 0.0007 * (number % 100))
        begin = time.perf_counter()
        send(engine, f"ping {number}")
        wait_for(engine, f"pong {number}\n".encode())
        times.append(time.perf_counter() - begin)
    end(engine)
    return times


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def idle():
    engine = start(["gtp", "--level", "6"])
    send(engine, "genmove black")
    wait_for(engine, b"=")
    time.sleep(0.5)
    before = processor_seconds(engine.pid)
    time.sleep(5)
    used = processor_seconds(engine.pid) - before
    end(engine)
    return used


def memory():
    engine = start(["gtp", "--hash", str(HASH_MB)])
    send(engine, "lz-analyze 100")
    time.sleep(10)
    resident = resident_mb(engine.pid)
    end(engine)
    return resident


COMMAND = sys.argv[1:] or [os.path.join(os.path.dirname(__file__), "../target/release/othellier")]

for name, times in (
    ("start to first reply, GTP", first_reply(["gtp"], "name", b"=")),
    ("start to first reply, NBoard", first_reply(["nboard"], "ping 1", b"pong 1")),
    ("ping to pong in a deep search", pings()),
):
    print(
        f"{name}: median {percentile(times, 0.5) * 1000:.1f} ms,"
        f" 99 of 100 under {percentile(times, 0.99) * 1000:.1f} ms,"
        f" longest {max(times) * 1000:.1f} ms ({len(times)} times)"
    )
print(f"idle: {idle():.2f} s of processor time in 5 s")
print(f"memory after 10 s of search: {memory():.1f} MB with a hash of {HASH_MB} MB")
