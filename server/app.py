"""The only place that chooses adapters: settings become a running server, and a signal ends it in good order."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final

import structlog

from server import log as logging
from server.adapters.accounts_memory import MemoryAccounts
from server.adapters.accounts_sql import SqlAccounts
from server.adapters.bus_local import LocalBus
from server.adapters.bus_mqtt import Broker, MqttBus
from server.adapters.database import STORE_ERRORS, Database
from server.adapters.journal_memory import MemoryJournal
from server.adapters.journal_sql import SqlJournal
from server.adapters.lease import Lease, StoreTaken, lease
from server.gateway import Gateway
from server.hall import Hall
from server.match import Patience
from server.metrics import Counts, Metrics
from server.pages import Pages
from server.ports import Accounts, Bus, Journal, JournalUnavailable
from server.room import Services
from server.rooms import Rooms
from server.settings import MEMORY, Settings, SettingsError

__all__ = ["SteadyClock", "house", "mint_bot_token", "new_event_loop", "run", "serve", "settle_memory", "wall_clock"]

HEARTBEAT_SECONDS: Final = 1.0
"""How often the server leaves a sign of life. After a crash, clocks are refunded from the last one on."""

log = structlog.get_logger("app")


class SteadyClock:
    """The time in milliseconds, which never goes back.

    Where the system's clock is ahead, as after a laptop's sleep, this one follows; where it was set back, this one goes
    on from where it was.
    """

    def __init__(self, real: Callable[[], float], steady: Callable[[], float]) -> None:
        """`real` is the system's clock and `steady` one that only ever runs on, both in seconds."""
        self._real = real
        self._steady = steady
        self._offset = real() - steady()

    def __call__(self) -> int:
        steady = self._steady()
        self._offset = max(self._offset, self._real() - steady)
        return int((steady + self._offset) * 1000)


wall_clock: Final = SteadyClock(time.time, time.monotonic)


def new_event_loop() -> asyncio.AbstractEventLoop:
    """Return a loop of the fastest kind that is installed: `asyncio.Runner(loop_factory=new_event_loop)`."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def settle_memory() -> None:
    """Tell the collector that what is here now stays, and to look for cycles rarely: a move leaves none behind."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)


