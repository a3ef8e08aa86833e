"""An observer of the registry that records the ids of matches."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.protocol.events import Started
from cornered.protocol.values import Player
from cornered.server.lobby.events import MatchMade
from cornered.server.runtime.match_task import MatchTask

__all__ = ["Recorder"]


class Recorder:
    """Implements `RegistryObserver`."""

    def __init__(self) -> None:
        self.indexed: list[str] = []
        self.opened: list[str] = []

    def matches_indexed(self, live: Sequence[Started]) -> None:
        self.indexed += [started.match for started in live]

    def match_opened(self, match_task: MatchTask) -> None:
        self.opened.append(match_task.match.id)

    def match_resumed(self, match_task: MatchTask) -> None: ...

    def match_lost(self, match_id: str) -> None: ...

    def match_changed(self, match_task: MatchTask) -> None: ...

    def match_turned(self, match_task: MatchTask) -> None: ...

    def match_ended(self, match_task: MatchTask) -> None: ...

    def match_disowned(self, match_id: str) -> None: ...

    def versions_of(self, players: Sequence[Player]) -> tuple[str | None, ...]:
        return ()

    async def reserve_rematch(self, made: MatchMade) -> None: ...

    def release_rematch(self, match_id: str) -> None: ...
