"""Faults that overlap: a node's kills and starts, and the stretches in which its matches cannot be served."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cornered.bench.faults.disk import LimitedFiles
from cornered.bench.faults.history import Outage
from cornered.bench.faults.injector import Injector
from cornered.bench.faults.node_process import NodeProcess
from cornered.bench.faults.schedule import Fault
from cornered.bench.faults.slot_watch import SlotWatch
from cornered.services.service import free_port
from tests.waiting import until


@pytest.mark.campaign
async def test_a_node_runs_after_kills_and_starts_at_any_time() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with NodeProcess.open("n1", free_port(), LimitedFiles(Path(folder)), None, {}) as node:

            async def kill_and_start(number: int) -> None:
                for turn in range(3):
                    await node.kill()
                    node.start()
                    # At once, as soon as there is a process, and when it is being made ready.
                    if (number + turn) % 3:
                        await until(lambda: node.server)
                    if (number + turn) % 3 == 2:
                        await node.is_ready()

            async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
                for number in range(3):
                    tasks.create_task(kill_and_start(number))
            assert await node.ready()
            assert await node.stop()
            assert not node.server


class PausedNode:
    """A node that is paused and nothing else."""

    name = "n1"

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    async def ready(self) -> bool:
        return True


async def outages_of_a_pause(nodes: int, taken_over_after: float | None) -> tuple[list[Outage], float]:
    """Pause a node for 1.5 s; return the outages, and when it was paused."""
    watch = SlotWatch()
    watch.take({1: ("n1", 4), 2: ("n2", 1)}, 0.0)
    paused = PausedNode()
    parts: Any = SimpleNamespace(nodes={f"n{number}": paused for number in range(1, nodes + 1)}, proxy=None)
    injector = Injector(parts, watch)
    began = time.monotonic()
    if taken_over_after is not None:
        asyncio.get_running_loop().call_later(0.2, watch.take, {1: ("n2", 5)}, began + taken_over_after)
    await injector.run([Fault(1, 0.0, "pause", "n1", 1.5, 0.0)], asyncio.Event())
    assert injector.failures == []
    return injector.outages, began


async def test_an_outage_is_that_of_the_nodes_slots_until_they_are_taken_over() -> None:
    (outage,), began = await outages_of_a_pause(2, 1.2)
    assert (outage.slots, outage.ended) == (frozenset({1}), began + 1.2)
    (outage,), began = await outages_of_a_pause(2, None)
    assert outage.slots == frozenset({1})
    assert outage.ended >= began + 1.5
    found, _ = await outages_of_a_pause(2, 0.3)
    assert found == [], "a short one counts as play"


async def test_one_node_alone_serves_all_matches_or_none() -> None:
    (outage,), _ = await outages_of_a_pause(1, 1.2)
    assert outage.slots is None
