"""An observer of ownership for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

__all__ = ["Recorder"]


class Recorder:
    """Implements `OwnershipObserver`: knows which slots it may decide for, and what it was told."""

    def __init__(self) -> None:
        self.slots: set[int] = set()
        self.alive: dict[int, int] = {}
        self.released: set[int] = set()
        self.told: list[str] = []
        self.may_release = asyncio.Event()
        self.may_release.set()
        self.changes = 0

    async def releasing(self, slots: Collection[int]) -> None:
        self.told.append("releasing")
        self.slots -= set(slots)
        await self.may_release.wait()
        self.released |= set(slots)

    def lost(self, slots: Collection[int]) -> None:
        assert slots
        self.told.append("lost")
        self.slots -= set(slots)
        self.released -= set(slots)

    def gained(self, slots: Mapping[int, int]) -> None:
        assert slots
        assert not self.slots & set(slots), "these were its own already"
        self.told.append("gained")
        self.slots |= set(slots)
        self.released -= set(slots)
        self.alive.update(slots)

    def nodes_changed(self) -> None:
        self.changes += 1
