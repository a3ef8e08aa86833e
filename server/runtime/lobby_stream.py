"""The stream that the owner of the lobby sends to its followers: the whole lobby in parts, then each stored change."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

from cornered.server.cluster.messages import LobbyNews, LobbyPart
from cornered.server.lobby.durable import whole
from cornered.server.lobby.events import LobbyEvent
from cornered.server.lobby.state import LobbyFacts
from cornered.server.runtime.lobby_replica import LobbyReplica
from cornered.server.runtime.match_registry import new_id
from cornered.server.runtime.nodes import Nodes

__all__ = ["LobbyStream"]

PART_EVENTS: Final = 200
"""Events of one part of the whole lobby: no more than every second of them is a declaration."""
PART_PAUSE_S: Final = 0.005
"""The pause between two parts, in which the bus sends them on."""


class LobbyStream:
    """The sending end, on the owner."""

    def __init__(self, replica: LobbyReplica, nodes: Nodes, tasks: asyncio.TaskGroup) -> None:
        self._replica = replica
        self._nodes = nodes
        self._tasks = tasks
        # The followers, each with a token of its newest transfer: one follower may ask several times at once.
        self._followers: dict[str, object] = {}
        self._is_closed = False
        self.is_open = False
        """Whether changes are told; until then the authority's own state has everything."""

    def open(self, lobby: LobbyFacts) -> None:
        """Begin a new stream with this lobby, and send it to all living nodes."""
        self._replica.stream, self._replica.seq = new_id(), 0
        facts = self._replica.new_facts()
        for event in whole(lobby):
            facts.evolve(event)
        self.is_open = True
        self._replica.replace(facts)
        for node in self._nodes.others():
            self.send_whole(node)

    def stop(self) -> None:
        """Tell nothing more: another node owns the lobby."""
        self.is_open = False
        self._followers.clear()

    def close(self) -> None:
        """Send no further parts: the server stops."""
        self._is_closed = True

    def keep(self, nodes: Collection[str]) -> None:
        """Forget the followers that are not among these nodes."""
        self._followers = {node: newest for node, newest in self._followers.items() if node in nodes}

    def tell(self, events: Sequence[LobbyEvent], told: Sequence[LobbyEvent]) -> None:
        """Fold and pass on what is stored."""
        if not self.is_open:
            return
        self._replica.seq += 1
        self._replica.fold(events, told)
        if self._followers:
            news = LobbyNews(stream=self._replica.stream, seq=self._replica.seq, events=tuple(events), told=tuple(told))
            for node in self._followers:
                self._nodes.send(node, news)

    def send_whole(self, node: str) -> None:
        """Send a follower the whole lobby in parts; it gets the changes after it too."""
        self._followers[node] = newest = object()
        self._tasks.create_task(self._send_parts(node, newest), name="lobby parts")

    async def _send_parts(self, node: str, newest: object) -> None:
        # The follower drops the changes before the first part, so that part has to know all that are told by now.
        stream, seq, events = self._replica.stream, self._replica.seq, tuple(whole(self._replica.facts))
        for start in range(0, max(1, len(events)), PART_EVENTS):
            if self._followers.get(node) is not newest or self._replica.stream != stream or self._is_closed:
                return
            part = LobbyPart(
                stream=stream,
                seq=seq,
                number=start // PART_EVENTS,
                events=tuple(events[start : start + PART_EVENTS]),
                is_last=start + PART_EVENTS >= len(events),
            )
            self._nodes.send(node, part)
            await asyncio.sleep(PART_PAUSE_S)
