"""`cornered cluster`: nodes on this machine, with their database, broker, house bots and a balancer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cornered.cli.errors import first_error
from cornered.cli.house_process import ANALYST_KEY, DEFAULT_ANALYST, HOUSE_BOTS, keep_house_bots
from cornered.cli.missing_extra import require
from cornered.cli.reachable import loopback, reachable

if TYPE_CHECKING:
    from cornered.cli.balancer import Balancer
    from cornered.cli.node_process import NodeProcess
    from cornered.services.mosquitto import Mosquitto
    from cornered.services.postgres import Postgres
    from cornered.services.running import Services

__all__ = ["app"]

WATCH_INTERVAL_S: Final = 1.0
READY_INTERVAL_S: Final = 0.05
MAX_OPEN_FILES: Final = 65_536
_ROOTS_DATA: Final = Path("/var/lib/cornered")
"""The data of root's cluster: PostgreSQL and Mosquitto run as users who cannot get into root's home."""

app = typer.Typer()


@app.command()
def cluster(
    bots: Annotated[bool, typer.Option("--bots/--no-bots", help="Connect the house bots.")] = True,
    nodes: Annotated[int, typer.Option(min=1, max=32, help="How many nodes.")] = 2,
    host: Annotated[str, typer.Option(help="The address that the balancer listens on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The balancer's port; 0 takes a free one.")] = 8420,
    data: Annotated[
        Path | None, typer.Option(help="The cluster's folder; by default `cluster` in the data directory.")
    ] = None,
) -> None:
    """Run several nodes on this machine, with PostgreSQL, Mosquitto and the house bots, and print one address.

    The nodes take their settings from the environment. A node that dies is started again, and so are the two services.
    """
    if os.name != "posix":
        raise ValueError("a cluster on one machine needs Linux or macOS; docs/operations.md has the other ways")
    require("asyncpg", "aiomqtt", *(("numpy", "numba") if bots else ()))
    from cornered.server import log as logging
    from cornered.server.app import new_event_loop
    from cornered.server.open_files import allow_open_files
    from cornered.server.settings import load_settings

    settings = load_settings()
    logging.configure(settings.log_level, settings.log_format)
    allow_open_files(MAX_OPEN_FILES)
    folder = (data or _default_folder(settings.data)).resolve()
    key = settings.analyst_key.get_secret_value() or secrets.token_urlsafe(32)
    with _used_alone(folder), _told_services(folder) as services:
        shared = {
            "CORNERED_DATABASE": services.postgres.database("cornered"),
            "CORNERED_MQTT": services.mqtt,
            # The balancer, beside what else stands in front.
            "CORNERED_PROXIES": ",".join([*map(str, settings.proxies), "127.0.0.1"]),
            ANALYST_KEY: key,
        }

        house = folder / "house.json" if bots else None

        async def run() -> None:
            from cornered.cli.node_process import NodeProcess
            from cornered.services.service import free_port

            members = [
                NodeProcess(
                    f"node-{number}",
                    free_port(),
                    folder / f"node-{number}",
                    shared,
                    stop_seconds=settings.stop_seconds,
                )
                for number in range(1, nodes + 1)
            ]
            await _run(members, (services.postgres, services.mosquitto), host, port, house, key)

        try:
            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                runner.run(run())
        except BaseExceptionGroup as group:
            raise first_error(group) from group


async def _run(
    members: Sequence[NodeProcess],
    services: Sequence[Postgres | Mosquitto],
    host: str,
    port: int,
    house: Path | None,
    analyst_key: str,
) -> None:
    """Run everything until SIGTERM or SIGINT; `house` is the file of the house bots' tokens, None without bots."""
    from cornered.cli.balancer import Balancer

    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with asyncio.TaskGroup() as tasks:
        balancer = Balancer([member.port for member in members], tasks)
        address = await balancer.open(host, port)
        watching = [tasks.create_task(_restart(service), name=service.title) for service in services]
        watching.append(tasks.create_task(balancer.watch(), name="balancer"))
        typer.echo(f"starting {len(members)} node{'s' if len(members) > 1 else ''}")
        nodes = [tasks.create_task(member.keep(), name=member.name) for member in members]
        playing: list[asyncio.Task[None]] = []
        try:
            await _until_ready(balancer, members, stopped)
            if not stopped.is_set():
                _tell(address, members)
                if house is not None:
                    server = loopback(address).replace("http", "ws", 1)
                    keeping = keep_house_bots(
                        HOUSE_BOTS, server, house, analyse=DEFAULT_ANALYST, analyst_key=analyst_key
                    )
                    playing.append(tasks.create_task(keeping, name="house"))
            await stopped.wait()
            typer.echo("stopping")
        finally:
            # The balancer ends after the nodes, whose last messages it forwards.
            await _cancel(playing)
            await _cancel(nodes)
            await balancer.close()
            await _cancel(watching)


async def _until_ready(balancer: Balancer, members: Sequence[NodeProcess], stopped: asyncio.Event) -> None:
    """Return when every node was ready once, or at a signal."""
    while not stopped.is_set() and not all(member.has_been_ready for member in members):
        for member in members:
            member.has_been_ready |= member.port in balancer.ready
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(READY_INTERVAL_S):
                await stopped.wait()


def _tell(address: str, members: Sequence[NodeProcess]) -> None:
    local, *others = reachable(address)
    typer.echo(f"Cornered is at {local}")
    if others:
        typer.echo(f"On the network it is at {' and '.join(others)}")
    for member in members:
        typer.echo(f"{member.name} is process {member.pid} at http://127.0.0.1:{member.port}, its log is {member.log}")


async def _restart(service: Postgres | Mosquitto) -> None:
    """Start a service again whenever it has died, until cancelled."""
    import structlog

    from cornered.services.service import ServiceError

    log = structlog.get_logger("cluster")
    while True:
        await asyncio.sleep(WATCH_INTERVAL_S)
        if not service.is_running:
            log.warning("a service ended; it starts again", service=service.title)
            try:
                # The thread lives until the loop ends, and no service is needed after that.
                await asyncio.to_thread(service.start)
            except ServiceError as error:
                log.error("a service does not start", service=service.title, reason=str(error))


async def _cancel(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@contextlib.contextmanager
def _told_services(folder: Path) -> Iterator[Services]:
    """Run the database and the broker inside the block. Raises ServiceError."""
    from cornered.services.running import running_services

    # The first start makes a database, which takes seconds.
    typer.echo(f"starting PostgreSQL and Mosquitto in {folder}")
    with running_services(folder) as services:
        yield services


@contextlib.contextmanager
def _used_alone(folder: Path) -> Iterator[None]:
    """Make the cluster's folder, and hold its lock inside the block. Raises ValueError where another cluster does."""
    from filelock import FileLock, Timeout

    # Root's services are other users, who go through it to their own folders.
    folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
    try:
        with FileLock(folder / "lock", blocking=False, mode=0o600):
            yield
    except Timeout:
        raise ValueError(f"another cluster uses {folder}: stop it, or choose another folder with --data") from None


def _default_folder(data: Path) -> Path:
    is_home = os.geteuid() == 0 and "CORNERED_DATA" not in os.environ
    return (_ROOTS_DATA if is_home else data) / "cluster"
