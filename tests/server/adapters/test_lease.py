"""One server at a time writes to a store, and whoever dies makes room."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.adapters.lease import StoreTaken, lease

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]

HOLDER = """
import asyncio, sys
from server.adapters.lease import lease

async def hold():
    async with lease(sys.argv[1]):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        new: str = request.getfixturevalue("postgres").new_database()
        return new
    return f"sqlite:///{tmp_path / 'new' / 'cornered.db'}"


@contextlib.asynccontextmanager
async def another_server(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of its own that holds the lease."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, url), stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"held\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_lease_has_one_holder_and_ends_with_a_killed_process(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with another_server(url) as other:
        with monkeypatch.context() as patch:
            patch.setattr("server.adapters.lease.ATTEMPTS", 1)
            with pytest.raises(StoreTaken):
                async with lease(url):
                    pass
        other.send_signal(signal.SIGKILL)
        await other.wait()
        async with lease(url):
            pass


async def test_a_lease_that_was_let_go_is_free(url: str) -> None:
    for _ in range(2):
        async with lease(url):
            pass


async def test_a_store_without_a_file_needs_no_lease() -> None:
    async with lease("sqlite://"), lease("sqlite://"):
        pass


@pytest.mark.postgres
async def test_a_lease_comes_back_with_its_database(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres = request.getfixturevalue("postgres")
    url = postgres.new_database()
    monkeypatch.setattr("server.adapters.lease.KEEP_SECONDS", 0.001)
    monkeypatch.setattr("server.adapters.lease.ATTEMPTS", 1)
    async with asyncio.timeout(30), lease(url) as held:
        keeping = asyncio.ensure_future(held.keep())
        postgres.kill()
        try:
            await asyncio.sleep(0.01)
        finally:
            postgres.start()
        while True:
            try:
                async with lease(url):
                    await asyncio.sleep(0)
            except StoreTaken:
                break
        keeping.cancel()
        await asyncio.wait((keeping,))
