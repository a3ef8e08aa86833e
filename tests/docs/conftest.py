"""The server that the pages' commands and programs reach."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from cornered import engine
from cornered.cli.screenshots import START_TIMEOUT_S, running_server
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.opponents import find_opponent
from cornered.protocol.values import NO_CLOCK
from tests.docs.blocks import ROOT
from tests.docs.sandbox import Sandbox

HOUSE_BOT: Final = "level-1"
WITH_OWN_SERVER: Final = frozenset({"docs/client-kit.md"})
"""The pages that show ratings and names, which depend on all that was done on the server before."""


@contextmanager
def house() -> Iterator[str]:
    """Run a server with the weakest of the house bots, as `cornered serve` connects all of them; yield host and port.

    A page may name no other opponent: a reader's server has only house bots.
    """
    with running_server("--no-bots", "--bot", HOUSE_BOT) as address:
        asyncio.run(_until_here(HOUSE_BOT, address))
        yield urlsplit(address).netloc


async def _until_here(name: str, address: str) -> None:
    """Wait until a bot is in the lobby. Raises NoOpponent."""
    async with Client.connect(address, name="Reader") as client:
        games = [kind.name for kind in engine.games()]
        await find_opponent(client, name, games, NO_CLOCK, patience=START_TIMEOUT_S)


@pytest.fixture(scope="package")
def server(compiled: None) -> Iterator[str]:
    """Host and port of the server that most pages share."""
    with house() as address:
        yield address


@pytest.fixture(scope="package")
def forking(compiled: None) -> Iterator[Path]:
    """The socket of the process that forks the commands of pages; its path is short, as that of a socket has to be."""
    with tempfile.TemporaryDirectory(prefix="cornered-docs-") as folder:
        path = Path(folder) / "forking"
        command = [sys.executable, "-m", "tests.docs.forking", str(path)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield path
            process.kill()


@pytest.fixture
def sandbox(request: pytest.FixtureRequest, tmp_path: Path, forking: Path) -> Iterator[Sandbox]:
    if request.node.callspec.params.get("page") in WITH_OWN_SERVER:
        with house() as address:
            yield Sandbox(tmp_path, address, forking)
    else:
        yield Sandbox(tmp_path, request.getfixturevalue("server"), forking)
