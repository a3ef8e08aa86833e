"""Which players are connected to which node, as the owner of the lobby knows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from cornered.server.cluster.messages import Visitor, Visitors

__all__ = ["LobbyVisitors"]


@dataclass(slots=True)
class _Node:
    players: dict[str, Visitor] = field(default_factory=dict)
    # Those who were named since the first part of the list of all; None outside of such a list.
    named: set[str] | None = None
    is_known: bool = False


class LobbyVisitors:
    """The players of every node. A player is here while any node has a connection."""

    def __init__(self) -> None:
        self._nodes: dict[str, _Node] = {}

    def knows(self, nodes: Iterable[str]) -> bool:
        """Return whether each of these nodes has told who is there."""
        return all(name in self._nodes and self._nodes[name].is_known for name in nodes)

    def has(self, node: str, player: str) -> bool:
        """Return whether a player is connected to a node."""
        return node in self._nodes and player in self._nodes[node].players

    def node_of(self, player: str) -> str | None:
        """Return a node to which a player is connected."""
        return next((name for name, node in self._nodes.items() if player in node.players), None)

    @property
    def number(self) -> int:
        """How many players are connected, each counted once."""
        return len(set().union(*(node.players for node in self._nodes.values())))

    def all(self) -> tuple[Visitor, ...]:
        """Return all connected players, one who is connected to several nodes as often."""
        return tuple(visitor for node in self._nodes.values() for visitor in node.players.values())

    def take(self, node: str, told: Visitors) -> list[str]:
        """Take what a node tells; return the players who are connected to no node any more."""
        known = self._nodes.setdefault(node, _Node())
        if told.is_first:
            known.named = set()
        for visitor in told.came:
            known.players[visitor.player.id] = visitor
            if known.named is not None:
                known.named.add(visitor.player.id)
        went = [player for player in told.went if known.players.pop(player, None) is not None]
        if told.is_last and known.named is not None:
            missing = [player for player in known.players if player not in known.named]
            for player in missing:
                del known.players[player]
            went += missing
            known.named, known.is_known = None, True
        return self._gone(went)

    def keep(self, nodes: Collection[str]) -> list[str]:
        """Forget all nodes but these; return the players who are connected to no node any more."""
        went = list[str]()
        for name in [name for name in self._nodes if name not in nodes]:
            went += self._nodes.pop(name).players
        return self._gone(went)

    def _gone(self, players: Iterable[str]) -> list[str]:
        return [player for player in players if not any(player in node.players for node in self._nodes.values())]
