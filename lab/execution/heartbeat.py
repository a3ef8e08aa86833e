"""A worker's sign of life: what it works on, when it will give the next sign, and words that outlive its process.

A process that dies cannot say any more what it was doing, so it says so before, into a file of its own. What was
written stays with the operating system, whatever ends the process, and costs a microsecond.
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
from typing import Final, Protocol

__all__ = ["Alarm", "Beat", "File", "LivenessReporter", "beat", "current", "install", "read"]

HEADER: Final = struct.Struct("<qqdI")
"""The errand, the item's place in it, the deadline of the next sign, and the length of the words that follow."""


class LivenessReporter(Protocol):
    """Where a process leaves its signs of life."""

    def begin(self, errand: int, place: int, within: float | None) -> None:
        """Say that an item is begun, and within how many seconds there will be another sign; None promises nothing."""

    def beat(self, words: str, within: float | None) -> None:
        """Say what is being done with the item."""

    def rest(self) -> None:
        """Say that nothing is being worked on."""


@dataclass(frozen=True, slots=True)
class Beat:
    """The newest sign of life of a process. `deadline` is on the machine's monotonic clock."""

    errand: int
    place: int
    deadline: float
    words: str


class File:
    """Signs of life in a file that is named for this process."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / str(os.getpid()), os.O_CREAT | os.O_WRONLY, 0o600)
        self._item = (-1, -1)

    def begin(self, errand: int, place: int, within: float | None) -> None:
        self._item = (errand, place)
        deadline = inf if within is None else monotonic() + within
        os.pwrite(self._file, HEADER.pack(errand, place, deadline, 0), 0)

    def beat(self, words: str, within: float | None) -> None:
        text = words.encode()
        deadline = inf if within is None else monotonic() + within
        # One call, so that no reader and no death comes between the parts.
        os.pwrite(self._file, HEADER.pack(*self._item, deadline, len(text)) + text, 0)

    def rest(self) -> None:
        self.begin(-1, -1, None)


class Alarm:
    """Ends this process when it does not give its next sign in time.

    For processes that nobody of ours watches. The watch is kept in C, so that it also ends what never lets go of the
    interpreter, and it prints where that was.
    """

    def begin(self, errand: int, place: int, within: float | None) -> None:
        self.beat("", within)

    def beat(self, words: str, within: float | None) -> None:
        if within is None:
            faulthandler.cancel_dump_traceback_later()
        else:
            faulthandler.dump_traceback_later(within, exit=True, file=sys.__stderr__ or sys.stderr)

    def rest(self) -> None:
        faulthandler.cancel_dump_traceback_later()


class _Silence:
    def begin(self, errand: int, place: int, within: float | None) -> None:
        pass

    def beat(self, words: str, within: float | None) -> None:
        pass

    def rest(self) -> None:
        pass


_heart: LivenessReporter = _Silence()


def install(heart: LivenessReporter) -> None:
    """Let this process give its signs of life there."""
    global _heart
    _heart = heart


def current() -> LivenessReporter:
    """Return where this process gives its signs of life: nowhere, unless it is a worker."""
    return _heart


def beat(words: str, within: float | None = None) -> None:
    """Say what this process is doing, for the case that it dies of it; a function that workers carry out calls this.

    With `within`, the process is ended when there is no other sign of it for so many seconds. Does nothing in a process
    that is no worker.
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
