"""Follows the table of slots during a campaign: which ones a lost node held, and when each had a new owner."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

__all__ = ["LostNode", "SlotWatch", "TakeOver"]

LOOK_S: Final = 0.1
TIMEOUT_S: Final = 1.0
"""How long a look may take: the database is stopped now and then."""
_SLOTS: Final = "SELECT slot, owner, epoch FROM slots"


@dataclass(frozen=True, slots=True)
class TakeOver:
    """A stopped node's slots, and after how many seconds the last of them had a new epoch; None: not while watched."""

    fault: int
    node: str
    slots: int
    began: float
    seconds: float | None
    is_undisturbed: bool = False
    """Whether the database and another node could do it at once, by the faults of the same time."""


@dataclass(slots=True, eq=False)
class LostNode:
    """A node that cannot serve its matches, with the epochs of its slots, until all of them have newer ones."""

    fault: int
    node: str
    began: float
    epochs: dict[int, int]
    is_stop: bool
    """Whether the node was killed or paused, so that others must take over."""
    ended: float | None = None


@dataclass(slots=True)
class SlotWatch:
    """The newest look at the slots, and the take-overs that are waited for."""

    owners: dict[int, tuple[str, int]] = field(default_factory=dict)
    _wanted: list[LostNode] = field(default_factory=list)

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, url: str | None) -> AsyncIterator[SlotWatch]:
        """Watch the slots of a database inside the block; without one there are none."""
        watch = cls()
        if url is None:
            yield watch
            return
        engine = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"))
        looking = asyncio.create_task(watch._follow(engine), name="slots")
        try:
            yield watch
        finally:
            looking.cancel()
            await asyncio.wait((looking,))
            await engine.dispose()

    def lost(self, fault: int, node: str, *, is_stop: bool) -> LostNode:
        """Wait for new owners of a node's slots from now on."""
        epochs = {slot: epoch for slot, (owner, epoch) in self.owners.items() if owner == node}
        wanted = LostNode(fault, node, time.monotonic(), epochs, is_stop)
        self._wanted.append(wanted)
        return wanted

    def is_back(self, lost: LostNode) -> None:
        """Wait no longer: the node serves again, with the slots that nobody took over."""
        if lost.ended is None:
            self._wanted.remove(lost)

    def take_overs(self) -> list[TakeOver]:
        """Return what came of every stop of a node that held slots."""
        return [
            TakeOver(
                one.fault,
                one.node,
                len(one.epochs),
                one.began,
                None if one.ended is None else round(one.ended - one.began, 3),
            )
            for one in self._wanted
            if one.epochs and one.is_stop
        ]

    def take(self, owners: dict[int, tuple[str, int]], now: float) -> None:
        """Take a look at the table."""
        self.owners = owners
        for one in self._wanted:
            if one.ended is None and all(
                owners.get(slot, ("", epoch))[1] > epoch for slot, epoch in one.epochs.items()
            ):
                one.ended = now

    async def _follow(self, engine: AsyncEngine) -> None:
        while True:
            with contextlib.suppress(SQLAlchemyError, OSError, TimeoutError):
                async with asyncio.timeout(TIMEOUT_S), engine.connect() as connection:
                    found = {slot: (owner, epoch) for slot, owner, epoch in await connection.execute(text(_SLOTS))}
                self.take(found, time.monotonic())
            await asyncio.sleep(LOOK_S)
