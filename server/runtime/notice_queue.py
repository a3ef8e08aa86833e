"""A bounded queue of notices with a few workers, which try again while the store is away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeVar

import structlog

from cornered.server.metrics import Counts
from cornered.server.social.ports import SocialUnavailable

__all__ = ["NoticeQueue"]

MAX_QUEUE: Final = 1_000
"""Notices that may wait; further ones are dropped."""
ATTEMPTS: Final = 3
"""How often a notice is tried while the store is away."""
RETRY_SECONDS: Final = 5.0

T = TypeVar("T")
log = structlog.get_logger("notices")


class NoticeQueue(Generic[T]):
    """Notices that wait to be sent in one way."""

    def __init__(self, name: str, send: Callable[[T], Awaitable[None]], counts: Counts, *, workers: int) -> None:
        """`send` may raise SocialUnavailable, and is then called again."""
        self._name = name
        self._send = send
        self._counts = counts
        self._workers = workers
        self._queue: asyncio.Queue[T] = asyncio.Queue(MAX_QUEUE)

    def put(self, item: T) -> None:
        """Queue an item, without waiting; a full queue drops it."""
        try:
            self._queue.put_nowait(item)
        except asyncio.QueueFull:
            self._counts.noticed("dropped")

    @property
    def waiting(self) -> int:
        """How many items wait."""
        return self._queue.qsize()

    def start(self, tasks: asyncio.TaskGroup) -> None:
        """Send items until the tasks are cancelled."""
        for number in range(self._workers):
            tasks.create_task(self._work(), name=f"{self._name}[{number}]")

    async def _work(self) -> None:
        while True:
            item = await self._queue.get()
            try:
                await self._carry_out(item)
            except Exception:
                # A defect here must not end the server, nor keep the next notice from being sent.
                self._counts.noticed("failed")
                log.exception("a notice could not be sent", queue=self._name)

    async def _carry_out(self, item: T) -> None:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await self._send(item)
                return
            except SocialUnavailable as error:
                log.warning("a notice waits for the store", reason=str(error), attempt=attempt, queue=self._name)
                await asyncio.sleep(RETRY_SECONDS)
        self._counts.noticed("failed")
