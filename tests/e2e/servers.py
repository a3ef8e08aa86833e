"""The servers of these tests: one node on SQLite, or, with `pytest --nodes N`, a cluster behind one address."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest
from pydantic import SecretStr

from cornered.cli import screenshots
from cornered.cli.house_process import ANALYST_KEY
from cornered.server.app import run
from cornered.server.settings import MEMORY_DATABASE, Settings

__all__ = ["OPERATORS_KEY", "UNLIMITED", "nodes", "operators_server", "running", "running_server", "started"]

OPERATORS_KEY = "the-key-of-the-operator"
"""The key of the servers of `running` and `operators_server`, with which a bot may bear the name of a house bot, and
analyse positions for others."""


def nodes() -> int:
    """Return how many nodes the server under test has: the value of `--nodes`, which `tests/conftest.py` puts there."""
    return int(os.environ.get("NODES_UNDER_TEST", "1"))


UNLIMITED: Final = {
    f"CORNERED_{kind}_{bound}": "1000000" for kind in ("MESSAGE", "ADDRESS", "GUEST") for bound in ("RATE", "BURST")
}
"""Settings of a server that limits no haste: tests on an idle machine are faster than players."""


@contextlib.contextmanager
def started(server: AbstractContextManager[str], **variables: str) -> Iterator[str]:
    """Run a server that starts with these variables, and yield its address.

    Other tests of this process do not see them: a server of theirs would take them for its settings.
    """
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as environment:
            for name, value in variables.items():
                environment.setenv(name, value)
            address = stack.enter_context(server)
        yield address


def running_server(*arguments: str) -> AbstractContextManager[str]:
    """Run `cornered serve` on a free port, or a cluster of nodes with the same arguments, and yield the page's address.

    The settings come from the environment.
    """
    if nodes() == 1:
        return screenshots.running_server(*arguments)
    return screenshots.running_server(*arguments, command=("cluster", "--nodes", str(nodes())))


@contextlib.contextmanager
def operators_server() -> Iterator[str]:
    """Run a server without bots that knows the operator's key, and yield the page's address."""
    with started(running_server("--no-bots"), **{ANALYST_KEY: OPERATORS_KEY}) as address:
        yield address


@contextlib.asynccontextmanager
async def running(data: Path) -> AsyncIterator[str]:
    """Run a server without bots in the test's own process, or a cluster, and yield the page's address."""
    if nodes() == 1:
        key = SecretStr(OPERATORS_KEY)
        settings = Settings(port=0, database=MEMORY_DATABASE, data=data, log_level="error", analyst_key=key)
        async with run(settings) as address:
            yield address
        return
    server = operators_server()
    address = await asyncio.to_thread(server.__enter__)
    try:
        yield address
    finally:
        await asyncio.to_thread(server.__exit__, None, None, None)
