#!/usr/bin/env python3
"""Asks `othellier json` for the scores of a game's positions, and prints what each move lost.

    scores.py [MOVES] [OTHELLIER...]      by default: scores.py f5d6c3d3c4f4 othellier

Copy the class: it needs nothing but Python.
"""
import json
import queue
import subprocess
import sys
import threading


class Othellier:
    """A running `othellier json`. Requests go out at once; answers are waited for by id, from any thread."""

    def __init__(self, command=("othellier", "json")):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.answers, self.lock, self.n = {}, threading.Lock(), 0
        self.has_ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for line in self.process.stdout:
                answer = json.loads(line)
                with self.lock:
                    waiting = self.answers.get(answer.get("id"))
                if waiting:
                    waiting.put(answer)
        finally:
            with self.lock:
                self.has_ended = True
                for waiting in self.answers.values():
                    waiting.put({"message": "the engine has ended"})

    def ask(self, **request):
        """Sends a request and returns its id."""
        with self.lock:
            if self.has_ended:
                raise ValueError("the engine has ended")
            self.n += 1
            self.answers[self.n] = queue.Queue()
            self.process.stdin.write(json.dumps({"id": self.n, **request}) + "\n")
            self.process.stdin.flush()
            return self.n

    def answer(self, id):
        """The next answer to a request; an error raises ValueError."""
        answer = self.answers[id].get()
        if "message" in answer:
            raise ValueError(answer["message"])
        return answer

    def cancel(self, id):
        with self.lock:
            self.process.stdin.write(json.dumps({"action": "cancel", "ids": id}) + "\n")
            self.process.stdin.flush()

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


if __name__ == "__main__":
    moves = sys.argv[1] if len(sys.argv) > 1 else "f5d6c3d3c4f4"
    engine = Othellier(sys.argv[2:] + ["json"] if len(sys.argv) > 2 else ("othellier", "json"))
    request = engine.ask(moves=moves, plies="all", depth=10)
    scores = {}
    for _ in range(len(moves) // 2 + 1):
        answer = engine.answer(request)
        scores[answer["ply"]] = answer
    for ply, before in sorted(scores.items())[:-1]:
        played, after = moves[2 * ply : 2 * ply + 2], scores[ply + 1]
        same_side = before["position"][-1] == after["position"][-1]
        score = after["score"] if same_side else -after["score"]
        lost = max(before["score"] - score, 0)
        print(f"{ply + 1:2} {played} {score:+6.2f}  best {before['move']} {before['score']:+6.2f}  lost {lost:.2f}")
    sys.exit(engine.close())
