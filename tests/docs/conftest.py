"""The server that the pages' commands and programs reach."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.sandbox import Sandbox
from tests.e2e.servers import running_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, compiled: None) -> Iterator[str]:
    """Host and port of a server with the bot `random`, in processes of its own."""
    folder = tmp_path_factory.mktemp("house")
    with running_server("--no-bots") as address:
        command = [sys.executable, "-m", "cornered", "bot", "random", "--server", address]
        with (
            (folder / "log").open("w") as log,
            subprocess.Popen([*command, "--identities", str(folder / "tokens.json")], stdout=log, stderr=log) as house,
        ):
            yield urlsplit(address).netloc
            house.terminate()


@pytest.fixture
def sandbox(tmp_path: Path, server: str) -> Sandbox:
    return Sandbox(tmp_path, server)
