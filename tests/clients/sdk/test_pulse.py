from __future__ import annotations

import asyncio

import pytest

from cornered.clients.sdk import Closed, Pulse


async def test_a_change_that_came_before_the_wait_is_not_missed() -> None:
    pulse = Pulse()
    seen = pulse.count
    pulse.beat()
    pulse.beat()
    assert await pulse.after(seen) == 2


async def test_everybody_who_waits_wakes() -> None:
    pulse = Pulse()
    waiting = [asyncio.ensure_future(pulse.after(0)) for _ in range(3)]
    await asyncio.sleep(0)
    pulse.beat()
    assert await asyncio.gather(*waiting) == [1, 1, 1]


async def test_the_end_wakes_those_who_wait_for_more() -> None:
    pulse = Pulse()
    waiting = asyncio.ensure_future(pulse.after(5))
    await asyncio.sleep(0)
    pulse.close()
    with pytest.raises(Closed):
        await waiting
