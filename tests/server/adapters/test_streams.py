"""Event streams, as every store keeps them."""

from __future__ import annotations

import asyncio

import pytest

from cornered.server.adapters.database import Database
from cornered.server.adapters.streams_memory import MemoryStreams
from cornered.server.adapters.streams_sql import SqlStreams
from cornered.server.streams.ports import EventStreams, StaleStream, StreamEvent, StreamHead, StreamsUnavailable
from tests.server.adapters.conftest import Opener

KIND = "tournament"


@pytest.fixture
def streams(stored: Database | None) -> EventStreams:
    return MemoryStreams() if stored is None else SqlStreams(stored)


async def test_events_come_back_by_stream_and_in_one_order_over_all_streams_of_a_kind(streams: EventStreams) -> None:
    assert await streams.append(KIND, "one", 0, ["a", "b"]) == 2
    assert await streams.append(KIND, "two", 0, ["c"]) == 3
    assert await streams.append(KIND, "one", 2, ['{"text": "ä"}']) == 4
    one = [StreamEvent("one", 1, 1, "a"), StreamEvent("one", 2, 2, "b"), StreamEvent("one", 3, 4, '{"text": "ä"}')]
    assert list(await streams.read(KIND, "one", 0, 10)) == one
    assert list(await streams.read(KIND, "one", 1, 1)) == one[1:2]
    assert list(await streams.follow(KIND, 1, 2)) == [one[1], StreamEvent("two", 1, 3, "c")]
    assert list(await streams.follow(KIND, 4, 10)) == list(await streams.read(KIND, "other", 0, 10)) == []
    assert await streams.newest(KIND) == 4


async def test_another_kind_has_streams_and_numbers_of_its_own(streams: EventStreams) -> None:
    await streams.append(KIND, "one", 0, ["a", "b"])
    assert await streams.newest("class") == 0
    with pytest.raises(StaleStream):
        await streams.append("class", "one", 1, ["x"])
    assert await streams.append("class", "one", 0, ["c"]) == 1
    for expected in (0, 2):
        with pytest.raises(StaleStream):
            await streams.append("class", "one", expected, ["x", "y"])
    assert [event.body for event in await streams.follow("class", 0, 10)] == ["c"]


async def test_a_stale_append_does_not_end_the_connection_of_all_writes(open_database: Opener) -> None:
    stored = await open_database()
    streams = SqlStreams(stored)
    await streams.append(KIND, "one", 0, ["a"])
    async with stored.writing() as before:
        pass
    with pytest.raises(StaleStream):
        await streams.append(KIND, "one", 0, ["b"])
    async with stored.writing() as after:
        assert after is before


async def test_open_and_closed_streams_are_listed_by_their_newest_events(streams: EventStreams) -> None:
    for name in ("one", "two", "three"):
        await streams.append(KIND, name, 0, [name])
    await streams.append(KIND, "two", 1, ["end"], is_closed=True)
    await streams.append(KIND, "one", 1, ["more"])
    open_ = [StreamHead("one", 2, 5, False), StreamHead("three", 1, 3, False)]
    assert list(await streams.heads(KIND, is_closed=False, before=None, limit=10)) == open_
    assert list(await streams.heads(KIND, is_closed=False, before=5, limit=10)) == open_[1:]
    assert list(await streams.heads(KIND, is_closed=False, before=None, limit=1)) == open_[:1]
    assert list(await streams.heads(KIND, is_closed=True, before=None, limit=9)) == [StreamHead("two", 2, 4, True)]


async def test_of_two_that_append_to_a_stream_at_once_one_succeeds(streams: EventStreams) -> None:
    results = await asyncio.gather(
        *(streams.append(KIND, "one", 0, [str(body)]) for body in range(4)), return_exceptions=True
    )
    assert [result for result in results if not isinstance(result, BaseException)] == [1]
    assert sum(isinstance(result, StaleStream) for result in results) == 3


async def test_processes_that_append_to_many_streams_at_once_leave_no_gap(open_database: Opener) -> None:
    several = [SqlStreams(await open_database()) for _ in range(3)]

    async def fill(streams: SqlStreams, own: int) -> None:
        for seq in range(8):
            while True:
                try:
                    await streams.append(KIND, f"of-{own}", seq, [f"{own}-{seq}", "more"][: 1 + own % 2])
                    break
                except StreamsUnavailable:
                    # Too many others were faster.
                    continue
                except StaleStream:
                    return

    await asyncio.gather(*(fill(streams, own) for own, streams in enumerate(several)))
    events = await several[0].follow(KIND, 0, 100)
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert [event.seq for event in events if event.stream == "of-0"] == list(range(1, 9))
    assert [event.seq for event in events if event.stream == "of-2"] == list(range(1, 9))
