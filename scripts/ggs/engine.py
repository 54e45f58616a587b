"""An engine's process: its pipes without blocking, and the dialogue over them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable

from .dialogue import Dialogue, Event, Ready, Turn

# Kills a group once its input ends, however this program ends; the group's number is the first line.
GUARD = ["/bin/sh", "-c", 'read group && { read end; kill -s KILL -- -"$group"; }']

START_PATIENCE = 60.0  # Seconds in which an engine must introduce itself.
LONGEST_LINE = 1 << 20


class Engine:
    """One engine. It is started when it is needed; events and deaths go to `on_event` and `on_death`."""

    def __init__(
        self,
        command: list[str],
        new_dialogue: Callable[[], Dialogue],
        on_event: Callable[[Event], None],
        on_death: Callable[[str], None],
        log: Callable[[str], None],
    ) -> None:
        self._command, self._new_dialogue = command, new_dialogue
        self._on_event, self._on_death, self._log = on_event, on_death, log
        self.process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._dialogue = new_dialogue()
        self._is_ready = False
        self._waiting: Turn | None = None
        self._output = b""
        self._input = b""
        self.deadline: float | None = None

    def start(self, now: float) -> None:
        """Starts the process if it is not running."""
        if self.process is not None:
            return
        try:
            self._guard = subprocess.Popen(GUARD, stdin=subprocess.PIPE, bufsize=0, start_new_session=True)
            self.process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            self._dismiss()
            self._on_death(f"cannot start {self._command[0]}: {error.strerror}")
            return
        with contextlib.suppress(OSError):
            assert self._guard and self._guard.stdin
            self._guard.stdin.write(b"%d\n" % self.process.pid)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            os.set_blocking(pipe.fileno(), False)
        self._dialogue, self._is_ready, self._output, self._input = self._new_dialogue(), False, b"", b""
        self.deadline = now + START_PATIENCE
        self._dialogue.begin()
        self._send()

    def end(self) -> None:
        """Ends the process and everything it started, whatever it does."""
        process, self.process, self._waiting, self.deadline = self.process, None, None, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            assert pipe
            with contextlib.suppress(OSError):
                pipe.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        # No longer than the number of the group is known to be its own.
        self._dismiss()
        process.wait()

    def _dismiss(self) -> None:
        """Ends the guard before its input does."""
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.kill()
            guard.communicate()

    def think(self, turn: Turn, now: float) -> None:
        """Asks for a move as soon as the engine is ready."""
        if self.process is not None and self._is_ready:
            self._dialogue.think(turn)
            self._send()
            return
        self._waiting = turn
        self.start(now)

    def outputs(self) -> int | None:
        """The descriptor to read from."""
        return self.process.stdout.fileno() if self.process and self.process.stdout else None

    def inputs(self) -> int | None:
        """The descriptor to write to, if there is something to write."""
        return self.process.stdin.fileno() if self.process and self.process.stdin and self._input else None

    def read(self) -> None:
        """Reads the engine's output."""
        fd = self.outputs()
        if fd is None:
            return
        try:
            # So little that the server need not wait long for an engine that keeps writing.
            data = os.read(fd, 1 << 12)
        except BlockingIOError:
            return
        except OSError as error:
            self._die(f"cannot read: {error.strerror}")
            return
        if not data:
            assert self.process
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=1)
            self._die(f"it ended with status {self.process.returncode}")
            return
        *lines, self._output = (self._output + data).split(b"\n")
        if len(self._output) > LONGEST_LINE:
            self._die("its line does not end")
            return
        process = self.process
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip("\r")
            self._log(f"> {text}")
            event = self._dialogue.receive(text)
            self._send()
            if isinstance(event, Ready):
                self._is_ready, self.deadline = True, None
                turn, self._waiting = self._waiting, None
                if turn is not None:
                    self._dialogue.think(turn)
                    self._send()
            if event is not None:
                self._on_event(event)
            if self.process is not process:
                return

    def write(self) -> None:
        """Writes what the pipe did not take before."""
        assert self.process and self.process.stdin
        try:
            self._input = self._input[os.write(self.process.stdin.fileno(), self._input) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self._die(f"cannot write: {error.strerror}")

    def tick(self, now: float) -> None:
        """Gives up an engine that does not introduce itself."""
        if self.deadline is not None and now >= self.deadline:
            self._die(f"no greeting in {START_PATIENCE:.0f} seconds")

    def _send(self) -> None:
        lines, self._dialogue.to_send = self._dialogue.to_send, []
        for line in lines:
            self._log(f"< {line}")
            self._input += line.encode() + b"\n"
        if self._input and self.process:
            self.write()

    def _die(self, why: str) -> None:
        self.end()
        self._on_death(why)
