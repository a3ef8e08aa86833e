"""The server's ports, as protocols with their errors. Only `backing_services.py` chooses the adapters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from cornered.protocol.archive import HeadToHeadCount, OpeningMove
from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.messages import ServerMessage
from cornered.server.accounts import Accounts, AccountsUnavailable, Identity, UnknownPlayer
from cornered.server.archive.search import ArchivePage, Cursor, Search

__all__ = [
    "Accounts",
    "AccountsUnavailable",
    "Bus",
    "DamagedMatch",
    "Identity",
    "Journal",
    "JournalUnavailable",
    "NotOwner",
    "StaleSequence",
    "UnknownPlayer",
    "check_sequence",
]


class StaleSequence(Exception):
    """Another writer appended first: the expected sequence number is not the match's newest."""


class JournalUnavailable(Exception):
    """The store is unreachable, or was lost before it confirmed. The events must not be acknowledged.

    A store that was lost during a commit may have kept the events: then the next append raises StaleSequence, and the
    match's task reads the match again, recognizes its own events by their causes, and continues from there.
    """


class NotOwner(JournalUnavailable):
    """Another node owns the slot now, or none does: nothing was stored, and the command belongs to the owner."""


class DamagedMatch(Exception):
    """One match's events cannot be read or replayed; the text has the reason. Other matches are not affected."""


def check_sequence(expected_seq: int, events: Sequence[MatchEvent]) -> None:
    """Raise a ValueError unless `events` are not empty and continue the numbers after `expected_seq` without a gap."""
    if not events or any(event.seq != seq for seq, event in enumerate(events, expected_seq + 1)):
        numbers = [event.seq for event in events]
        raise ValueError(f"events after {expected_seq} must be numbered on from it, not {numbers}")


class Journal(Protocol):
    """The only source of truth: every match's events, in order."""

    @property
    def obstacle(self) -> str:
        """Why the store cannot be written now, for people; empty while it can."""

    @property
    def waiting(self) -> int:
        """How many appends wait for a commit to take them."""

    @property
    def newest(self) -> tuple[str, int] | None:
        """The match and number of the last event that this process stored; None before the first."""

    async def holds(self, match: str, seq: int) -> bool:
        """Return whether the store has this event; False where it is damaged. Raises JournalUnavailable."""

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        """Store all of `events` after `expected_seq` (0 for a new match); they are durable when it returns.

        Raises StaleSequence when it has stored none, and JournalUnavailable when it has stored none or all.
        """

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        """Return the events after `since`; empty for an unknown match.

        A long match is read in pages, between which other tasks run. Raises DamagedMatch or JournalUnavailable.
        """

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        """Return the `started` events of matches without an `ended` event, oldest first: those of `slots`, or all.

        A damaged one is logged and left out. Raises JournalUnavailable.
        """

    async def finished(self, player: str | None, limit: int, after: str | None = None) -> Sequence[str]:
        """Return the ids of the newest finished matches, newest first: those of `player`, or for None public ones.

        With `after` those that come after that finished match in this order; none where there is no such match.
        """

    async def search(self, search: Search, limit: int, after: Cursor | None = None) -> ArchivePage:
        """Return up to `limit` finished matches after a cursor, and the next one where more may follow.

        A bounded number of matches is looked through, so a page may be empty and have a cursor. What a search finds is
        stored together with the end of the match. Raises DamagedMatch or JournalUnavailable.
        """

    async def head_to_head(self, player: str, opponent: str, game: str | None = None) -> Sequence[HeadToHeadCount]:
        """Return the results of public matches between two players, by game. Raises what `search` raises."""

    async def opening(self, variant: str, line: str) -> tuple[int, Sequence[OpeningMove]]:
        """Return in how many public matches a move followed a line, and the most frequent of these moves.

        `variant` is that of `variant_of`, and the moves of `line` are separated by spaces. Raises what `search` raises.
        """

    async def secret(self) -> bytes:
        """Return the store's 32 random bytes, which never change; the seeds of all matches are derived from them."""

    async def watch(self) -> None:
        """Keep `obstacle` up to date until cancelled: probe the store while it fails or is idle."""

    async def close(self) -> None:
        """Finish pending writes and release the store."""


class Bus(Protocol):
    """Publishes stored events to other programs. It carries no truth: losing every message costs no data."""

    def publish_match(self, message: ServerMessage) -> None:
        """Queue a `snapshot` or `happened` of a public match, without waiting; a full queue drops its oldest events.

        A match is published from its `started` event or a snapshot on, so one that is loaded again needs a snapshot.
        """

    def publish_lobby(self, message: ServerMessage) -> None:
        """Queue the public lobby, without waiting."""

    async def run(self) -> None:
        """Deliver until cancelled; reconnects by itself, and raises nothing while the broker is unreachable."""

    async def close(self) -> None:
        """Publish the node's status as offline."""
