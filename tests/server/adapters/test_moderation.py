"""The log of moderation, as every store keeps it."""

from __future__ import annotations

import asyncio

import pytest

from cornered.protocol.values import Player
from cornered.server.adapters.database import Database
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.adapters.moderation_sql import SqlModerationLog
from cornered.server.moderation.events import Banned, Entry, Lifted, seal_of
from cornered.server.moderation.ports import EntryTaken, ModerationLog

BEN = Player(id="ben", name="Ben", kind="person")


def entry(number: int, before: str = "") -> Entry:
    event = Banned(BEN, "ban", None, f"Grounds {number}", "mark") if number % 2 else Lifted(number - 1, "Sorry")
    return Entry(number, 1_000 + number, "Cas", event, seal_of(before, number, 1_000 + number, "Cas", event))


@pytest.fixture
def moderation_log(stored: Database | None) -> ModerationLog:
    return MemoryModerationLog() if stored is None else SqlModerationLog(stored)


async def test_entries_come_back_as_they_were_in_both_orders(moderation_log: ModerationLog) -> None:
    entries = [entry(number) for number in range(1, 6)]
    for one in entries:
        await moderation_log.append(one)
    assert list(await moderation_log.read(0, 10)) == entries
    assert list(await moderation_log.read(2, 2)) == entries[2:4]
    assert list(await moderation_log.before(None, 2)) == entries[:2:-1]
    assert list(await moderation_log.before(3, 10)) == entries[1::-1]
    assert list(await moderation_log.before(1, 10)) == []


async def test_an_entry_that_is_not_the_next_one_is_refused(moderation_log: ModerationLog) -> None:
    with pytest.raises(EntryTaken):
        await moderation_log.append(entry(2))
    await moderation_log.append(entry(1))
    with pytest.raises(EntryTaken):
        await moderation_log.append(entry(1))
    await moderation_log.append(entry(2))
    assert [one.number for one in await moderation_log.read(0, 10)] == [1, 2]


async def test_of_two_that_write_an_entry_at_once_one_succeeds(moderation_log: ModerationLog) -> None:
    results = await asyncio.gather(*(moderation_log.append(entry(1)) for _ in range(4)), return_exceptions=True)
    assert [result for result in results if result is None] == [None]
    assert all(isinstance(result, EntryTaken) for result in results if result is not None)
