"""The contract of the lobby's log, applied to every adapter."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from cornered.server.adapters.database import Database
from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.adapters.lobby_log_sql import SqlLobbyLog
from cornered.server.cluster.ports import LobbyLog, Ownership
from cornered.server.lobby.events import MatchEnded, SeekClosed, SeekLeft
from cornered.server.ports import JournalUnavailable, StaleSequence
from tests.conftest import Postgres
from tests.server.adapters.conftest import Opener

ONE, TWO, THREE = SeekClosed("1"), SeekLeft("2", "anna"), MatchEnded("3")


@pytest.fixture
def lobby_log(stored: Database | None, ownership: Ownership | None) -> LobbyLog:
    return MemoryLobbyLog() if stored is None else SqlLobbyLog(stored, ownership)


async def test_events_come_back_in_order_and_a_checkpoint_replaces_all_that_is_older(lobby_log: LobbyLog) -> None:
    seq, events = await lobby_log.read()
    assert (seq, list(events)) == (0, [])
    with pytest.raises(ValueError, match="only a checkpoint"):
        await lobby_log.append(0, [])
    await lobby_log.append(0, [ONE, TWO])
    await lobby_log.append(2, [THREE])
    many = [SeekClosed(str(number)) for number in range(4, 30)]
    await lobby_log.append(3, many)
    seq, events = await lobby_log.read()
    assert (seq, list(events)) == (29, [ONE, TWO, THREE, *many])
    await lobby_log.append(29, [THREE, ONE], is_checkpoint=True)
    await lobby_log.append(31, [TWO])
    seq, events = await lobby_log.read()
    assert (seq, list(events)) == (32, [THREE, ONE, TWO])


async def test_a_stale_append_stores_and_deletes_nothing(lobby_log: LobbyLog) -> None:
    await lobby_log.append(0, [ONE, TWO])
    for expected, is_checkpoint in itertools.product((0, 1, 3), (False, True)):
        with pytest.raises(StaleSequence):
            await lobby_log.append(expected, [THREE], is_checkpoint=is_checkpoint)
        seq, events = await lobby_log.read()
        assert (seq, list(events)) == (2, [ONE, TWO])
    await lobby_log.append(2, [THREE])


async def test_of_many_who_append_the_same_number_exactly_one_succeeds(lobby_log: LobbyLog) -> None:
    await lobby_log.append(0, [ONE])
    outcomes = await asyncio.gather(
        *(lobby_log.append(1, [SeekClosed(str(number))]) for number in range(10)), return_exceptions=True
    )
    assert outcomes.count(None) == 1
    assert sum(isinstance(outcome, StaleSequence) for outcome in outcomes) == 9
    assert (await lobby_log.read())[0] == 2


async def test_a_checkpoint_of_an_empty_lobby_keeps_the_number(lobby_log: LobbyLog) -> None:
    await lobby_log.append(0, [], is_checkpoint=True)
    await lobby_log.append(0, [ONE, TWO])
    for _ in range(2):
        await lobby_log.append(2, [], is_checkpoint=True)
        seq, events = await lobby_log.read()
        assert (seq, list(events)) == (2, [])
    await lobby_log.append(2, [THREE])
    await lobby_log.append(3, [ONE], is_checkpoint=True)
    seq, events = await lobby_log.read()
    assert (seq, list(events)) == (4, [ONE])


async def test_what_was_appended_is_there_after_opening_again(open_database: Opener) -> None:
    await SqlLobbyLog(await open_database()).append(0, [ONE, TWO])
    seq, events = await SqlLobbyLog(await open_database()).read()
    assert (seq, list(events)) == (2, [ONE, TWO])


async def test_an_event_that_cannot_be_read_is_named(open_database: Opener) -> None:
    database = await open_database()
    await SqlLobbyLog(database).append(0, [ONE, TWO])
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE lobby_log SET body = '{}' WHERE seq = 2")
    with pytest.raises(JournalUnavailable, match="event 2 of the lobby"):
        await SqlLobbyLog(database).read()


@pytest.mark.postgres
async def test_a_database_that_is_away_is_named_and_comes_back(postgres: Postgres, postgres_url: str) -> None:
    database = await Database.open(postgres_url)
    lobby_log = SqlLobbyLog(database)
    await lobby_log.append(0, [ONE])
    postgres.kill()
    try:
        with pytest.raises(JournalUnavailable):
            await lobby_log.append(1, [TWO])
        with pytest.raises(JournalUnavailable):
            await lobby_log.read()
    finally:
        postgres.start()
    await lobby_log.append(1, [TWO])
    assert (await lobby_log.read())[0] == 2
    await database.close()
