"""An engine's process: lines to its standard input, lines from its standard output until a deadline, its end."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import IO, Final

from cornered.bots.ugi.watchdog import unwatch, watch
from cornered.protocol.text import visible

__all__ = ["EngineFailed", "EngineProcess"]

LINE_BYTES_MAX: Final = 65_536
"""Longer lines are read in parts."""
LINES_MAX: Final = 1000
"""Lines that wait to be read; beyond them the engine waits in its own write."""
LOGGED_CHARACTERS_MAX: Final = 500
QUIT_TIMEOUT_S: Final = 0.5
PUT_INTERVAL_S: Final = 0.1

log = logging.getLogger("cornered.engines")


class EngineFailed(Exception):
    """An engine ended, hung or answered with something else than a move. Its process has been ended."""


class EngineProcess:
    """A running program. One thread at a time may use it; `kill` is safe in every thread.

    It ends with this process, even where that is killed. What it writes to standard error goes line by line to the log,
    after its name; the last line is in the error about its end.
    """

    def __init__(self, command: Sequence[str], name: str) -> None:
        """Start the program. Raises EngineFailed where that is impossible."""
        self.name = name
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Ctrl-C in the terminal reaches its owner, which ends it; and `kill` reaches the programs it starts.
                start_new_session=True,
            )
        except OSError as error:
            raise EngineFailed(f"{name} cannot be started: {error.strerror or error}") from None
        watch(self._process.pid)
        self._lines: queue.Queue[str | None] = queue.Queue(LINES_MAX)
        self._is_killed = threading.Event()
        self._told = ""
        """The last line of standard error that is not blank."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._threads = [
            threading.Thread(target=work, args=(stream,), name=f"engine {name}", daemon=True)
            for work, stream in ((self._read, self._process.stdout), (self._log, self._process.stderr))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None and not self._is_killed.is_set()

    def send(self, line: str) -> None:
        """Write a line. Raises EngineFailed where the program has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def read_until(self, word: str, deadline: float, *, seen: Callable[[str], None] = lambda line: None) -> str:
        """Return the first line that begins with `word`; `seen` is called with those before it.

        Raises TimeoutError at the deadline, on the clock of `time.monotonic`, and EngineFailed where the program ends.
        """
        while (line := self.read_line(deadline)).split(" ", 1)[0] != word:
            seen(line)
        return line

    def read_line(self, deadline: float) -> str:
        """Return the next line, its white space replaced by single spaces. Raises as `read_until` does."""
        left = deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        try:
            line = self._lines.get(timeout=left)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            raise self._ended()
        return line

    def quit(self) -> None:
        """Ask the program to end, and kill it where it does not."""
        with contextlib.suppress(EngineFailed):
            self.send("quit")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_TIMEOUT_S)
        self.kill()

    def kill(self) -> None:
        """Kill the program and what it started, and wait for its end. Idempotent."""
        self._is_killed.set()
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        unwatch(self._process.pid)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(QUIT_TIMEOUT_S)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()

    def _ended(self) -> EngineFailed:
        """End the process where it only closed its output, and return what to raise."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_TIMEOUT_S)
        code = self._process.poll()
        self.kill()
        how = "closed its output" if code is None else f"ended with exit code {code}"
        # `kill` has waited for the thread that reads standard error.
        return EngineFailed(f"{self.name} {how}{self._told and f': {self._told}'}")

    def _read(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := stream.readline(LINE_BYTES_MAX):
                self._put(" ".join(part.decode(errors="replace").split()))
        self._put(None)

    def _put(self, line: str | None) -> None:
        while not self._is_killed.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=PUT_INTERVAL_S)
                return

    def _log(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := stream.readline(LINE_BYTES_MAX):
                line = part.decode(errors="replace").rstrip()[:LOGGED_CHARACTERS_MAX]
                log.warning("%s: %s", self.name, line)
                self._told = visible(line.strip()) or self._told
