"""The server that the pages' commands and programs reach."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from tests.docs.sandbox import Sandbox
from tests.e2e.servers import running_server

WITH_OWN_SERVER: Final = frozenset({"docs/client-kit.md"})
"""The pages that show ratings and names, which depend on all that was done on the server before."""


@contextmanager
def house(folder: Path) -> Iterator[str]:
    """Run a server with the bot `random`, in processes of its own; yield its host and port."""
    with running_server("--no-bots") as address:
        command = [sys.executable, "-m", "cornered", "bot", "random", "--server", address]
        with (
            (folder / "log").open("w") as log,
            subprocess.Popen([*command, "--identities", str(folder / "tokens.json")], stdout=log, stderr=log) as bot,
        ):
            yield urlsplit(address).netloc
            bot.terminate()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, compiled: None) -> Iterator[str]:
    """Host and port of the server that most pages share."""
    with house(tmp_path_factory.mktemp("house")) as address:
        yield address


@pytest.fixture
def sandbox(
    request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, compiled: None
) -> Iterator[Sandbox]:
    if request.node.callspec.params.get("page") in WITH_OWN_SERVER:
        with house(tmp_path_factory.mktemp("house")) as address:
            yield Sandbox(tmp_path, address)
    else:
        yield Sandbox(tmp_path, request.getfixturevalue("server"))
