"""Kills engines whose Cornered process was killed itself, and so could not end them.

A watchdog is a process that reads a pipe from its parent and lives on when the parent is killed; the end of the pipe
tells it. Executed as a script, this file is the watchdog: it knows the process groups of the running engines from the
lines `+ID` and `-ID`. Unlike the signal that Linux sends at a parent's death, this works on every POSIX system, with
engines that any thread has started, and for the programs that an engine has started. Windows has no process groups;
there nothing is watched.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from typing import IO

__all__ = ["Watchdog", "unwatch", "watch"]


class Watchdog:
    """The watchdog of the process that creates it."""

    def __init__(self) -> None:
        self.parent = os.getpid()
        self._process = subprocess.Popen(
            # Isolated and without site packages: it starts in 15 ms.
            [sys.executable, "-I", "-S", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            # What ends the parent's process group must not end it.
            start_new_session=True,
        )

    def tell(self, line: str) -> None:
        """Send a line. It is nothing to the engine's owner where the watchdog was killed."""
        with contextlib.suppress(OSError, ValueError):
            self._pipe.write(line.encode())
            self._pipe.flush()

    def end(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.close()
        self._process.wait()

    @property
    def _pipe(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin


_lock = threading.Lock()
_watchdogs: list[Watchdog] = []
"""The one of this process, at most; a forked process starts its own."""


def watch(group: int) -> None:
    """Have a process group killed when this process ends without `unwatch`."""
    if not hasattr(os, "killpg"):
        return
    with _lock:
        if not _watchdogs or _watchdogs[0].parent != os.getpid():
            _watchdogs[:] = [Watchdog()]
        _watchdogs[0].tell(f"+{group}\n")


def unwatch(group: int) -> None:
    """Leave a process group alone, which has been killed: its number may be another's soon."""
    with _lock:
        if _watchdogs and _watchdogs[0].parent == os.getpid():
            _watchdogs[0].tell(f"-{group}\n")


@atexit.register
def _end() -> None:
    with _lock:
        if _watchdogs and _watchdogs[0].parent == os.getpid():
            _watchdogs.pop().end()


def _kill_at_the_end_of(lines: Iterable[bytes]) -> None:
    groups: set[int] = set()
    for line in lines:
        change = groups.add if line[:1] == b"+" else groups.discard
        change(int(line[1:]))
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    _kill_at_the_end_of(sys.stdin.buffer)
