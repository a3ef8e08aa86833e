"""The gateway: one TCP port for the page, the plain HTTP answers and the WebSockets."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import structlog
from websockets.frames import CloseCode
from websockets.http11 import Request, Response

from cornered.server.net.archive_download import ARCHIVE_PATHS, Streamed
from cornered.server.net.connection import CLOSE_SECONDS, SLICE_BYTES, Connection, Handler
from cornered.server.net.costs import PAGE_TOKENS
from cornered.server.net.hosts import KnownHosts
from cornered.server.net.http import Pages
from cornered.server.net.requests import canonical_path, field_of, is_upgrade, refusal_of, refuses_subprotocol
from cornered.server.net.responses import plain, unreadable
from cornered.server.net.session import Session
from cornered.server.net.visitors import Visitor, Visitors, rate_limit_key
from cornered.server.refusal import Refusal
from cornered.server.runtime.account_service import AccountService
from cornered.server.runtime.bot_service import BotService
from cornered.server.runtime.exports import Exports
from cornered.server.runtime.group_service import GroupService
from cornered.server.runtime.limits import AddressLimits, Limits
from cornered.server.runtime.lobby_service import LobbyService
from cornered.server.runtime.token_bucket import TokenBucket
from cornered.server.settings import Settings

__all__ = ["Gateway"]

BACKLOG: Final = 128
"""Connections that the system accepts before the loop does; also the most that the loop accepts in one turn."""
REFUSED_MAX: Final = 64
"""Connections of one address beyond its limit that are refused with a reason; further ones are aborted."""
PAGE_PATIENCE_SECONDS: Final = 15.0
"""How long a request for a page may wait for its address's share; a longer wait is refused with `Retry-After`."""
RECORD_RETRY_SECONDS: Final = 30
"""`Retry-After` of a record whose turn did not come."""
PAGES: Final = object()
"""The key of all requests for pages of one address in its fair queue: more connections are no larger share."""
VISIT: Final = "/visit"
"""The path that answers a page why its socket does not open, since browsers hide the answer to a handshake."""
DEPARTURES_SECONDS: Final = 0.004
"""How long sessions may be ended in one turn of the loop when many connections are lost at once."""

log = structlog.get_logger("gateway")


class _PageRequest:
    """One HTTP request, charged to its address, and cancelled when its connection closes."""

    __slots__ = ("_is_given_up", "_key", "_limits", "_owes", "address", "task")

    def __init__(self, key: str, address: AddressLimits, limits: Limits) -> None:
        self._key = key
        self.address = address
        self._limits = limits
        # True from a reading of the store until it is paid for: that is completed in any case.
        self._owes = False
        self._is_given_up = False
        self.task: asyncio.Task[None] | None = None

    async def begin(self, address_cost: float) -> None:
        """Pay for the request itself. Raises Refusal when the address's share of tokens is too far away."""
        delay = self.address.share.delay(PAGES, address_cost)
        if delay > PAGE_PATIENCE_SECONDS:
            raise _too_fast("too many requests from this address", math.ceil(delay))
        await self._take(address_cost, PAGE_TOKENS)

    async def pay(self, cost: float) -> None:
        await self._take(cost, cost)

    async def _take(self, address_cost: float, server_cost: float) -> None:
        await self.address.share.take(PAGES, address_cost)
        await self._limits.all_clients.take(self._key, server_cost)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(PAGE_PATIENCE_SECONDS):
                await self.address.downloads.acquire()
        except TimeoutError:
            raise _too_fast("too many records are read for this address", RECORD_RETRY_SECONDS) from None
        self._owes = True
        try:
            yield
        finally:
            self._owes = False
            self.address.downloads.release()
            if self._is_given_up:
                self.give_up()

    def give_up(self) -> None:
        """End the request now, or as soon as nothing is owed."""
        self._is_given_up = True
        if not self._owes and self.task is not None:
            self.task.cancel()


