#!/usr/bin/env python3
"""Asks `othellier json` for the scores of a game's positions, and prints what each move lost.

    scores.py [MOVES] [OTHELLIER...]      by default: scores.py f5d6c3d3c4f4 othellier

A pass in MOVES is `pa`.

The module is that of the wheels. Without them copy its one file, which needs nothing but Python.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from othellier import Othellier

moves = "".join(sys.argv[1].split()) if len(sys.argv) > 1 else "f5d6c3d3c4f4"
engine = Othellier(command=[*sys.argv[2:], "json"] if len(sys.argv) > 2 else None)
request = engine.ask(moves=moves, plies="all", depth=10)
scores = {}
for _ in range(len(moves) // 2 + 1):
    answer = request.answer()
    scores[answer["ply"]] = answer
for ply, before in sorted(scores.items())[:-1]:
    played, after = moves[2 * ply : 2 * ply + 2], scores[ply + 1]
    same_side = before["position"][-1] == after["position"][-1]
    score = after["score"] if same_side else -after["score"]
    lost = max(before["score"] - score, 0)
    print(f"{ply + 1:2} {played} {score:+6.2f}  best {before['move']} {before['score']:+6.2f}  lost {lost:.2f}")
sys.exit(engine.close())
