"""What the registry of matches reports, as a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cornered.protocol.events import Started
from cornered.protocol.values import Player
from cornered.server.lobby.events import MatchMade
from cornered.server.runtime.match_task import MatchTask

__all__ = ["RegistryObserver"]


class RegistryObserver(Protocol):
    """What the registry reports to: the lobby service."""

    def matches_indexed(self, live: Sequence[Started]) -> None:
        """These matches go on after a start; their match tasks open later."""

    def match_resumed(self, match_task: MatchTask) -> None:
        """An indexed match is loaded."""

    def match_lost(self, match_id: str) -> None:
        """An indexed or stored match turned out to be damaged or over."""

    def match_opened(self, match_task: MatchTask) -> None:
        """A match begins, or a finished one is loaded again."""

    def match_changed(self, match_task: MatchTask) -> None:
        """A match looks different in lists now."""

    def match_turned(self, match_task: MatchTask) -> None:
        """Moves were made in a match, or taken back."""

    def match_ended(self, match_task: MatchTask) -> None:
        """A match is over."""

    def match_disowned(self, match_id: str) -> None:
        """An open match belongs to another node now."""

    def versions_of(self, players: Sequence[Player]) -> tuple[str | None, ...]:
        """Return the version that each of these players has declared; none where no bot of them has declared one."""

    async def reserve_rematch(self, made: MatchMade) -> None:
        """A rematch is about to be stored. Raises Refusal where its players may have no more matches."""

    def release_rematch(self, match_id: str) -> None:
        """A rematch could not be stored."""
