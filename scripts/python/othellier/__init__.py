"""Scores, moves and exact endgames of Othello positions, from a running `othellier json`.

    from othellier import Othellier

    with Othellier() as engine:
        best = engine.ask(moves="f5d6c3", depth=12).answer()
        print(best["move"], best["score"])

Requests and answers are those of docs/json.md. This file needs nothing but Python 3.8 and the program.
"""
import json
import queue
import subprocess
import threading
import weakref
from importlib import metadata
from typing import Any, Dict, Iterator, List, Optional, Sequence, TypedDict

__all__ = ["Answer", "Othellier", "Request", "Scored", "program"]


class Scored(TypedDict):
    """A move such as `f5`, or `pa` for a pass, and its score in discs for the side to move."""

    move: str
    score: float


class Answer(TypedDict, total=False):
    """An answer; scores are in discs for the side to move. `move` is None if the game is over."""

    id: int
    ply: int
    position: str
    assumed: str
    move: Optional[str]
    score: float
    bound: str
    lower: int
    upper: int
    depth: int
    confidence: int
    exact: bool
    nodes: int
    time: float
    pv: List[str]
    moves: List[Scored]
    book: List[Scored]
    partial: bool
    canceled: bool


class Request:
    """What was asked; its answers are waited for from any thread."""

    def __init__(self, engine: "Othellier", id: int) -> None:
        self.id = id
        self._engine = engine
        self._answers: "queue.Queue[Dict[str, Any]]" = queue.Queue()

    def answer(self, timeout: Optional[float] = None) -> Answer:
        """The next answer. An error raises ValueError, no answer within `timeout` seconds TimeoutError."""
        try:
            answer = self._answers.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"no answer within {timeout} s") from None
        if "message" in answer:
            self._answers.put(answer)
            raise ValueError(answer["message"])
        return answer  # type: ignore[return-value]

    def reports(self) -> Iterator[Answer]:
        """The answers with `partial`, which `report_every` asks for, and the last one, which has none."""
        while True:
            answer = self.answer()
            yield answer
            if not answer.get("partial"):
                return

    def cancel(self) -> None:
        """Ends the search: the answer tells what was found, with `canceled`."""
        self._engine._write({"action": "cancel", "ids": self.id})


class Othellier:
    """A running `othellier json`. Requests go out at once; each is answered when it is ready."""

    def __init__(self, *options: str, command: Optional[Sequence[str]] = None) -> None:
        """Starts the program that belongs to this package, with options such as `"--threads", "4"`, or another command."""
        command = list(command or [program(), "json"]) + list(options)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        self._lock = threading.Lock()
        self._n = 0
        self._has_ended = False
        # Whoever drops a request wants no more answers.
        self._requests: "weakref.WeakValueDictionary[int, Request]" = weakref.WeakValueDictionary()
        threading.Thread(target=self._read, daemon=True).start()

    def ask(self, **request: Any) -> Request:
        """Sends a request, such as `moves="f5d6c3", depth=12, lines="all"`, or `strength=20` for the move of an opponent."""
        if "id" in request:
            raise ValueError("id: requests have numbers of their own")
        with self._lock:
            self._n += 1
            asked = Request(self, self._n)
            self._requests[asked.id] = asked
        self._write({"id": asked.id, **request})
        return asked

    def close(self) -> int:
        """Waits for all answers and for the end of the program, and returns its exit status."""
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass  # It has ended, and reads no more.
        return self.process.wait()

    def __enter__(self) -> "Othellier":
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._write({"action": "quit"})
        except ValueError:
            pass
        self.close()

    def _write(self, line: Dict[str, Any]) -> None:
        with self._lock:
            if self._has_ended:
                raise ValueError("the engine has ended")
            assert self.process.stdin
            try:
                self.process.stdin.write(json.dumps(line) + "\n")
                self.process.stdin.flush()
            except OSError:
                raise ValueError("the engine has ended") from None

    def _read(self) -> None:
        assert self.process.stdout
        try:
            with self.process.stdout as lines:
                for line in lines:
                    answer = json.loads(line)
                    request = self._requests.get(answer.get("id"))
                    if request:
                        request._answers.put(answer)
        finally:
            with self._lock:
                self._has_ended = True
                for request in list(self._requests.values()):
                    request._answers.put({"message": "the engine has ended"})


def program() -> str:
    """The path of the program: that of the installed package, or the one that the system finds."""
    try:
        files = metadata.files(__name__) or []
    except metadata.PackageNotFoundError:
        files = []
    names = ("othellier", "othellier.exe")
    return next((str(file.locate()) for file in files if file.name in names), "othellier")
