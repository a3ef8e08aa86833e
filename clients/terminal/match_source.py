"""What the screen of a match needs, whichever way the match comes to it: over the socket, or over MQTT."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from cornered.protocol.messages import Moves, Said, Snapshot

__all__ = ["Action", "Change", "Line", "MatchSource", "NotPossible", "Seen", "Told"]

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
]


class NotPossible(Exception):
    """What was asked cannot be done; the text says why, for people."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The match as it stands now. From `claim_at` on, the server's time, victory may be claimed."""

    match: Snapshot
    claim_at: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that happened in the match, in words."""

    text: str
    is_move: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """The state of the line to the server: None when it stands, or words for the banner."""

    trouble: str | None


Change: TypeAlias = Seen | Told | Said | Line


class MatchSource(Protocol):
    """One match, watched or played."""

    def now(self) -> int:
        """Return the server's time in milliseconds, as well as it is known here."""

    def follow(self) -> AsyncIterator[Change]:
        """Yield the match as it stands, then every change, until the match is left."""

    async def legal(self, ply: int) -> Moves | None:
        """Return what is legal after `ply` moves; None where nobody can be asked."""

    async def play(self, move: str, ply: int) -> None:
        """Make a move, exactly once. Raises NotPossible."""

    async def do(self, action: Action) -> None:
        """Do anything else that a player may. Raises NotPossible."""

    async def say(self, text: str) -> None:
        """Speak to those of one's own room. Raises NotPossible."""

    async def leave(self) -> None:
        """Stop following."""
