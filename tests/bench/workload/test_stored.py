"""A store that is filled at once holds matches as a server would have stored them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from cornered.bench.workload.servers import Store
from cornered.bench.workload.stored import PLAYED_PLIES, fill
from cornered.engine.progress import Progress
from cornered.server.adapters.database import Database
from cornered.server.adapters.inspection import inspect
from cornered.server.adapters.tables import EVENTS, MATCHES_TABLE, SEATS_TABLE

COUNT = 300


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store of each kind."""
    url = request.getfixturevalue("postgres").new_database() if request.param == "postgres" else ""
    return Store(tmp_path, url)


async def test_every_stored_match_replays_by_the_rules_and_its_dice_are_verified(store: Store) -> None:
    told: list[Progress] = []
    await fill(store, COUNT, report=told.append)
    findings = await inspect(store.database_url, None)
    assert findings.is_whole
    assert (findings.matches, findings.live) == (COUNT, 0)
    assert told[-1].done == told[-1].total == COUNT


async def test_the_index_agrees_with_the_journal(store: Store) -> None:
    await fill(store, COUNT)
    database = await Database.open(store.database_url)
    try:
        async with database.reading() as connection:
            counts = [
                (await connection.execute(select(func.count()).select_from(table))).scalar_one()
                for table in (EVENTS, MATCHES_TABLE, SEATS_TABLE)
            ]
            ended = (await connection.execute(select(func.count(MATCHES_TABLE.c.ended.distinct())))).scalar_one()
    finally:
        await database.close()
    assert counts == [COUNT * (PLAYED_PLIES + 2), COUNT, COUNT * 2]
    assert ended > COUNT / 3


async def test_nothing_stored_is_an_empty_store(store: Store) -> None:
    await fill(store, 0)
    assert (await inspect(store.database_url, None)).matches == 0
