"""The servers under load: one that is started for it, those at given addresses, or a bare baseline."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cornered.bench.attacks.server_process import ServerProcess
from cornered.bench.raised_limits import environment
from cornered.bench.server import target
from cornered.bench.workload.descriptors import is_loopback, raise_limit
from cornered.bench.workload.processes import Usage, usage_of
from cornered.clients.sdk.address import require_listener, socket_url

__all__ = ["Observed", "Servers", "Store", "bare_server", "given_servers", "own_server"]

OWN_MAX_PLIES: Final = 10_000
"""Plies of a match on a server that is started here, the most that the setting allows: one is watched for long."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A process of the server's side that is measured; `with_children` for a database server's processes."""

    label: str
    pid: int
    with_children: bool = False


@dataclass(frozen=True, slots=True)
class Servers:
    """Where the load goes, and the processes whose CPU time is told."""

    addresses: tuple[str, ...]
    observed: Sequence[Observed] = ()
    """Whether it was started here, on an empty store and with raised limits."""
    bare_of: str = ""
    """The kind of `cornered.bench.targets`, for a baseline."""

    @property
    def is_local(self) -> bool:
        """Whether the load stays within this machine, so that a baseline here has the same network."""
        return all(map(is_loopback, self.addresses))

    def usage(self) -> Mapping[str, Usage]:
        """Return what each observed process has used so far."""
        return {one.label: usage_of(one.pid, with_children=one.with_children) for one in self.observed}


@dataclass(frozen=True, slots=True)
class Store:
    """The store of a server that is started: SQLite in a folder, or a database server."""

    folder: Path
    """The server's data directory."""
    url: str = ""
    """An SQLAlchemy URL; empty for SQLite in the folder."""
    server_pid: int | None = None
    """The database server's process, where it was started for this."""

    @property
    def database_url(self) -> str:
        return self.url or f"sqlite:///{self.folder / 'cornered.db'}"


@asynccontextmanager
async def own_server(store: Store, connections: int) -> AsyncIterator[Servers]:
    """Run a server of this checkout inside the block, on the store and with raised limits.

    Raises ValueError where this system does not allow a process so many connections.
    """
    # A process inherits the limit.
    raise_limit(connections, "the server")
    settings = environment() | {"CORNERED_MAX_PLIES": str(OWN_MAX_PLIES)}
    if store.url:
        settings["CORNERED_DATABASE"] = store.url
    async with ServerProcess.start(store.folder, **settings) as server:
        observed = [Observed("server", server.pid)]
        if store.server_pid is not None:
            observed.append(Observed("database", store.server_pid, with_children=True))
        yield Servers((server.address,), observed)


def given_servers(addresses: Sequence[str], pids: Sequence[int]) -> Servers:
    """Return servers that run already. Raises ValueError for a wrong address and where none listens."""
    urls = tuple(socket_url(address) for address in addresses)
    for address in addresses:
        require_listener(address)
    for pid in pids:
        if usage_of(pid).cpu is None:
            raise ValueError(f"there is no process {pid} on this machine, or its /proc entry cannot be read")
    return Servers(urls, [Observed(f"process {pid}", pid) for pid in pids])


@asynccontextmanager
async def bare_server(kind: str, connections: int) -> AsyncIterator[Servers]:
    """Run a baseline of `cornered.bench.targets` inside the block. Raises ValueError as `own_server` does."""
    raise_limit(connections, "the bare server")
    async with target(kind) as running:
        yield Servers((running.address,), [Observed("server", running.pid)], bare_of=kind)
