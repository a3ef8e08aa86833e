"""The log of moderation in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cornered.server.moderation.events import Entry, ReportClosed
from cornered.server.moderation.evidence import ReportText
from cornered.server.moderation.ports import EntryTaken

__all__ = ["MemoryModerationLog"]


class MemoryModerationLog:
    """Implements `ModerationLog`."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._texts: dict[int, ReportText] = {}
        # Closed reports whose reporters were not told.
        self._untold: set[int] = set()

    async def read(self, since: int, limit: int) -> Sequence[Entry]:
        return self._entries[since : since + limit]

    async def before(self, number: int | None, limit: int) -> Sequence[Entry]:
        end = len(self._entries) if number is None else max(0, number - 1)
        return self._entries[max(0, end - limit) : end][::-1]

    async def made_by(self, player: str) -> Sequence[Entry]:
        return [entry for entry in self._entries if entry.by == player]

    async def append(self, entry: Entry, text: ReportText | None = None) -> None:
        if entry.number != len(self._entries) + 1:
            raise EntryTaken
        self._entries.append(entry)
        if text is not None:
            self._texts[entry.number] = text
        if isinstance(entry.event, ReportClosed) and entry.event.report in self._texts:
            self._untold.add(entry.event.report)

    async def texts(self, reports: Collection[int]) -> Mapping[int, ReportText]:
        return {report: self._texts[report] for report in reports if report in self._texts}

    async def mark_told(self, report: int) -> bool:
        is_first = report in self._untold
        self._untold.discard(report)
        return is_first
