"""Where the outside comes in: one port for the page, for the plain HTTP answers and for the sockets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.frames import DATA_OPCODES, CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import Event
from websockets.typing import Subprotocol

from protocol.codec import CODECS, MAX_FRAME
from server.allowance import Allowance
from server.hall import Hall
from server.log import WEBSOCKETS
from server.pages import Pages, field_of, path_of, plain
from server.session import Limits, Session
from server.settings import Settings

__all__ = ["Gateway"]

WRITE_LIMIT: Final = 1 << 16
"""Bytes in a transport's buffer from which on a socket counts as slow."""
CLOSE_SECONDS: Final = 2.0
MAX_ADDRESSES: Final = 10_000
"""Addresses remembered before those that are gone are forgotten."""

log = structlog.get_logger("gateway")


@dataclass(slots=True)
class _Address:
    """Everybody who comes from one address."""

    allowance: Allowance
    guests: Allowance
    sockets: int = 0


@dataclass(slots=True)
class _Watchful:
    """The addresses that are known, whose numbers and haste are limited."""

    settings: Settings
    known: dict[str, _Address] = field(default_factory=dict)

    def of(self, name: str, now: float) -> _Address:
        address = self.known.get(name)
        if address is None:
            if len(self.known) >= MAX_ADDRESSES:
                self.known = {key: one for key, one in self.known.items() if one.sockets}
            settings = self.settings
            address = self.known[name] = _Address(
                Allowance(settings.address_rate, settings.address_burst, now),
                Allowance(settings.guest_rate, settings.guest_burst, now),
            )
        return address


class _Connection(ServerConnection):
    """A connection with a short way to its session, once there is one. `address` is where it comes from.

    `early` counts the whole messages that came before there was a session: they wait for its reader.
    """

    address: _Address
    session: Session | None = None
    early: int = 0

    def process_event(self, event: Event) -> None:
        """Let the session hear whole messages at once; what it leaves goes to its reader, as do control frames."""
        session = self.session
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES:
            try:
                if session is None:
                    self.early += event.fin
                elif session.take(event):
                    return
            except Exception:
                # A defect that one socket meets must not show to anybody else.
                log.exception("a session failed", session=self.id.hex[:12])
                self.transport.abort()
                return
        if session is not None and isinstance(event, Frame) and event.opcode is Opcode.CLOSE:
            session.end()
        super().process_event(event)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.session is not None:
            self.session.end()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.session is not None:
            self.session.fell_behind()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.session is not None:
            self.session.caught_up()


class Gateway:
    """Listens, and starts a session for every socket that keeps the rules."""

    def __init__(self, settings: Settings, hall: Hall, pages: Pages) -> None:
        self._settings = settings
        self._hall = hall
        self._pages = pages
        self._limits = Limits(settings.message_rate, settings.message_burst, settings.hello_seconds)
        self._addresses = _Watchful(settings)
        self._sockets = 0
        self._server: Server | None = None

    @property
    def sockets(self) -> int:
        """How many sockets are open."""
        return self._sockets

    async def open(self) -> str:
        """Listen, and return the address of the page. Raises OSError when the port is taken."""
        settings = self._settings
        self._server = await serve(
            self._converse,
            settings.host,
            settings.port,
            subprotocols=[Subprotocol(name) for name in CODECS],
            compression=None,
            process_request=self._answer,
            server_header=None,
            open_timeout=settings.hello_seconds,
            ping_interval=settings.ping_seconds,
            ping_timeout=settings.ping_seconds,
            close_timeout=CLOSE_SECONDS,
            # Somewhat more than a message may have: what is just too large is refused in words, not cut off.
            max_size=2 * MAX_FRAME,
            max_queue=16,
            write_limit=WRITE_LIMIT,
            logger=WEBSOCKETS,
            create_connection=_Connection,
        )
        host, port = self._server.sockets[0].getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{port}"

    async def close(self) -> None:
        """Stop listening and close every socket: the service restarts (1012)."""
        if self._server is not None:
            self._server.close(code=CloseCode.SERVICE_RESTART, reason="restarting")
            await self._server.wait_closed()

    async def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer a plain request; None lets a socket open."""
        address = self._addresses.of(self._address_of(connection, request), asyncio.get_running_loop().time())
        path = path_of(request)
        if path is None or field_of(request, "Upgrade").lower() != "websocket":
            if not address.allowance.spend(asyncio.get_running_loop().time()):
                return plain(429, "too many requests from this address; try again in a moment")
            return (
                plain(400, "this address cannot be read") if path is None else await self._pages.answer(request, path)
            )
        if path not in ("/", "/ws"):
            return plain(404, "sockets open at /ws")
        if not self._may_come_from(request):
            return plain(403, "this page may not connect here; the setting CORNERED_ORIGINS names those that may")
        if self._sockets >= self._settings.max_connections or self._hall.is_stopping:
            return plain(503, "the server is full; try again later")
        if address.sockets >= self._settings.max_per_address:
            return plain(429, "too many connections from this address")
        assert isinstance(connection, _Connection)
        connection.address = address
        return None

    def _may_come_from(self, request: Request) -> bool:
        """Say whether the page that opens this socket is ours or allowed. Programs that are no page send no origin."""
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

    def _address_of(self, connection: ServerConnection, request: Request) -> str:
        """Return who connects: the last address that a trusted proxy vouches for and that is none itself."""
        remote = connection.remote_address
        peer = str(remote[0]) if remote else ""
        for forwarded in reversed(field_of(request, "X-Forwarded-For").split(",")):
            if not self._is_proxy(_parsed(peer)) or _parsed(forwarded) is None:
                break
            peer = str(_parsed(forwarded))
        return peer

    def _is_proxy(self, address: IPv4Address | IPv6Address | None) -> bool:
        return address is not None and any(address in network for network in self._settings.proxies)

    async def _converse(self, connection: ServerConnection) -> None:
        assert isinstance(connection, _Connection)
        assert connection.subprotocol is not None
        address = connection.address
        self._sockets += 1
        address.sockets += 1
        self._hall.counts.connections += 1
        session = Session(
            connection,
            CODECS[connection.subprotocol],
            self._hall,
            address.allowance,
            address.guests,
            self._limits,
            early=connection.early,
        )
        connection.session = session
        try:
            await session.run()
        except Exception:
            # A defect that one socket meets must not show to anybody else.
            log.exception("a session failed", session=connection.id.hex[:12])
            await connection.close(CloseCode.INTERNAL_ERROR)
        finally:
            connection.session = None
            self._sockets -= 1
            address.sockets -= 1


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    """Return an address; the form of an IPv4 address that a socket for both families shows is the address itself."""
    try:
        parsed = ip_address(address.strip())
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed
