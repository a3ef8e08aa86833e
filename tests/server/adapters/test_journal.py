"""The contract of journals, applied to every adapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from cornered.protocol import events
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.cluster.ports import Ownership
from cornered.server.cluster.slots import slot_of
from cornered.server.ports import Journal, StaleSequence
from tests.server.adapters.conftest import Sample


@pytest.fixture
async def journal(stored: Database | None, ownership: Ownership | None) -> AsyncIterator[Journal]:
    if stored is None:
        yield MemoryJournal()
        return
    sql = SqlJournal(stored, ownership)
    yield sql
    await sql.close()


async def test_what_was_appended_is_read_back_in_order_from_any_number_on(journal: Journal, sample: Sample) -> None:
    log = [sample.started("m"), *(sample.played(seq) for seq in range(2, 20)), sample.ended(20)]
    await journal.append("m", 0, log[:1])
    await journal.append("m", 1, log[1:5])
    await journal.append("other", 0, [sample.started("other")])
    await journal.append("m", 5, log[5:])
    assert list(await journal.read("m")) == log
    for since in (0, 1, 5, 19, 20, 21):
        assert list(await journal.read("m", since)) == log[since:]
    assert list(await journal.read("nothing")) == []


async def test_it_knows_its_newest_event_and_which_events_it_holds(journal: Journal, sample: Sample) -> None:
    assert journal.newest is None
    assert not await journal.holds("m", 1)
    await journal.append("m", 0, [sample.started("m"), sample.played(2)])
    assert journal.newest == ("m", 2)
    await journal.append("other", 0, [sample.started("other")])
    with pytest.raises(StaleSequence):
        await journal.append("m", 1, [sample.played(2)])
    assert journal.newest == ("other", 1)
    assert [seq for seq in range(4) if await journal.holds("m", seq)] == [1, 2]


async def test_every_kind_of_event_comes_back_as_it_was_and_the_secret_is_the_same_for_ever(
    journal: Journal, sample: Sample
) -> None:
    caused: dict[str, Any] = {"at": 5, "seat": 1, "cause": "c"}
    log: list[events.MatchEvent] = [
        sample.started("m"),
        sample.played(2),
        events.Rolled(seq=3, at=5, ply=1, move="6"),
        events.Eliminated(seq=4, at=5, seat=1, place=2, reason="gone"),
        events.DrawOffered(seq=5, **caused),
        events.DrawDeclined(seq=6, **caused),
        events.TakebackRequested(seq=7, **caused),
        events.TakebackDeclined(seq=8, **caused),
        events.TakenBack(seq=9, ply=0, left=(None, 5), **caused),
        events.Resumed(seq=10, at=5, refunded=1_000),
        events.Ended(seq=11, at=6, winner=None, places=(), reason="aborted", seed="s", cause="c", seat=0),
        events.RematchOffered(seq=12, **caused),
        events.RematchDeclined(seq=13, reason="not now", **caused),
        events.RematchDeclined(seq=14, at=6),
        events.Rematched(seq=15, match="next", **caused),
        events.ClocksPaused(seq=16, at=6, until=60_006),
        events.ClocksResumed(seq=17, at=7),
    ]
    await journal.append("m", 0, log)
    assert list(await journal.read("m")) == log
    secrets = await asyncio.gather(*(journal.secret() for _ in range(5)))
    assert len(set(secrets)) == 1
    assert len(secrets[0]) == 32
    assert await journal.secret() == secrets[0]


async def test_a_wrong_expectation_is_refused_and_stores_nothing(journal: Journal, sample: Sample) -> None:
    with pytest.raises(StaleSequence):
        await journal.append("m", 1, [sample.played(2)])
    for wrong in ([], [sample.played(2)], [sample.started("m"), sample.played(3)]):
        with pytest.raises(ValueError, match="numbered on"):
            await journal.append("m", 0, wrong)
    assert list(await journal.read("m")) == []
    log = [sample.started("m"), sample.played(2)]
    await journal.append("m", 0, log)
    for expected in (0, 1, 3, 9):
        with pytest.raises(StaleSequence):
            await journal.append("m", expected, [sample.played(expected + 1), sample.played(expected + 2)])
        assert list(await journal.read("m")) == log


async def test_of_many_who_append_the_same_number_one_succeeds_and_a_conflict_hits_only_its_own_caller(
    journal: Journal, sample: Sample
) -> None:
    await journal.append("m", 0, [sample.started("m")])
    outcomes = await asyncio.gather(
        *(journal.append("m", 1, [sample.played(2)]) for _ in range(20)), return_exceptions=True
    )
    assert outcomes.count(None) == 1
    assert sum(isinstance(outcome, StaleSequence) for outcome in outcomes) == 19
    assert len(await journal.read("m")) == 2
    names = [f"m{number}" for number in range(50)]
    await asyncio.gather(*(journal.append(name, 0, [sample.started(name)]) for name in names))
    outcomes = await asyncio.gather(
        *(journal.append(name, 0, [sample.started(name)]) for name in names[:5]),
        *(journal.append(name, 1, [sample.played(2)]) for name in names),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [StaleSequence] * 5 + [type(None)] * 50
    for name in names:
        assert list(await journal.read(name)) == [sample.started(name), sample.played(2)]


async def test_live_matches_are_those_without_an_end_oldest_first(journal: Journal, sample: Sample) -> None:
    for name, at in (("late", 30), ("early", 10), ("over", 5), ("middle", 20)):
        await journal.append(name, 0, [sample.started(name, at=at)])
    await journal.append("over", 1, [sample.played(2), sample.ended(3)])
    await journal.append("early", 1, [sample.played(2)])
    assert [started.match for started in await journal.live()] == ["early", "middle", "late"]
    assert (await journal.live())[0] == sample.started("early", at=10)


async def test_live_matches_are_given_by_slot(journal: Journal, sample: Sample) -> None:
    names = [f"{number:04}-match" for number in range(100)]
    await asyncio.gather(*(journal.append(name, 0, [sample.started(name, at=1)]) for name in names))
    await journal.append(names[0], 1, [sample.ended(2)])
    slots = frozenset(slot_of(name) for name in names[:50])
    expected = [name for name in names[1:] if slot_of(name) in slots]
    assert 0 < len(expected) < len(names) - 1
    assert [started.match for started in await journal.live(slots)] == expected
    assert list(await journal.live(())) == []


async def test_finished_public_matches_come_newest_first_by_a_cursor(journal: Journal, sample: Sample) -> None:
    for name, ended in (("a", 50), ("b", 70), ("c", 70), ("d", 70), ("e", 20)):
        await journal.append(name, 0, [sample.started(name), sample.ended(2, at=ended)])
    await journal.append("hidden", 0, [sample.started("hidden", private=True), sample.ended(2)])
    await journal.append("open", 0, [sample.started("open")])
    assert await journal.finished(None, 10) == ["d", "c", "b", "a", "e"]
    found, cursor = list[str](), None
    while page := await journal.finished(None, 2, cursor):
        found += page
        cursor = page[-1]
    assert found == ["d", "c", "b", "a", "e"]
    assert list(await journal.finished(None, 2, "open")) == []
    assert list(await journal.finished(None, 2, "unknown")) == []
    # A match that goes on after its end stays finished.
    await journal.append("a", 2, [events.RematchOffered(seq=3, at=100, seat=0, cause="c")])
    assert [started.match for started in await journal.live()] == ["open"]
    assert len(await journal.finished(None, 10)) == 5


async def test_a_players_finished_matches_are_his_own_private_ones_too(journal: Journal, sample: Sample) -> None:
    carl = sample.anna.model_copy(update={"id": "carl"})
    for name, players, private in (
        ("both", (sample.anna, sample.bert), False),
        ("hidden", (sample.bert, sample.anna), True),
        ("others", (sample.bert, carl), False),
    ):
        started = sample.started(name, players=players, private=private)
        await journal.append(name, 0, [started, sample.ended(2, at=len(name))])
    assert await journal.finished("anna", 10) == ["hidden", "both"]
    assert await journal.finished("carl", 10) == ["others"]
    assert list(await journal.finished("nobody", 10)) == []
