"""The interface between a match's screen and its source, a WebSocket or MQTT."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from cornered.protocol.messages import Moves, Said, Snapshot
from cornered.protocol.ratings import Rated

__all__ = ["Action", "Change", "LineState", "MatchSource", "NotPossible", "Seen", "Told"]

Action: TypeAlias = Literal[
    "resign",
    "offer_draw",
    "accept_draw",
    "decline_draw",
    "abort",
    "request_takeback",
    "accept_takeback",
    "decline_takeback",
    "claim",
    "rematch",
    "decline_rematch",
]


class NotPossible(Exception):
    """A request is refused; the text has the reason, for people."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The present snapshot of the match. From server time `claim_at` on victory may be claimed.

    `rated` is what the match has changed of the ratings, once that is known.
    """

    match: Snapshot
    claim_at: int | None = None
    rated: Rated | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """The text of one event."""

    text: str
    is_move: bool = False


@dataclass(frozen=True, slots=True)
class LineState:
    """The state of the connection: None while it is up, otherwise the banner's text."""

    trouble: str | None


Change: TypeAlias = Seen | Told | Said | LineState


class MatchSource(Protocol):
    """One match, watched or played."""

    def now(self) -> int:
        """Return the estimated time of the server in milliseconds."""

    def follow(self) -> AsyncIterator[Change]:
        """Yield the present snapshot, then every change, until the match is left."""

    async def legal(self, ply: int) -> Moves | None:
        """Return the legal moves after `ply` plies; None where the source cannot ask a server."""

    async def play(self, move: str, ply: int) -> None:
        """Make a move, exactly once. Raises NotPossible."""

    async def do(self, action: Action) -> None:
        """Send any other command of a player. Raises NotPossible."""

    async def say(self, text: str) -> None:
        """Send a line of chat. Raises NotPossible."""

    async def leave(self) -> None:
        """Unsubscribe."""
