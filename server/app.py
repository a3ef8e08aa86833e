"""The composition root: makes a running server of the settings, and ends it in order at a signal."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from cornered.server import log as logging
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.bus_mqtt import Broker, MqttBus
from cornered.server.adapters.database import STORE_ERRORS, Database, address_of
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.lease import Lease, StoreTaken, lease
from cornered.server.adapters.private_files import NotPrivate, files_of_database, make_private
from cornered.server.lobby.bounds import Bounds
from cornered.server.match.match import Patience
from cornered.server.metrics import Counts, Metrics
from cornered.server.net.gateway import Gateway
from cornered.server.net.http import Pages
from cornered.server.ports import Accounts, Bus, Journal, JournalUnavailable
from cornered.server.runtime.lobby_service import LobbyService
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_task import Services
from cornered.server.runtime.timekeeping import Outages, Sign, SteadyClock, drop_sign, keep_time, last_sign, leave_signs
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError

__all__ = ["mint_bot_token", "new_event_loop", "run", "running_server", "serve", "settle_memory"]

STOP_OVERDUE_EXIT: Final = 70
"""The exit code of a server that had to be ended because it did not stop in time."""

FREEZE_SECONDS: Final = 1.0

log = structlog.get_logger("app")


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return a loop of the fastest kind that is installed: `asyncio.Runner(loop_factory=new_event_loop)`."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def settle_memory() -> None:
    """Freeze the objects that exist, and have the collector run rarely: a move leaves no cycle of references."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)


def _end_anyway(seconds: float) -> None:
    """End the process although something does not stop: every acknowledged move is stored already."""
    log.error("the server did not stop in time and is ended", seconds=seconds)
    os._exit(STOP_OVERDUE_EXIT)


async def serve(settings: Settings, *, started: Callable[[str], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT; `started` gets the page's address. Raises OSError and SettingsError.

    Stopping has a deadline, `stop_seconds`, kept by a thread: it holds even where the event loop is stuck. It is the
    process that must have ended by then, so nothing cancels the deadline: the loop's own end waits for its threads.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)
    deadline = threading.Timer(settings.stop_seconds, _end_anyway, [settings.stop_seconds])
    deadline.daemon = True
    for number in signals:
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, stopped.set)
    try:
        async with run(settings, beforehand=True) as address:
            try:
                settle_memory()
                if started is not None:
                    started(address)
                await stopped.wait()
                log.info("stopping")
            finally:
                deadline.start()
    finally:
        for number in signals:
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)


@contextlib.asynccontextmanager
async def run(settings: Settings, *, beforehand: bool = False) -> AsyncIterator[str]:
    """Run a server inside the block, which gets the page's address; the end of the block stops it in order.

    With `beforehand` the rules are compiled and loaded beside the loop, which never waits for that.
    """
    logging.configure(settings.log_level, settings.log_format)
    _prepare(settings)
    async with (
        _sole_use(settings) as held,
        _stores(settings, held) as (journal, accounts),
        running_server(settings, journal, accounts, held=held, beforehand=beforehand) as address,
    ):
        yield address


@contextlib.asynccontextmanager
async def running_server(
    settings: Settings,
    journal: Journal,
    accounts: Accounts,
    *,
    now: Callable[[], int] | None = None,
    outages: Outages | None = None,
    held: Lease | None = None,
    beforehand: bool = False,
) -> AsyncIterator[str]:
    """Run a server on stores that are open. Raises OSError, SettingsError.

    `now` is the match clock in milliseconds. A caller that provides it also calls `outages.beat`.
    """
    alive = settings.data / "alive"
    sign = last_sign(alive) if settings.database != MEMORY_DATABASE else None
    clock = now or SteadyClock(time.time, time.monotonic, not_before=sign.at if sign else 0)
    services = Services(journal, _bus(settings), Counts(), clock, outages=outages or Outages())
    with _using_store():
        secret = await journal.secret()
        sign = await _of_this_store(sign, journal, alive)
    refused: OSError | SettingsError | None = None
    async with asyncio.TaskGroup() as tasks:
        lobby_service = _lobby_service(settings, services, accounts, secret, tasks)
        gateway: Gateway
        pages = _pages(settings, lobby_service, services, lambda: gateway.connections)
        gateway = Gateway(settings, lobby_service, pages, tasks)
        registry = lobby_service.matches
        running = [tasks.create_task(services.bus.run(), name="bus")]
        signs: list[asyncio.Task[None]] = []
        if beforehand:
            services.readiness.expect_all()
            running.append(tasks.create_task(_prepare_games(services), name="readiness"))
        try:
            address = await _open_doors(gateway, lobby_service, registry, sign.at if sign else 0)
        except (OSError, SettingsError) as error:
            refused = error
        else:
            running.append(tasks.create_task(journal.watch(), name="journal watch"))
            if settings.database != MEMORY_DATABASE:
                known = (sign.match, sign.seq) if sign else None
                leave = partial(leave_signs, alive, services.outages, clock, lambda: journal.newest or known)
                signs.append(tasks.create_task(_when_loaded(registry, leave), name="signs of life"))
            if now is None:
                running.append(tasks.create_task(keep_time(services.outages, clock), name="heartbeat"))
            if held is not None:
                # Where another server took the lease, StoreTaken ends this one.
                running.append(tasks.create_task(held.keep(), name="lease"))
            log.info("listening", address=address, node=settings.node)
            yield address
        finally:
            await _stop(services, lobby_service, gateway, running, signs)
    if refused is not None:
        raise refused