async def serve(settings: Settings, *, started: Callable[[str], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT; `started` hears the page's address. Raises OSError and SettingsError."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, stopped.set)
    try:
        async with run(settings, beforehand=True) as address:
            settle_memory()
            if started is not None:
                started(address)
            await stopped.wait()
            log.info("stopping")
    finally:
        for number in signals:
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
                loop.remove_signal_handler(number)


@contextlib.asynccontextmanager
async def run(settings: Settings, *, beforehand: bool = False) -> AsyncIterator[str]:
    """Run a server inside the block, which gets the page's address; the end of the block ends it in good order.

    With `beforehand` the rules are compiled and loaded beside the loop, which never waits for that.
    """
    logging.configure(settings.log_level, settings.log_format)
    _prepare(settings)
    async with (
        _sole_use(settings) as held,
        _stores(settings) as (journal, accounts),
        house(settings, journal, accounts, held=held, beforehand=beforehand) as address,
    ):
        yield address


@contextlib.asynccontextmanager
async def house(
    settings: Settings,
    journal: Journal,
    accounts: Accounts,
    *,
    now: Callable[[], int] = wall_clock,
    held: Lease | None = None,
    beforehand: bool = False,
) -> AsyncIterator[str]:
    """Run a server on stores that are open; `now` is the wall clock in milliseconds. Raises OSError, SettingsError."""
    bus = _bus(settings)
    services = Services(journal, bus, Counts(), now)
    with _using_store():
        secret = await journal.secret()
    refused: OSError | SettingsError | None = None
    async with asyncio.TaskGroup() as tasks:
        patience = Patience(first_move=settings.first_move_seconds * 1000, gone=settings.gone_seconds * 1000)
        rooms = Rooms(services, secret, patience, tasks)
        hall = Hall(services, accounts, rooms, max_per_player=settings.max_per_player)
        gateway = Gateway(settings, hall, _pages(settings, hall, services))
        running = [tasks.create_task(bus.run(), name="bus")]
        if beforehand:
            services.readiness.expect_all()
            running.append(tasks.create_task(_prepare_games(services), name="readiness"))
        try:
            sign = settings.data / "alive"
            address = await _open_doors(gateway, hall, rooms, _alive_at(sign))
        except (OSError, SettingsError) as error:
            refused = error
        else:
            if settings.database != MEMORY:
                running.append(tasks.create_task(_beat(sign), name="heartbeat"))
            if held is not None:
                running.append(tasks.create_task(held.keep(), name="lease"))
            log.info("listening", address=address, node=settings.node)
            yield address
        finally:
            # Nobody is cut off with a command under way: first the word, then the answers, then the sockets.
            hall.say_goodbye("The server restarts. Your games go on in a moment.")
            services.readiness.close()
            await rooms.close()
            await gateway.close()
            hall.close()
            await bus.close()
            for task in running:
                task.cancel()
    if refused is not None:
        raise refused


async def _open_doors(gateway: Gateway, hall: Hall, rooms: Rooms, alive_at: int) -> str:
    """Take the port, then up the matches that were going on, then players; return the address.

    Where the port is taken nothing has been written. Until the matches are there `/ready` says no, and so does the
    gateway to sockets, as it does while the hall stops.
    """
    hall.is_stopping = True
    address = await gateway.open()
    with _using_store():
        await rooms.recover(alive_at)
    hall.is_stopping = False
    return address


def _prepare(settings: Settings) -> None:
    """Make the data directory. Raises SettingsError."""
    if settings.database == MEMORY:
        return
    try:
        settings.data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"CORNERED_DATA: {settings.data} cannot be made: {error.strerror}") from None


@contextlib.contextmanager
def _using_store() -> Iterator[None]:
    """Turn what goes wrong with the database into the one line that tells the host. Raises SettingsError."""
    try:
        yield
    except ValueError as error:
        raise SettingsError(f"CORNERED_DATABASE: {error}") from None
    except (JournalUnavailable, *STORE_ERRORS) as error:
        line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SettingsError(f"CORNERED_DATABASE: the database cannot be opened: {line}") from None


@contextlib.asynccontextmanager
async def _sole_use(settings: Settings) -> AsyncIterator[Lease | None]:
    """Keep every other server away from the store. Raises SettingsError when one is there already."""
    async with contextlib.AsyncExitStack() as stack:
        held: Lease | None = None
        if settings.database != MEMORY:
            try:
                with _using_store():
                    held = await stack.enter_async_context(lease(settings.database_url))
            except StoreTaken:
                what = "database" if settings.database else f"data directory, {settings.data}"
                name = "CORNERED_DATABASE" if settings.database else "CORNERED_DATA"
                raise SettingsError(f"{name}: another server uses this {what}; stop it, or choose another") from None
        yield held


@contextlib.asynccontextmanager
async def _stores(settings: Settings) -> AsyncIterator[tuple[Journal, Accounts]]:
    if settings.database == MEMORY:
        yield MemoryJournal(), MemoryAccounts()
        return
    with _using_store():
        database = await Database.open(settings.database_url, durability=settings.durability)
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


def _pages(settings: Settings, hall: Hall, services: Services) -> Pages:
    metrics = Metrics(
        services.counts,
        {
            "players": ("Players who are here.", lambda: hall.players),
            "rooms": ("Matches in memory.", lambda: len(hall.rooms)),
            "analysts": ("Bots that study positions.", lambda: hall.bureau.analysts),
            "analyses": ("Positions that wait to be studied, or are.", lambda: hall.bureau.jobs),
        },
    )
    return Pages(settings.web, services.journal, metrics, lambda: _obstacle(hall, services))


async def _prepare_games(services: Services) -> None:
    """Make all games ready; compiled code is a great many objects, which stay."""
    await services.readiness.prepare()
    settle_memory()


def _obstacle(hall: Hall, services: Services) -> str:
    """Return what keeps the server from playing any game at once; empty when nothing does."""
    if hall.is_stopping:
        return "not ready"
    return f"compiling {', '.join(services.readiness.missing)}" if services.readiness.missing else ""


def _alive_at(sign: Path) -> int:
    """Return when the server was last certainly there; 0 when nothing tells."""
    try:
        return sign.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def _touch(sign: Path) -> None:
    sign.touch()
    os.utime(sign)


async def _beat(sign: Path) -> None:
    while True:
        with contextlib.suppress(OSError):
            # One inode's time changes in memory: too little to hold up the loop.
            _touch(sign)
        await asyncio.sleep(HEARTBEAT_SECONDS)


async def mint_bot_token(settings: Settings, name: str) -> str:
    """Make a player for a bot and return its token, which is shown this once. Raises SettingsError."""
    _prepare(settings)
    async with _stores(settings) as (_, accounts):
        _, token = await accounts.create(name, "bot")
    return token
