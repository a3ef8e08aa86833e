"""What a node reports to the lobby of its own matches, repeated until the lobby shows it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from typing import Final

from cornered.server.cluster.messages import MatchBegan, MatchOver, MatchReleased
from cornered.server.cluster.slots import slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.runtime.lobby_owner import LobbyOwner
from cornered.server.runtime.lobby_replica import LobbyReplica
from cornered.server.runtime.nodes import Nodes

__all__ = ["LobbyReports"]

OVERS_KEPT: Final = 4_096
"""Newest matches of this node that are over, to report again to a new owner that does not know."""


class LobbyReports:
    """The matches of this node, and which of them the lobby does not show as they are."""

    def __init__(self, replica: LobbyReplica, owner: LobbyOwner, nodes: Nodes, repeat_soon: Callable[[], None]) -> None:
        """`repeat_soon` has `repeat` called after a while."""
        self._replica = replica
        self._owner = owner
        self._nodes = nodes
        self._repeat_soon = repeat_soon
        # The matches that go on, those that are over, and those that the lobby does not show so yet.
        self._own: dict[str, MatchMade] = {}
        self._overs: OrderedDict[str, None] = OrderedDict()
        self._unshown: set[str] = set()
        replica.on_match = self._show
        replica.on_replaced = self._report_unshown

    @property
    def live(self) -> Collection[MatchMade]:
        """The matches of this node that go on."""
        return self._own.values()

    def match_began(self, made: MatchMade) -> None:
        """A match of this node is stored and goes on."""
        self._own[made.match] = made
        self._overs.pop(made.match, None)
        self._report(made.match)

    def match_over(self, match: str) -> None:
        """A match of this node is over, or never was."""
        self._own.pop(match, None)
        self._overs[match] = None
        if len(self._overs) > OVERS_KEPT:
            self._overs.popitem(last=False)
        self._report(match)

    def released(self, match: str) -> None:
        """A rematch was not stored here. That is said once: it may be stored all the same, and begin on any node."""
        if self._owner.takes_reports:
            self._owner.match_released(match)
        else:
            self._nodes.send_to_lobby(MatchReleased(match=match))

    def lost(self, slots: Collection[int]) -> None:
        """Leave the matches of these slots to their new owner: should they come back, they may be over."""
        for match in [match for match in self._own if slot_of(match) in slots]:
            del self._own[match]
            self._unshown.discard(match)

    def repeat(self) -> None:
        """Report again what the lobby does not show."""
        for match in tuple(self._unshown):
            self._report(match)
        if self._unshown:
            self._repeat_soon()

    def _report(self, match: str) -> None:
        """Tell the owner of the lobby how a match of this node stands."""
        made = self._own.get(match)
        if made is not None and not self._nodes.owns_match(match):
            # The new owner of its slot reports it.
            del self._own[match]
            self._unshown.discard(match)
        elif self._owner.takes_reports:
            self._unshown.discard(match)
            if made is not None:
                self._owner.match_began(made)
            else:
                self._owner.match_over(match)
        elif not self._is_shown(match):
            self._unshown.add(match)
            self._nodes.send_to_lobby(MatchOver(match=match) if made is None else MatchBegan(made=made))
            self._repeat_soon()

    def _report_unshown(self) -> None:
        """Report what a lobby that has replaced another one does not show."""
        self._unshown = {match for match in self._overs if match in self._replica.facts.matches}
        self._unshown |= {match for match in self._own if not self._is_shown(match)}
        for match in tuple(self._unshown):
            self._report(match)

    def _is_shown(self, match: str) -> bool:
        """Return whether the lobby has a match of this node as it is."""
        shown = self._replica.facts.matches.get(match)
        return (shown is not None and shown.is_open) if match in self._own else shown is None

    def _show(self, match: str) -> None:
        if match in self._unshown and self._is_shown(match):
            self._unshown.discard(match)
