"""An installation as an operator has it: a node on SQLite, or two on PostgreSQL behind one address, with its store."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from typer.testing import CliRunner

from cornered.cli import screenshots
from cornered.cli.main import narrowed_to
from tests.e2e.servers import UNLIMITED, started

__all__ = ["Installation", "administer", "installed"]

ADMIN_SECONDS: Final = 120.0


def administer(*words: str, **variables: str) -> str:
    """Call `cornered admin` for the store to which variables of the environment lead; return what it prints.

    In a thread of its own: in that of the tests the browser's event loop may run.
    """
    with ThreadPoolExecutor(1) as threads:
        called = threads.submit(CliRunner(env=variables).invoke, narrowed_to("admin"), ["admin", *words])
        result = called.result(ADMIN_SECONDS)
    assert result.exit_code == 0, result.output
    return result.stdout


@dataclass(frozen=True, slots=True)
class Installation:
    """A running server at `address`. `variables` lead to its store, as for a node of it."""

    address: str
    nodes: int
    variables: Mapping[str, str]

    def admin(self, *words: str) -> str:
        """Call `cornered admin`, as an operator does beside the server; return what it prints."""
        return administer(*words, **self.variables)

    def ratings_check(self) -> dict[str, Any]:
        """Compute all ratings from the journal; return how they compare with those that are stored."""
        found: dict[str, Any] = json.loads(self.admin("ratings", "check", "--json"))
        return found


@contextlib.contextmanager
def installed(nodes: int) -> Iterator[Installation]:
    """Run a server without bots, with a node on SQLite or with several on a database and a broker of their own."""
    with tempfile.TemporaryDirectory(prefix="cornered-installation-") as name:
        folder = Path(name)
        # Root's cluster has services of other users, who go through it to their own folders.
        folder.chmod(0o711)
        command = ("serve",) if nodes == 1 else ("cluster", "--nodes", str(nodes))
        server = screenshots.running_server("--no-bots", "--data", name, command=command)
        with started(server, **UNLIMITED) as address:
            variables = {"CORNERED_DATA": name} if nodes == 1 else {"CORNERED_DATABASE": _database(folder / "postgres")}
            yield Installation(address, nodes, variables)


def _database(folder: Path) -> str:
    """Return the address of a cluster's database."""
    port = (folder / "data" / "postmaster.pid").read_text().splitlines()[3]
    return f"postgresql://cornered:{(folder / 'password').read_text().strip()}@127.0.0.1:{port}/cornered"
