"""The server's task group: what it refuses as it ends is closed."""

from __future__ import annotations

import inspect

import pytest

from cornered.server.runtime.task_group import TaskGroup


async def nothing() -> None:
    """Return at once."""


async def test_a_coroutine_that_comes_too_late_is_closed() -> None:
    async with TaskGroup() as tasks:
        pass
    late = nothing()
    with pytest.raises(RuntimeError):
        tasks.spawn(late, "late")
    assert inspect.getcoroutinestate(late) == inspect.CORO_CLOSED


async def test_a_coroutine_runs_as_a_task_of_its_name() -> None:
    async with TaskGroup() as tasks:
        task = tasks.spawn(nothing(), "quick")
    assert (task.get_name(), task.done()) == ("quick", True)
