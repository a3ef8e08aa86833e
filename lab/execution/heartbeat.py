"""Signs of life of a worker process: the item in work, the deadline of the next sign, and words that outlive it.

They are written into a file before what they describe begins: the operating system keeps the file, whatever ends the
process, and a write costs a microsecond.
"""

from __future__ import annotations

import faulthandler
import os
import struct
import sys
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

__all__ = ["Alarm", "Beat", "File", "LivenessReporter", "beat", "current", "install", "read"]

HEADER: Final = struct.Struct("<qqdI")
"""The errand, the item's place in it, the deadline of the next sign, and the length of the words that follow."""


class LivenessReporter:
    """Where a process leaves its signs of life. This one discards them: it is that of a process that is no worker."""

    def begin(self, errand: int, place: int, within: float | None) -> None:
        """Report that an item is begun; the next sign follows in `within` seconds, or at any time for None."""
        self.beat("", within)

    def beat(self, words: str, within: float | None) -> None:
        """Report what is being done with the item."""

    def rest(self) -> None:
        """Report that no item is in work."""
        self.begin(-1, -1, None)


@dataclass(frozen=True, slots=True)
class Beat:
    """The newest sign of life of a process. `deadline` is on the machine's monotonic clock."""

    errand: int
    place: int
    deadline: float
    words: str


class File(LivenessReporter):
    """Signs of life in a file that is named for this process."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / str(os.getpid()), os.O_CREAT | os.O_WRONLY, 0o600)
        self._item = (-1, -1)

    def begin(self, errand: int, place: int, within: float | None) -> None:
        self._item = (errand, place)
        super().begin(errand, place, within)

    def beat(self, words: str, within: float | None) -> None:
        text = words.encode()
        deadline = inf if within is None else monotonic() + within
        # One call, so that readers see all of a sign or nothing, even when the process dies.
        os.pwrite(self._file, HEADER.pack(*self._item, deadline, len(text)) + text, 0)


class Alarm(LivenessReporter):
    """Ends this process when its next sign of life is overdue, for processes that are not watched from outside.

    The watchdog is a C thread, which also ends a process that never releases the interpreter lock, and prints its
    traceback.
    """

    def beat(self, words: str, within: float | None) -> None:
        if within is None:
            faulthandler.cancel_dump_traceback_later()
        else:
            faulthandler.dump_traceback_later(within, exit=True, file=sys.__stderr__ or sys.stderr)


_heart = LivenessReporter()


def install(reporter: LivenessReporter) -> None:
    """Report this process's signs of life there."""
    global _heart
    _heart = reporter


def current() -> LivenessReporter:
    """Return where this process reports its signs of life."""
    return _heart


def beat(words: str, within: float | None = None) -> None:
    """Report what this process does, for the case that it dies of it; functions that workers carry out call this.

    With `within`, the process is ended when it reports nothing for so many seconds. Does nothing in a process that is
    no worker.
    """
    _heart.beat(words, within)


def read(folder: Path, process: int) -> Beat | None:
    """Return the newest sign of life of a process, dead or alive; None when it never gave one."""
    try:
        raw = (folder / str(process)).read_bytes()
    except FileNotFoundError:
        return None
    if len(raw) < HEADER.size:
        return None
    errand, place, deadline, length = HEADER.unpack_from(raw)
    return Beat(errand, place, deadline, raw[HEADER.size : HEADER.size + length].decode())
