"""The players who are connected to this node, in the form in which the owner of the lobby is told of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from cornered.server.cluster.messages import Visitor, Visitors
from cornered.server.lobby.state import LobbyFacts

__all__ = ["LobbyPresence"]

LIST_PLAYERS: Final = 100
"""Players in one message of a list of all, which has room for bots with the longest declarations."""


class LobbyPresence:
    """The players of this node."""

    def __init__(self) -> None:
        self._here: dict[str, Visitor] = {}

    @property
    def players(self) -> Mapping[str, Visitor]:
        """The players by id."""
        return MappingProxyType(self._here)

    def came(self, visitor: Visitor) -> Visitors:
        """A player has a new connection; return what the owner is told."""
        self._here[visitor.player.id] = visitor
        return Visitors(came=(visitor,))

    def went(self, player: str) -> Visitors | None:
        """A player's last connection is gone; return what the owner is told, None where the player was not here."""
        return None if self._here.pop(player, None) is None else Visitors(went=(player,))

    def answer(self, search: str | None, player: str) -> Visitors:
        """Return the answer to a search for a player, who may be here."""
        visitor = self._here.get(player)
        return Visitors(came=() if visitor is None else (visitor,), search=search)

    def everyone(self) -> Visitors:
        """Return all players as one message, without what the lobby knows of them."""
        return Visitors(came=tuple(self._here.values()), is_first=True, is_last=True)

    def parts(self, facts: LobbyFacts) -> Iterator[Visitors]:
        """Yield all players in messages of bounded size, with what `facts` have for a new owner to know."""
        players = tuple(self._here.values())
        for start in range(0, max(1, len(players)), LIST_PLAYERS):
            came = tuple(_known(visitor, facts) for visitor in players[start : start + LIST_PLAYERS])
            yield Visitors(came=came, is_first=start == 0, is_last=start + LIST_PLAYERS >= len(players))


def _known(visitor: Visitor, facts: LobbyFacts) -> Visitor:
    """Return a player with the visible name and the declared games."""
    guest = facts.guests.get(visitor.player.id)
    if guest is None or guest.name != visitor.player.name:
        return visitor
    return visitor.model_copy(
        update={
            "shown": guest.player.name,
            "accepts": guest.accepts,
            "concurrency": guest.concurrency,
            "ladder": guest.ladder,
            "version": guest.version,
        }
    )