def _lobby_service(
    settings: Settings, services: Services, accounts: Accounts, secret: bytes, tasks: asyncio.TaskGroup
) -> LobbyService:
    """Return the lobby service with its registry, with the limits of the settings."""
    patience = Patience(
        first_move=settings.first_move_seconds * 1000,
        gone=settings.gone_seconds * 1000,
        max_plies=settings.max_plies,
    )
    return LobbyService(
        services,
        accounts,
        partial(MatchRegistry, services, secret, patience, tasks),
        max_per_player=settings.max_per_player,
        bounds=Bounds(
            settings.max_seeks,
            settings.max_seeks_per_address,
            settings.max_challenges,
            settings.max_challenges_per_address,
            settings.max_matches_per_player,
            settings.max_matches_per_address,
        ),
        reserved_names=settings.reserved_names,
        analyst_key=settings.analyst_key.get_secret_value(),
    )


async def _stop(
    services: Services,
    lobby_service: LobbyService,
    gateway: Gateway,
    running: list[asyncio.Task[None]],
    signs: list[asyncio.Task[None]],
) -> None:
    """Stop everything in order; each step is taken even where the one before failed.

    From the notice on commands are refused, so no sign of life is left any more. Commands under way are answered before
    the sockets close: first the notice, then the answers, then the sockets.
    """
    # Called in reverse order.
    async with contextlib.AsyncExitStack() as stopping:
        for task in running:
            stopping.callback(task.cancel)
        stopping.push_async_callback(services.bus.close)
        stopping.callback(lobby_service.close)
        stopping.push_async_callback(gateway.close)
        stopping.push_async_callback(lobby_service.matches.close)
        stopping.callback(services.readiness.close)
        stopping.callback(lobby_service.say_goodbye, "The server restarts. Your games go on in a moment.")
        for task in signs:
            stopping.callback(task.cancel)


async def _open_doors(gateway: Gateway, lobby_service: LobbyService, registry: MatchRegistry, alive_at: int) -> str:
    """Listen, index the matches that go on, then admit players; return the address.

    Where the port is taken nothing has been written. Until the matches are there `/ready` answers 503, and so does the
    gateway to sockets, as it does while the lobby service stops.
    """
    lobby_service.is_stopping = True
    address = await gateway.open()
    with _using_store():
        await registry.recover(alive_at)
    lobby_service.is_stopping = False
    return address


async def _of_this_store(sign: Sign | None, journal: Journal, file: Path) -> Sign | None:
    """Return the last sign of life if it belongs to this store; another one is removed.

    A restored backup lacks the newest event of the server that left the sign, and is charged no time until then.
    """
    if sign is None or await journal.holds(sign.match, sign.seq):
        return sign
    # The store may come to hold an event of that number before the next sign is left.
    drop_sign(file)
    log.warning("the last sign of life is of a newer or another database: whole turns are refunded")
    return None


