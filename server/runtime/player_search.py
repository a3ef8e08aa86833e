"""The search of the lobby's owner for a player of whom it has not heard, among those who are connected to other nodes.

A node welcomes a player before the owner learns of it, and messages of two nodes come in any order. So a command that
names a player who is not known is decided when every living node has said whether the player is there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from cornered.server.cluster.messages import AskVisitor
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_registry import new_id
from cornered.server.runtime.nodes import Nodes

__all__ = ["ANSWER_SECONDS", "MAX_SEARCHES", "PlayerSearch"]

ANSWER_SECONDS: Final = 1.0
"""How long the answers of the nodes are waited for."""
MAX_SEARCHES: Final = 256
"""Searches at once. One takes a message to each node, so that more are under way only where a node is silent."""


@dataclass(slots=True)
class _Search:
    # The nodes that have not answered.
    nodes: set[str]
    done: asyncio.Event = field(default_factory=asyncio.Event)


class PlayerSearch:
    """The searches of one node."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._searches: dict[str, _Search] = {}

    async def find(self, player: str) -> None:
        """Return when a node has the player, or none that answers. Raises Refusal where too many are looked for."""
        others = self._nodes.others()
        if not others:
            return
        if len(self._searches) >= MAX_SEARCHES:
            raise Refusal("internal", "another part of the server does not answer just now; try again in a moment")
        # Each search has an id of its own: the answer to an earlier one may be older than the player's welcome.
        name, search = new_id(), _Search(set(others))
        self._searches[name] = search
        try:
            for node in others:
                self._nodes.send(node, AskVisitor(search=name, player=player))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await search.done.wait()
        finally:
            del self._searches[name]

    def answered(self, node: str, name: str, *, is_found: bool) -> None:
        """A node has answered; its player is known to the lobby already."""
        search = self._searches.get(name)
        if search is not None:
            search.nodes.discard(node)
            if is_found or not search.nodes:
                search.done.set()

    def keep(self, living: Collection[str]) -> None:
        """Wait for no other nodes than these."""
        for search in self._searches.values():
            search.nodes.intersection_update(living)
            if not search.nodes:
                search.done.set()
