"""The log of moderation, as every store keeps it."""

from __future__ import annotations

import asyncio

import pytest

from cornered.server.adapters.database import Database
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.adapters.moderation_sql import SqlModerationLog
from cornered.server.moderation.events import Banned, Entry, Lifted, ReportClosed, Reported, seal_of
from cornered.server.moderation.evidence import ChatLine, ReportText
from cornered.server.moderation.ports import EntryTaken, ModerationLog


def entry(number: int, before: str = "") -> Entry:
    event = Banned("ben", "ban", None, f"Grounds {number}", "mark") if number % 2 else Lifted(number - 1, "Sorry")
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


async def test_the_entries_of_one_player_are_found(moderation_log: ModerationLog) -> None:
    seal, entries = "", list[Entry]()
    for number, who in enumerate(("ann", "cas", "ann"), 1):
        event = Reported("ben", f"m{number}", who, TEXT.grounds_digest)
        entries.append(Entry(number, number, who, event, seal_of(seal, number, number, who, event)))
        seal = entries[-1].seal
        await moderation_log.append(entries[-1])
    assert list(await moderation_log.made_by("ann")) == entries[::2]
    assert list(await moderation_log.made_by("ben")) == []


async def test_an_entry_that_is_not_the_next_one_is_refused_also_when_two_write_it_at_once(
    moderation_log: ModerationLog,
) -> None:
    with pytest.raises(EntryTaken):
        await moderation_log.append(entry(2))
    await moderation_log.append(entry(1))
    with pytest.raises(EntryTaken):
        await moderation_log.append(entry(1))
    await moderation_log.append(entry(2))
    assert [one.number for one in await moderation_log.read(0, 10)] == [1, 2]
    results = await asyncio.gather(*(moderation_log.append(entry(3)) for _ in range(4)), return_exceptions=True)
    assert [result for result in results if result is None] == [None]
    assert all(isinstance(result, EntryTaken) for result in results if result is not None)


TEXT = ReportText("Insults", (ChatLine("ben", "players", "Früher “war” alles\n", 7),), "salt")


async def test_the_text_of_a_report_is_kept_beside_its_entry_and_told_once_when_it_is_closed(
    moderation_log: ModerationLog,
) -> None:
    event = Reported("ben", "m1", "ann", TEXT.grounds_digest, TEXT.chat_digest)
    first = Entry(1, 5, "ann", event, seal_of("", 1, 5, "ann", event))
    await moderation_log.append(first, TEXT)
    assert await moderation_log.texts([1, 2]) == {1: TEXT}
    assert not await moderation_log.mark_told(1)
    closed = ReportClosed(1, "Read")
    await moderation_log.append(Entry(2, 6, "cas", closed, seal_of(first.seal, 2, 6, "cas", closed)))
    assert [await moderation_log.mark_told(1) for _ in range(2)] == [True, False]
    assert not await moderation_log.mark_told(2)
    assert list(await moderation_log.read(0, 1)) == [first]