class Gateway:
    """Listens, and starts a session for every WebSocket whose handshake is admitted."""

    def __init__(
        self,
        settings: Settings,
        limits: Limits,
        lobby_service: LobbyService,
        account_service: AccountService,
        exports: Exports,
        groups: GroupService,
        bots: BotService,
        pages: Pages,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._settings = settings
        self._lobby_service = lobby_service
        self._account_service = account_service
        self._exports = exports
        self._groups = groups
        self._bots = bots
        self._pages = pages
        self._tasks = tasks
        self._loop = asyncio.get_running_loop()
        self._limits = limits
        self._visitors = Visitors(settings.proxies)
        self._hosts = KnownHosts.of(settings)
        # Connections and the limits of their addresses; None until a trusted proxy's header names the address.
        self._connections: dict[Connection, AddressLimits | None] = {}
        self._refused: set[Connection] = set()
        self._page_requests: dict[Connection, _PageRequest] = {}
        self._departures: deque[Handler] = deque()
        self._work: set[asyncio.Task[None]] = set()
        self._buffer = memoryview(bytearray(SLICE_BYTES))
        self._server: asyncio.Server | None = None
        self._all_departed = asyncio.Event()

    @property
    def connections(self) -> int:
        """How many TCP connections are open."""
        return len(self._connections)

    async def open(self) -> str:
        """Listen, and return the address of the page. Raises OSError when the port is taken."""
        settings = self._settings
        self._server = await self._loop.create_server(
            self._new_connection, settings.host, settings.port, backlog=BACKLOG
        )
        host, port = self._server.sockets[0].getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{port}"

    async def close(self) -> None:
        """Stop listening and close every socket: the service restarts (1012)."""
        if self._server is not None:
            self._server.close()
        for number, connection in enumerate(tuple(self._connections)):
            connection.fail(CloseCode.SERVICE_RESTART, "restarting")
            if number % 100 == 99:
                await asyncio.sleep(0)
        for task in tuple(self._work):
            task.cancel()
        if self._connections:
            self._all_departed.clear()
            try:
                async with asyncio.timeout(CLOSE_SECONDS + 1):
                    await self._all_departed.wait()
            except TimeoutError:
                for connection in tuple(self._connections):
                    connection.abort()
                await asyncio.sleep(0)
        while self._departures:
            self._end(self._departures.popleft())

    def _new_connection(self) -> Connection:
        settings = self._settings
        return Connection(
            self,
            self._buffer,
            TokenBucket(settings.message_rate, settings.message_burst, self._loop.time()),
            hello_seconds=settings.hello_seconds,
            ping_seconds=settings.ping_seconds,
            playing_ping_seconds=min(settings.ping_seconds, settings.playing_ping_seconds),
        )

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        task = self._tasks.create_task(work, name=name)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    # Acceptor, called by connections

    def arrived(self, connection: Connection) -> None:
        """Count a new connection, and refuse it where its address has too many."""
        self._connections[connection] = None
        if not self._visitors.is_proxy(connection.remote):
            refusal = self._place(connection, rate_limit_key(connection.remote))
            if refusal is not None:
                connection.respond(refusal)

    def requested(self, connection: Connection, request: Request) -> None:
        """Open a socket, or have a page answered."""
        visitor = self._visitors.of(connection.remote, request)
        if self._connections[connection] is None:
            refusal = self._place(connection, visitor.key)
            if refusal is not None:
                return connection.respond(refusal)
        address = self._connections[connection]
        assert address is not None
        refusal = refusal_of(request, self._hosts)
        if refusal is not None:
            return connection.respond(refusal)
        path = canonical_path(request.path)
        assert path is not None
        if not is_upgrade(request):
            page = self._page_requests[connection] = _PageRequest(connection.key, address, self._limits)
            work = self._serve_page(connection, request, path, visitor, page)
            page.task = self._spawn(work, f"page[{connection.id}]")
            return None
        if path not in ("/", "/ws"):
            return connection.respond(plain(404, "sockets open at /ws"))
        if not self._may_come_from(request):
            text = "this page may not connect here; the setting CORNERED_ORIGINS names those that may"
            return connection.respond(plain(403, text))
        refusal = refuses_subprotocol(request)
        if refusal is not None:
            return connection.respond(refusal)
        if self._lobby_service.is_stopping:
            return connection.respond(_stopping())
        self._lobby_service.counts.connections += 1
        origin = field_of(request, "Origin")
        connection.accept(request, lambda: self._new_session(connection, address, origin))
        return None

    def _new_session(self, connection: Connection, address: AddressLimits, origin: str) -> Session:
        services = (self._lobby_service, self._account_service, self._exports, self._groups, self._bots)
        return Session(connection, *services, self._limits, address, self._spawn, origin)

    def unreadable(self, connection: Connection, head: bytes) -> Response:
        return unreadable(connection.handshake_error, head)

    def ended(self, handler: Handler) -> None:
        """End a session in a later turn of the loop, so that many connections lost at once do not block it."""
        self._departures.append(handler)
        if len(self._departures) == 1:
            self._loop.call_soon(self._end_some)

    def dropped(self) -> None:
        self._lobby_service.counts.dropped += 1

    def departed(self, connection: Connection) -> None:
        """Release what the connection held."""
        address = self._connections.pop(connection)
        self._refused.discard(connection)
        page = self._page_requests.pop(connection, None)
        if page is not None:
            page.give_up()
        if address is not None:
            self._limits.addresses.leave(connection.key)
        if not self._connections:
            self._all_departed.set()

    def _end_some(self) -> None:
        until = self._loop.time() + DEPARTURES_SECONDS
        while self._departures and self._loop.time() < until:
            self._end(self._departures[0])
            self._departures.popleft()
        if self._departures:
            self._loop.call_soon(self._end_some)

    def _end(self, handler: Handler) -> None:
        try:
            handler.end()
        except Exception:
            # A defect that one socket meets must not show to any other.
            log.exception("a session did not end well")

    # Limits

    def _place(self, connection: Connection, name: str) -> Response | None:
        """Count a connection to its address; return the refusal where that has too many."""
        settings, addresses = self._settings, self._limits.addresses
        connection.key = name
        address = self._connections[connection] = addresses.enter(name)
        if addresses.connections(name) > settings.max_per_address:
            text = "too many connections from this address; close one, or try again in 30 s"
            refusal = plain(429, text, retry_after=30)
        elif len(self._connections) - len(self._refused) > settings.max_connections:
            refusal = plain(503, "the server is full; try again in 30 s", retry_after=30)
        elif not address.arrivals.take(self._loop.time()):
            refusal = plain(429, "too many new connections from this address; try again in 5 s", retry_after=5)
        else:
            return None
        # They take no place of others while they end. A few get a reason; further ones are aborted, since an answer
        # costs tokens too.
        self._refused.add(connection)
        if len(self._refused) > REFUSED_MAX:
            connection.abort()
        return refusal

    async def _serve_page(
        self, connection: Connection, request: Request, path: str, visitor: Visitor, page: _PageRequest
    ) -> None:
        try:
            await page.begin(self._pages.cost_of(path))
            answer: Response | Streamed
            if path == VISIT:
                # An address with too many connections was refused before its request was read.
                answer = _stopping() if self._lobby_service.is_stopping else plain(200, "welcome")
            elif path in ARCHIVE_PATHS:
                answer = await self._pages.download(request, page)
            else:
                answer = await self._pages.answer(request, path, visitor, page)
        except Refusal as refusal:
            answer = plain(429, refusal.text, retry_after=(refusal.retry_after or 0) // 1000)
        except Exception:
            log.exception("a page failed", path=path)
            answer = plain(500, "the server made a mistake; it is logged")
        if isinstance(answer, Streamed):
            await self._stream(connection, request, answer)
        else:
            connection.respond(answer)

    async def _stream(self, connection: Connection, request: Request, answer: Streamed) -> None:
        """Send an answer in parts, in chunks where the client knows them. One that breaks off lacks the last chunk."""
        is_chunked = request.protocol != "HTTP/1.0"
        if is_chunked:
            answer.head.headers["Transfer-Encoding"] = "chunked"
        connection.begin(answer.head)
        try:
            async for part in answer.parts:
                chunk = b"%x\r\n%b\r\n" % (len(part), part) if is_chunked else part
                if not await connection.add(chunk):
                    return
        except Refusal:
            # The head is sent: what is missing shows by the end alone.
            connection.abort()
            return
        except Exception:
            log.exception("a download failed")
            connection.abort()
            return
        if await connection.add(b"0\r\n\r\n" if is_chunked else b""):
            connection.finish()

    def _may_come_from(self, request: Request) -> bool:
        """Return whether the socket's Origin is this server's or allowed; programs other than browsers send none."""
        origins = request.headers.get_all("Origin")
        if not origins:
            return True
        hosts = request.headers.get_all("Host")
        if len(origins) > 1 or len(hosts) != 1:
            return False
        if origins[0] in self._settings.origins:
            return True
        try:
            return urlsplit(origins[0]).netloc.lower() == hosts[0].lower()
        except ValueError:
            return False


def _too_fast(text: str, seconds: int) -> Refusal:
    return Refusal("too_fast", f"{text}; try again in {seconds} s", retry_after=seconds * 1000)


def _stopping() -> Response:
    # A moment: another node may answer the next attempt, and clients add a delay of their own that grows.
    return plain(503, "the server restarts; try again in 1 s", retry_after=1)
