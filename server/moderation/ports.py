"""The log of moderation, as a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cornered.server.moderation.events import Entry

__all__ = ["EntryTaken", "ModerationLog", "ModerationUnavailable"]


class ModerationUnavailable(Exception):
    """The store of the log is unreachable, or was lost before it confirmed."""


class EntryTaken(Exception):
    """Another node has written this entry: nothing was stored."""


class ModerationLog(Protocol):
    """The entries from 1 on, which nobody changes. Every method raises ModerationUnavailable."""

    async def read(self, since: int, limit: int) -> Sequence[Entry]:
        """Return entries after the one numbered `since`, oldest first."""

    async def before(self, number: int | None, limit: int) -> Sequence[Entry]:
        """Return entries before the one with this number, newest first; for None from the newest one on."""

    async def append(self, entry: Entry) -> None:
        """Store an entry whose number is the next one. Raises EntryTaken where it is not."""
