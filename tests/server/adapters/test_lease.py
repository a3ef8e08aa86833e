"""One server at a time writes to an SQLite database, and the lease of one that dies is free."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cornered.server.adapters.lease import StoreTaken, lease

HOLDER = """
import sys, time
from cornered.server.adapters.lease import lease

with lease(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'new' / 'cornered.db'}"


@contextlib.asynccontextmanager
async def another_server(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that holds the lease."""
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


async def test_a_lease_has_one_holder_and_ends_with_a_killed_process(url: str) -> None:
    async with another_server(url) as other:
        with pytest.raises(StoreTaken), lease(url):
            pass
        other.send_signal(signal.SIGKILL)
        await other.wait()
        with lease(url):
            pass


def test_a_lease_that_was_let_go_is_free(url: str) -> None:
    for _ in range(2):
        with lease(url), pytest.raises(StoreTaken), lease(url):
            pass


@pytest.mark.parametrize("url", ["sqlite://", "postgresql://cornered@127.0.0.1/cornered"])
def test_a_store_without_a_file_needs_no_lease(url: str) -> None:
    entered = 0
    with lease(url), lease(url):
        entered += 1
    assert entered == 1


def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, "flock is not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(OSError, match="not implemented"), lease(f"sqlite:///{tmp_path / 'cornered.db'}"):
        pass
