"""The log of moderation in memory."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.server.moderation.events import Entry
from cornered.server.moderation.ports import EntryTaken

__all__ = ["MemoryModerationLog"]


class MemoryModerationLog:
    """Implements `ModerationLog`."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    async def read(self, since: int, limit: int) -> Sequence[Entry]:
        return self._entries[since : since + limit]

    async def before(self, number: int | None, limit: int) -> Sequence[Entry]:
        end = len(self._entries) if number is None else max(0, number - 1)
        return self._entries[max(0, end - limit) : end][::-1]

    async def append(self, entry: Entry) -> None:
        if entry.number != len(self._entries) + 1:
            raise EntryTaken
        self._entries.append(entry)
