"""One server at a time writes to an SQLite database, and the lease of one that dies is free."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from cornered.server.adapters.lease import StoreTaken, lease
from tests.server.adapters.processes import hold_a_lease, other_process


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'new' / 'cornered.db'}"


@pytest.mark.usefixtures("forks")
async def test_a_lease_has_one_holder_and_ends_with_a_killed_process(url: str) -> None:
    async with other_process(hold_a_lease, url) as other:
        await other.says("held")
        with pytest.raises(StoreTaken), lease(url):
            pass
        await other.kill()
        with lease(url):
            pass


def test_a_lease_that_was_let_go_is_free(url: str) -> None:
    for _ in range(2):
        with lease(url), pytest.raises(StoreTaken), lease(url):
            pass


def test_a_store_without_a_file_needs_no_lease() -> None:
    entered = 0
    for url in ("sqlite://", "postgresql://cornered@127.0.0.1/cornered"):
        with lease(url), lease(url):
            entered += 1
    assert entered == 2


def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, "flock is not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(OSError, match="not implemented"), lease(f"sqlite:///{tmp_path / 'cornered.db'}"):
        pass
