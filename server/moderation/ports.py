"""The log of moderation, as a protocol."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from cornered.server.moderation.events import Entry
from cornered.server.moderation.evidence import ReportText

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

    async def made_by(self, player: str) -> Sequence[Entry]:
        """Return the entries that a player has made, oldest first: few, since people read reports, and make the rest.

        The whole log is looked through.
        """

    async def append(self, entry: Entry, text: ReportText | None = None) -> None:
        """Store an entry whose number is the next one, and with a report its text. Raises EntryTaken where it is not.

        An entry that closes a report dates that report's text, which may be erased from then on.
        """

    async def texts(self, reports: Collection[int]) -> Mapping[int, ReportText]:
        """Return what is kept of these reports beside the log; of those that were erased nothing."""

    async def mark_told(self, report: int) -> bool:
        """Note that the reporter is told of a closed report; return False where it was told, or all is erased."""
