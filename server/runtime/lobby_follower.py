"""The lobby on a node that does not own it: it follows the owner's stream, and asks for the whole after a gap."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from cornered.server.cluster.messages import FollowLobby, LobbyNews, LobbyPart
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.lobby.state import LobbyFacts
from cornered.server.runtime.lobby_presence import LobbyPresence
from cornered.server.runtime.lobby_replica import LobbyReplica
from cornered.server.runtime.nodes import Nodes

__all__ = ["LobbyFollower"]

MAX_BUFFERED: Final = 10_000
"""Changes that may come between the parts of the whole lobby; after more of them it is asked for again."""


class LobbyFollower:
    """The receiving end of the stream."""

    def __init__(
        self, replica: LobbyReplica, presence: LobbyPresence, nodes: Nodes, repeat_soon: Callable[[], None]
    ) -> None:
        """`repeat_soon` has `repeat` called after a while."""
        self._replica = replica
        self._presence = presence
        self._nodes = nodes
        self._repeat_soon = repeat_soon
        self._followed = asyncio.Event()
        # The newest part of the whole lobby, and what is folded of its parts so far; None between two of them.
        self._parts: tuple[LobbyPart, LobbyFacts] | None = None
        # Whether a part has come since `repeat` looked last.
        self._has_come = False
        # The changes that came between the parts.
        self._buffered: list[LobbyNews] = []

    async def followed(self, seconds: float) -> None:
        """Return when the whole lobby has come once, or after so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._followed.wait()

    def follow(self) -> None:
        """Ask the owner for the whole lobby, and tell it who is here."""
        owner = self._nodes.owner_of(LOBBY_SLOT)
        self._replica.stream = ""
        self._parts = None
        self._has_come = False
        self._buffered.clear()
        if owner is not None and owner != self._nodes.here:
            self.ask(owner)
        self._repeat_soon()

    def ask(self, node: str) -> None:
        """Tell a node who is here, and ask it for the whole lobby, which it sends when it is the owner."""
        for told in self._presence.parts(self._replica.facts):
            self._nodes.send(node, told)
        self._nodes.send(node, FollowLobby())

    def repeat(self) -> None:
        """Ask again where nothing came; a lobby that is still coming would only begin again."""
        if self._replica.stream:
            return
        if self._has_come:
            self._has_come = False
            self._repeat_soon()
        else:
            self.follow()

    def stop(self) -> None:
        """Drop the parts that have come: this node owns the lobby."""
        self._parts = None
        self._buffered.clear()

    def take_part(self, part: LobbyPart) -> None:
        """Take a part of the whole lobby from the owner."""
        if part.number == 0:
            facts = self._replica.new_facts()
            self._replica.stream = ""
            self._buffered.clear()
            self._repeat_soon()
        elif self._parts is not None and _follows(self._parts[0], part):
            facts = self._parts[1]
        else:
            return
        self._parts = part, facts
        self._has_come = True
        for event in part.events:
            facts.evolve(event)
        if part.is_last:
            self._parts = None
            self._replica.stream, self._replica.seq = part.stream, part.seq
            self._replica.replace(facts)
            self._followed.set()
            buffered, self._buffered = self._buffered, []
            for news in buffered:
                self.take_news(news)

    def take_news(self, news: LobbyNews) -> None:
        """Take one change from the owner: the next one is folded, and after a gap the whole is asked for."""
        replica = self._replica
        if self._parts is not None and len(self._buffered) < MAX_BUFFERED:
            self._buffered.append(news)
        elif news.stream == replica.stream and news.seq <= replica.seq:
            return
        elif news.stream == replica.stream and news.seq == replica.seq + 1:
            replica.seq = news.seq
            replica.fold(news.events, news.told)
        elif replica.stream:
            self.follow()


def _follows(before: LobbyPart, part: LobbyPart) -> bool:
    """Return whether a part is the next one: those of another transfer may come between."""
    return (before.stream, before.seq, before.number + 1) == (part.stream, part.seq, part.number)
