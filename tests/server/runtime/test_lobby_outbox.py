"""The lobby's outbox: nothing is told before it is stored, and everything in order."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import pytest

from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.lobby.events import Departed, LobbyEvent, SeekClosed
from cornered.server.ports import JournalUnavailable, NotOwner
from cornered.server.runtime import lobby_outbox
from cornered.server.runtime.lobby_outbox import LobbyOutbox
from tests.server.conftest import StubbornLobbyLog
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time


class SlowLog(StubbornLobbyLog):
    """Every append takes a second."""

    def __init__(self) -> None:
        super().__init__()
        self.appended: list[Sequence[LobbyEvent]] = []

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        await after(1)
        await super().append(expected_seq, events, is_checkpoint=is_checkpoint)
        self.appended.append(tuple(events))


@dataclass
class Lobby:
    """What is told, and the state that checkpoints have."""

    told: list[LobbyEvent] = field(default_factory=list)
    state: list[LobbyEvent] = field(default_factory=list)

    def tell(self, events: Sequence[LobbyEvent], told: Sequence[LobbyEvent]) -> None:
        self.told += events


@contextlib.asynccontextmanager
async def running(log: MemoryLobbyLog) -> AsyncIterator[tuple[LobbyOutbox, Lobby]]:
    lobby = Lobby()
    outbox = LobbyOutbox(log, lobby.tell, lambda: tuple(lobby.state))
    await outbox.read()
    task = asyncio.create_task(outbox.run())
    yield outbox, lobby
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def closed(number: int) -> SeekClosed:
    return SeekClosed(f"s{number}")


def put(outbox: LobbyOutbox, event: LobbyEvent) -> asyncio.Future[object]:
    done = outbox.put((event,), stored=(event,))
    assert done is not None
    return done  # type: ignore[return-value]


async def test_nothing_is_told_before_it_is_stored_nor_before_what_came_earlier_and_the_rest_at_once() -> None:
    log = SlowLog()
    async with running(log) as (outbox, lobby):
        stored = put(outbox, closed(1))
        later = outbox.put((Departed("ann"),))
        assert later is not None
        await after(0.9)
        assert lobby.told == []
        await after(0.2)
        assert stored.done()
        assert later.done()
        assert lobby.told == [closed(1), Departed("ann")]
        assert (await log.read())[1] == (closed(1),)
    async with running(SlowLog()) as (outbox, lobby):
        assert outbox.put((Departed("ann"),)) is None
        assert lobby.told == [Departed("ann")]


async def test_what_comes_during_an_append_shares_the_next_one() -> None:
    log = SlowLog()
    async with running(log) as (outbox, lobby):
        put(outbox, closed(0))
        await after(0.5)
        for number in range(1, 40):
            put(outbox, closed(number))
        await after(1.6)
        assert [len(events) for events in log.appended] == [1, 39]
        assert lobby.told == [closed(number) for number in range(40)]


@pytest.mark.parametrize("how", ["before", "after"])
async def test_what_could_not_be_stored_is_stored_once_and_in_order_when_the_store_is_back(how: str) -> None:
    log = SlowLog()
    log.failures = [how, "before"]
    async with running(log) as (outbox, lobby):
        put(outbox, closed(1))
        await after(1.5)
        assert lobby.told == []
        put(outbox, closed(2))
        await outbox.drained()
        assert lobby.told == [closed(1), closed(2)]
        assert await log.read() == (2, (closed(1), closed(2)))


async def test_a_store_that_cannot_be_read_after_a_doubtful_append_is_asked_again() -> None:
    class Unreadable(SlowLog):
        is_away = False

        async def read(self) -> tuple[int, Sequence[LobbyEvent]]:
            if self.is_away:
                self.is_away = False
                raise JournalUnavailable("the store is away")
            return await super().read()

    log = Unreadable()
    log.failures = ["after"]
    async with running(log) as (outbox, lobby):
        log.is_away = True
        put(outbox, closed(1))
        await outbox.drained()
        assert lobby.told == [closed(1)]
        assert await log.read() == (1, (closed(1),))


async def test_another_writer_ends_it() -> None:
    log = StubbornLobbyLog()
    outbox = LobbyOutbox(log, Lobby().tell, tuple)
    await log.append(0, (closed(7),))
    put(outbox, closed(1))
    with pytest.raises(NotOwner):
        await outbox.run()
    assert await log.read() == (1, (closed(7),))


async def test_a_defect_in_telling_keeps_nothing_else_back(caplog: pytest.LogCaptureFixture) -> None:
    log = StubbornLobbyLog()
    told: list[LobbyEvent] = []

    def tell(events: Sequence[LobbyEvent], _: Sequence[LobbyEvent]) -> None:
        told.extend(events)
        if len(told) == 1:
            raise RuntimeError("a defect")

    outbox = LobbyOutbox(log, tell, tuple)
    first, second = put(outbox, closed(1)), put(outbox, closed(2))
    task = asyncio.create_task(outbox.run())
    await asyncio.wait([first, second])
    assert told == [closed(1), closed(2)]
    task.cancel()


async def test_a_checkpoint_has_what_waits_and_makes_the_log_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_outbox, "CHECKPOINT_EVENTS", 10)
    log = SlowLog()
    async with running(log) as (outbox, lobby):
        lobby.state = [closed(100)]
        for number in range(10):
            put(outbox, closed(number))
        await after(1.5)
        late = put(outbox, closed(11))
        assert not late.done()
        await outbox.drained()
        assert lobby.told == [*(closed(number) for number in range(10)), closed(11)]
        seq, events = await log.read()
        assert events in ((closed(100),), (closed(100), closed(11)))
        assert seq == 10 + len(events)
        put(outbox, closed(12))
        await outbox.drained()
        assert (await log.read())[1] == (*events, closed(12))


async def test_a_quiet_log_is_made_short_in_time() -> None:
    log = StubbornLobbyLog()
    async with running(log) as (outbox, lobby):
        lobby.state = [closed(100)]
        put(outbox, closed(1))
        await after(lobby_outbox.CHECKPOINT_SECONDS + 1)
        put(outbox, closed(2))
        await after(1)
        assert (await log.read())[1] == (closed(100),)


async def test_too_much_that_waits_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_outbox, "MAX_UNSTORED", 3)
    log = SlowLog()
    log.failures = ["before"] * 5
    async with running(log) as (outbox, _):
        for number in range(3):
            assert not outbox.is_full
            put(outbox, closed(number))
        assert outbox.is_full
        await outbox.drained()
        assert not outbox.is_full
