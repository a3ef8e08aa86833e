"""The lobby's log in memory, lost with the process."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.server.lobby.events import LobbyEvent
from cornered.server.ports import StaleSequence

__all__ = ["MemoryLobbyLog"]


class MemoryLobbyLog:
    """Implements `LobbyLog`."""

    def __init__(self) -> None:
        self._events: list[LobbyEvent] = []
        self._newest = 0

    async def read(self) -> tuple[int, Sequence[LobbyEvent]]:
        return self._newest, tuple(self._events)

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        if not events and not is_checkpoint:
            raise ValueError("only a checkpoint may have no events")
        if expected_seq != self._newest:
            raise StaleSequence("lobby", expected_seq)
        if is_checkpoint:
            self._events.clear()
        self._events += events
        self._newest += len(events)
