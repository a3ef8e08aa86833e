"""What the server needs from the world outside, as protocols. Only `app.py` knows which adapter stands behind each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.messages import ServerMessage
from cornered.protocol.values import Player, PlayerKind

__all__ = [
    "Accounts",
    "AccountsUnavailable",
    "Bus",
    "DamagedMatch",
    "Identity",
    "Journal",
    "JournalUnavailable",
    "StaleSequence",
    "UnknownPlayer",
    "check_sequence",
]


class StaleSequence(Exception):
    """Somebody else appended first: the expected sequence number is not the match's newest."""


class JournalUnavailable(Exception):
    """The store cannot be reached now, or went away before it confirmed. Nothing may be acknowledged.

    A store lost in the middle of a commit may have kept the events: then the next append raises StaleSequence, and
    whoever owns the match reads it again, finds its own events by their causes, and goes on from there.
    """


class DamagedMatch(Exception):
    """One match's events cannot be read back or replayed; the text says why. No other match is concerned."""


def check_sequence(expected_seq: int, events: Sequence[MatchEvent]) -> None:
    """Raise a ValueError unless `events` are numbered on from `expected_seq` without a gap, and there are some."""
    if not events or any(event.seq != seq for seq, event in enumerate(events, expected_seq + 1)):
        numbers = [event.seq for event in events]
        raise ValueError(f"events after {expected_seq} must be numbered on from it, not {numbers}")


class Journal(Protocol):
    """The truth: every match's events, in order."""

    @property
    def obstacle(self) -> str:
        """What keeps the store from being written now, for people; empty when nothing does."""

    @property
    def newest(self) -> tuple[str, int] | None:
        """The match and number of the last event that this process stored; None before the first."""

    async def holds(self, match: str, seq: int) -> bool:
        """Say whether the store has this event, as far as it can be read. Raises JournalUnavailable."""

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        """Store `events` after `expected_seq` (0 for a new match); durable when it returns.

        All or nothing. Raises StaleSequence or JournalUnavailable.
        """

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        """Return the events after `since`; empty for an unknown match.

        A long match is read in slices between which the event loop turns. Raises DamagedMatch or JournalUnavailable.
        """

    async def live(self) -> Sequence[Started]:
        """Return the beginnings of all matches without an `ended` event, oldest first.

        A beginning that cannot be read is logged and left out. Raises JournalUnavailable.
        """

    async def finished(self, player: str | None, limit: int) -> Sequence[str]:
        """Return the ids of the newest finished matches, of `player` or of everybody (public ones), newest first."""

    async def secret(self) -> bytes:
        """Return 32 random bytes, the same for ever: the seeds of all matches derive from them."""

    async def watch(self) -> None:
        """Keep `obstacle` true until cancelled: test the store while it fails or nothing else is written."""

    async def close(self) -> None:
        """Finish what is under way and let go."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a token belongs to."""

    player: Player


class AccountsUnavailable(Exception):
    """The store of accounts cannot be reached now."""


class UnknownPlayer(LookupError):
    """There is no player with this id."""


class Accounts(Protocol):
    """Who is who. Tokens are random and stored only as hashes; guests and bots now, accounts with passwords later.

    Every method raises AccountsUnavailable when the store cannot be reached.
    """

    async def create(self, name: str, kind: PlayerKind) -> tuple[Identity, str]:
        """Make a player and return it with its new token, which nobody can read again."""

    async def by_token(self, token: str) -> Identity | None:
        """Return whose token this is."""

    async def by_id(self, player: str) -> Identity | None:
        """Return the player with this id."""

    async def rename(self, player: str, name: str) -> Identity:
        """Give an existing player another name. Raises UnknownPlayer."""


class Bus(Protocol):
    """Tells the outside what happens, behind the move and never before it. Carries no truth: all of it may be lost."""

    def publish_match(self, message: ServerMessage) -> None:
        """Announce a `snapshot` or `happened` of a public match. Returns at once; when it cannot keep up, newest wins.

        A match is told about from its `started` event or a snapshot on: one that is opened again needs a snapshot.
        """

    def publish_lobby(self, message: ServerMessage) -> None:
        """Announce the public lobby."""

    async def run(self) -> None:
        """Deliver until cancelled; reconnects by itself and never raises for a broker's absence."""

    async def close(self) -> None:
        """Say goodbye: the node's status becomes offline."""
