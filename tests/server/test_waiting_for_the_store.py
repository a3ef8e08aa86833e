"""A server that starts while PostgreSQL is away waits for it, and tells of an address that no wait mends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from cornered.server.backing_services import open_stores
from cornered.server.settings import Settings, SettingsError
from tests.conftest import Postgres
from tests.waiting import until

pytestmark = pytest.mark.postgres


async def test_a_server_starts_when_its_database_is_back(postgres: Postgres, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, database=postgres.new_database())

    async def started() -> None:
        async with open_stores(settings) as stores:
            await stores.journal.secret()

    postgres.kill()
    try:
        with capture_logs() as logged:
            starting = asyncio.create_task(started())
            await until(lambda: logged, every=0.05)
            assert not starting.done()
    finally:
        # Ends with the thread that starts it.
        postgres.start()
    await starting
    assert [one["event"] for one in logged][:1] == ["the database is away; this server starts when it is back"]


async def test_a_wrong_address_is_an_error_at_once(postgres: Postgres, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, database=f"{postgres.new_database()}_of_nobody")
    with pytest.raises(SettingsError, match="does not exist"):
        async with open_stores(settings):
            pass
