"""The ownership of a node that is alone with its store: it owns every slot, for as long as it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping

from cornered.server.cluster.ports import Node, OwnershipObserver
from cornered.server.cluster.slots import ALL_SLOTS

__all__ = ["LocalOwnership"]


class LocalOwnership:
    """Implements `Ownership`, for SQLite and for memory.

    `now` is a clock in ms. `alive_ms` is when a server before this one was last certainly there; 0 is unknown.
    """

    def __init__(self, here: Node, now: Callable[[], int], *, alive_ms: int = 0) -> None:
        self._here = here
        self._now = now
        self._alive_ms = alive_ms
        self._observer: OwnershipObserver | None = None
        self._is_releasing = False

    @property
    def here(self) -> Node:
        return self._here

    @property
    def nodes(self) -> Mapping[str, Node]:
        return {} if self._observer is None else {self._here.name: self._here}

    def owner_of(self, slot: int) -> str | None:
        return self._here.name if slot in self.owned() else None

    def owns(self, slot: int) -> bool:
        return slot in self.owned() and not self._is_releasing

    def epoch_of(self, slot: int) -> int | None:
        return 0 if slot in self.owned() else None

    def owned(self) -> Collection[int]:
        return () if self._observer is None else ALL_SLOTS

    @property
    def lease_age(self) -> float:
        return 0.0

    def look(self) -> None:
        """Nothing changes."""

    async def time(self) -> int:
        return self._now()

    async def join(self, observer: OwnershipObserver, address: str = "") -> None:
        self._observer = observer
        observer.gained(dict.fromkeys(ALL_SLOTS, self._alive_ms))
        observer.nodes_changed()

    async def keep(self) -> None:
        await asyncio.Event().wait()

    async def leave(self) -> None:
        observer = self._observer
        if observer is None:
            return
        self._is_releasing = True
        try:
            await observer.releasing(ALL_SLOTS)
        finally:
            self._observer = None
            self._is_releasing = False
            observer.lost(ALL_SLOTS)