def _prepare(settings: Settings) -> None:
    """Make the data directory, and make sure that no other user reads what is in it. Raises SettingsError."""
    if settings.database == MEMORY_DATABASE:
        return
    with _using_store():
        database = address_of(settings.database_url)
    path = database.database if database.get_backend_name() == "sqlite" else None
    try:
        make_private(settings.data, files_of_database(Path(path)) if path else ())
    except NotPrivate as error:
        raise SettingsError(f"CORNERED_DATA: {error}") from None
    except OSError as error:
        raise SettingsError(f"CORNERED_DATA: {settings.data} cannot be made: {error.strerror}") from None


@contextlib.contextmanager
def _using_store() -> Iterator[None]:
    """Turn an error of the database into one line for the operator. Raises SettingsError."""
    try:
        yield
    except ValueError as error:
        raise SettingsError(f"CORNERED_DATABASE: {error}") from None
    except (JournalUnavailable, *STORE_ERRORS) as error:
        line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SettingsError(f"CORNERED_DATABASE: the database cannot be opened: {line}") from None


@contextlib.asynccontextmanager
async def _sole_use(settings: Settings) -> AsyncIterator[Lease | None]:
    """Hold the lease of the store inside the block. Raises SettingsError where another server holds it."""
    async with contextlib.AsyncExitStack() as stack:
        held: Lease | None = None
        if settings.database != MEMORY_DATABASE:
            try:
                with _using_store():
                    held = await stack.enter_async_context(lease(settings.database_url))
            except StoreTaken:
                what = "database" if settings.database else f"data directory, {settings.data}"
                name = "CORNERED_DATABASE" if settings.database else "CORNERED_DATA"
                raise SettingsError(f"{name}: another server uses this {what}; stop it, or choose another") from None
        yield held


@contextlib.asynccontextmanager
async def _stores(settings: Settings, held: Lease | None = None) -> AsyncIterator[tuple[Journal, Accounts]]:
    if settings.database == MEMORY_DATABASE:
        yield MemoryJournal(), MemoryAccounts()
        return
    with _using_store():
        database = await Database.open(
            settings.database_url,
            durability=settings.durability,
            may_write=lambda: held is None or held.is_held,
        )
    journal = SqlJournal(database)
    try:
        yield journal, SqlAccounts(database)
    finally:
        await journal.close()
        await database.close()


def _bus(settings: Settings) -> Bus:
    if not settings.mqtt:
        return LocalBus(node=settings.node)
    try:
        return MqttBus(Broker.parse(settings.mqtt), settings.node)
    except ValueError as error:
        raise SettingsError(f"CORNERED_MQTT: {error}") from None


def _pages(settings: Settings, lobby_service: LobbyService, services: Services, sockets: Callable[[], int]) -> Pages:
    metrics = Metrics(
        services.counts,
        {
            "players": ("Players who are here.", lambda: lobby_service.players),
            "sockets": ("Open TCP connections.", sockets),
            "tasks": ("Tasks of the event loop.", lambda: len(asyncio.all_tasks())),
            "match_tasks": ("Matches in memory.", lambda: len(lobby_service.matches)),
            "analysts": ("Bots that study positions.", lambda: lobby_service.analysis_service.analysts),
            "analyses": ("Positions that wait to be studied, or are.", lambda: lobby_service.analysis_service.jobs),
        },
    )
    token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else ""
    return Pages(
        settings.web, services.journal, metrics, lambda: _obstacle(lobby_service, services), metrics_token=token
    )


async def _prepare_games(services: Services) -> None:
    """Make all games ready; compiled code is a great many objects, which stay."""
    await services.readiness.prepare()
    settle_memory()


def _obstacle(lobby_service: LobbyService, services: Services) -> str:
    """Return what keeps the server from playing any game at once; empty when nothing does."""
    if lobby_service.is_stopping:
        return "not ready"
    if services.readiness.missing:
        return f"compiling {', '.join(services.readiness.missing)}"
    return services.journal.obstacle


async def _when_loaded(registry: MatchRegistry, leave: Callable[[], Awaitable[None]]) -> None:
    """Leave signs of life once no match needs the last one of the server before for its refund."""
    while not registry.all_loaded.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FREEZE_SECONDS):
                await registry.all_loaded.wait()
        # Matches stay: a collector that looked through all that were loaded so far would stop the loop for 0.1 s.
        gc.freeze()
    await leave()


async def mint_bot_token(settings: Settings, name: str) -> str:
    """Make a player for a bot and return its token, which is shown this once. Raises SettingsError."""
    _prepare(settings)
    async with _stores(settings) as (_, accounts):
        _, token = await accounts.create(name, "bot")
    return token
