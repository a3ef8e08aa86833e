"""The task group of a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from typing import Any, TypeAlias, TypeVar

__all__ = ["Spawn", "TaskGroup"]

T = TypeVar("T")

Spawn: TypeAlias = Callable[[Coroutine[None, None, None], str], asyncio.Task[None]]
"""Runs a coroutine as a named task that ends with the server: `TaskGroup.spawn`."""


class TaskGroup(asyncio.TaskGroup):
    """A task group that closes the coroutine that it refuses because it ends, as asyncio's does from Python 3.13 on."""

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[T]:
        """Run a coroutine as a task of the group. Raises RuntimeError where the group has ended or is ending."""
        try:
            return super().create_task(coro, name=name, context=context)
        except RuntimeError:
            coro.close()
            raise

    def spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        return self.create_task(work, name=name)
