"""The lobby as one node shows it to its clients, folded from the owner's stream of stored changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from cornered.server.lobby.differences import differences
from cornered.server.lobby.events import LobbyEvent, MatchEnded, MatchMade
from cornered.server.lobby.names import Names
from cornered.server.lobby.state import LobbyFacts
from cornered.server.runtime.lobby_presence import LobbyPresence

__all__ = ["LobbyObserver", "LobbyReplica"]


class LobbyObserver(Protocol):
    """What serves clients from the lobby."""

    def lobby_changed(self, events: Sequence[LobbyEvent], told: Sequence[LobbyEvent]) -> None:
        """The lobby has these events; players get the messages of those in `told`."""

    def lobby_replaced(self, told: Sequence[LobbyEvent]) -> None:
        """The lobby is another one; players get the messages of what they missed."""


class LobbyReplica:
    """The stored lobby on one node, the owner's included, and its position in the stream of changes."""

    def __init__(self, observer: LobbyObserver, presence: LobbyPresence, reserved_names: Sequence[str]) -> None:
        self._observer = observer
        self._presence = presence
        self._reserved_names = reserved_names
        self.facts = self.new_facts()
        """The lobby as clients may know it: what is not stored yet is in the authority's alone."""
        self.stream = ""
        """The stream that is folded, on the owner the one that it sends; empty where changes may be missing."""
        self.seq = 0
        """The newest change of the stream that is folded."""
        # Called after each event that a match began or ended, and after `replace`.
        self.on_match: Callable[[str], None] | None = None
        self.on_replaced: Callable[[], None] | None = None

    def new_names(self) -> Names:
        """Return names of which none is taken but the reserved ones."""
        return Names(self._reserved_names)

    def new_facts(self) -> LobbyFacts:
        """Return an empty lobby."""
        return LobbyFacts(self.new_names())

    def fold(self, events: Sequence[LobbyEvent], told: Sequence[LobbyEvent]) -> None:
        """Fold one change, then have the players told."""
        for event in events:
            self.facts.evolve(event)
            if self.on_match is not None and isinstance(event, MatchMade | MatchEnded):
                self.on_match(event.match)
        self._observer.lobby_changed(events, told)

    def replace(self, facts: LobbyFacts) -> None:
        """Show another lobby; players are told of the difference."""
        before, self.facts = self.facts, facts
        self._observer.lobby_replaced(tuple(differences(before, facts, self._presence.players)))
        if self.on_replaced is not None:
            self.on_replaced()
