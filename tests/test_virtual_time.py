"""The event loop of tests whose delays cost no time."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.virtual_time import after
from tests.waiting import until

pytestmark = pytest.mark.virtual_time


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_day_is_over_at_once_and_timers_fire_in_order() -> None:
    fired: list[float] = []
    for delay in (7_200, 60, 3_600):
        asyncio.get_running_loop().call_later(delay, fired.append, delay)
    began = time.monotonic()
    await after(86_400)
    assert fired == [60, 3_600, 7_200]
    assert now() == pytest.approx(86_400, abs=1)
    assert time.monotonic() - began < 60


async def test_no_time_passes_while_something_happens() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.readline():
            writer.write(data)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for _ in range(100):
            writer.write(b"line\n")
            async with asyncio.timeout(0.1):
                assert await reader.readline() == b"line\n"
        assert now() < 1
        writer.close()
        await writer.wait_closed()


async def test_a_task_that_only_yields_comes_to_its_deadline() -> None:
    await until(lambda: now() >= 0.1)
    assert now() == pytest.approx(0.1, abs=0.01)


async def test_a_deadline_does_not_pass_while_a_thread_works() -> None:
    async with asyncio.timeout(60):
        assert await asyncio.to_thread(sum, range(1_000_000)) == 499_999_500_000
    assert now() < 60


def test_after_is_for_this_loop_alone() -> None:
    with pytest.raises(AssertionError, match="virtual_time"):
        asyncio.run(after(0.001))
