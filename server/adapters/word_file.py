"""The operator's list of forbidden words, in a file that is read again when it changes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from cornered.server.moderation.chat_filter import NO_FILTER, ChatFilter

__all__ = ["LOOK_SECONDS", "WordFile"]

LOOK_SECONDS: Final = 1.0
"""How old the knowledge of the file may be: a change holds after that time."""
MAX_BYTES: Final = 1_000_000
"""The largest file that is read."""

log = structlog.get_logger("chat_filter")


class WordFile:
    """The list in one file. A list that cannot be read leaves the one before in force."""

    def __init__(self, path: Path, *, masks: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Read the file. Raises a ValueError with its name where that cannot be done."""
        self._path = path
        self._masks = masks
        self._monotonic = monotonic
        self._filter = NO_FILTER
        # The file's size and time of change when it was read last, or could not be.
        self._seen: tuple[int, int] | None = None
        self._looked = monotonic()
        try:
            self._seen = self._stamp()
            self._filter = self._read()
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} cannot be read: {error}") from None

    def __call__(self) -> ChatFilter:
        """Return the list as it is now."""
        now = self._monotonic()
        if now - self._looked >= LOOK_SECONDS:
            self._looked = now
            self._look()
        return self._filter

    def _look(self) -> None:
        try:
            stamp = self._stamp()
            if stamp == self._seen:
                return
            self._seen = stamp
            self._filter = self._read()
            log.info("the list of words is read again", file=str(self._path))
        except (OSError, ValueError) as error:
            log.warning("the list of words cannot be read; the one before holds", file=str(self._path), why=str(error))

    def _stamp(self) -> tuple[int, int]:
        found = self._path.stat()
        return found.st_size, found.st_mtime_ns

    def _read(self) -> ChatFilter:
        with self._path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES} bytes")
        return ChatFilter.of(raw.decode("utf-8-sig").splitlines(), masks=self._masks)
