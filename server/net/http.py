"""The plain HTTP answers: the page's files, health, readiness, metrics, and game records. All of it is read-only."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from websockets.http11 import Request, Response

from cornered.engine.records.record import to_json
from cornered.protocol.events import Ended, Started
from cornered.server.metrics import Metrics
from cornered.server.net.costs import KNOWN_FILE, PAGE_TOKENS, download_cost
from cornered.server.net.records import record_of, slices_of
from cornered.server.net.requests import field_of
from cornered.server.net.responses import plain, respond, without_body
from cornered.server.net.visitors import Visitor
from cornered.server.ports import DamagedMatch, Journal, JournalUnavailable

__all__ = ["Pages", "Payer"]

CONTENT_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
"""What the page's folder may hold; anything else in it is not served."""
_RECORD: Final = re.compile(r"/matches/(?P<match>[A-Za-z0-9_-]{1,32})\.(?P<form>txt|jsonl)")
_HOST_HEADER: Final = re.compile(r"[A-Za-z0-9.\-_\[\]:]{1,255}")


class Payer(Protocol):
    """Pays for one request in the name of its address."""

    async def pay(self, cost: float) -> None:
        """Return when `cost` tokens are taken."""

    def reading(self) -> AbstractAsyncContextManager[None]:
        """Hold one of the few readings of the store that an address may owe; the block also pays for it.

        Raises Refusal when the others take too long.
        """


@dataclass(frozen=True, slots=True)
class _File:
    """One file of the page as it was last read; `stamp` changes with the file."""

    stamp: tuple[int, int]
    kind: str
    body: bytes
    tag: str


class Pages:
    """Answers plain HTTP requests."""

    def __init__(
        self, web: Path, journal: Journal, metrics: Metrics, obstacle: Callable[[], str], *, metrics_token: str = ""
    ) -> None:
        """`obstacle` returns the reason why the server is not ready, and an empty text once it is.

        `metrics_token` is the bearer token of the metrics, which without one are served to this machine only.
        """
        self._web = web.resolve()
        self._journal = journal
        self._metrics = metrics
        self._obstacle = obstacle
        self._metrics_token = metrics_token
        # By name; a file may have several, where links lead to it.
        self._files: dict[str, _File] = {}

    def cost_of(self, path: str) -> float:
        """Return the tokens that an address pays before its request for `path` is answered."""
        return KNOWN_FILE if _name_of(path) in self._files else PAGE_TOKENS

    async def answer(self, request: Request, path: str, visitor: Visitor, payer: Payer) -> Response:
        """Return the answer to a GET or HEAD of `path`, which is canonical; what costs more than a file is paid for.

        Raises Refusal.
        """
        response = await self._find(request, path, visitor, payer)
        return without_body(response) if request.method == "HEAD" else response

    async def _find(self, request: Request, path: str, visitor: Visitor, payer: Payer) -> Response:
        match path:
            case "/health":
                return plain(200, "ok")
            case "/ready":
                obstacle = self._obstacle()
                return plain(503, obstacle) if obstacle else plain(200, "ready")
            case "/metrics":
                return self._told_metrics(request, visitor)
            case _ if found := _RECORD.fullmatch(path):
                return await self._record(found["match"], found["form"], payer)
            case _:
                return self._file(path, request)

    def _told_metrics(self, request: Request, visitor: Visitor) -> Response:
        if self._metrics_token:
            given, wanted = field_of(request, "Authorization"), f"Bearer {self._metrics_token}"
            if not hmac.compare_digest(given.encode(), wanted.encode()):
                return plain(401, "the metrics need the token of CORNERED_METRICS_TOKEN", WWW_Authenticate="Bearer")
        elif not visitor.is_local:
            return plain(403, "the metrics answer to this machine itself; CORNERED_METRICS_TOKEN opens them to others")
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return respond(200, kind, self._metrics.render(), Cache_Control="no-store")

    async def _record(self, match_id: str, form: str, payer: Payer) -> Response:
        """Return the record of a finished public match; that of a live one could disclose what its delay withholds."""
        try:
            async with payer.reading():
                events = await self._journal.read(match_id)
                # Charged for a refusal too, since a long live match may be requested repeatedly.
                await payer.pay(download_cost(len(events)))
        except JournalUnavailable:
            return plain(503, "old matches cannot be read just now")
        except DamagedMatch:
            return plain(500, "this match is damaged and cannot be shown")
        if not events or not isinstance(events[0], Started) or events[0].private:
            return plain(404, "there is no such match")
        if not any(isinstance(event, Ended) for event in events):
            return plain(404, "the record is here when the match is over")
        record = record_of(events)
        if form == "txt":
            parts: list[str] = []
            for part in slices_of(record):
                parts.append(part)
                await asyncio.sleep(0)
            return respond(200, CONTENT_TYPES[".txt"], "".join(parts).encode())
        return respond(200, "application/jsonl", to_json(record).encode() + b"\n")

    def _file(self, path: str, request: Request) -> Response:
        file = self._read(_name_of(path))
        if file is None:
            return plain(404, "there is nothing here")
        headers = {"Cache_Control": "no-cache", "ETag": file.tag}
        if file.kind.startswith("text/html"):
            # Also of a 304: its headers replace those of the answer that the browser has kept.
            headers["Content_Security_Policy"] = _policy(request)
        if field_of(request, "If-None-Match") == file.tag:
            return respond(304, file.kind, b"", **headers)
        return respond(200, file.kind, file.body, **headers)

    def _read(self, name: str) -> _File | None:
        """Return a file below the page's folder, wherever a link in it leads."""
        try:
            path = (self._web / name).resolve()
            if not path.is_relative_to(self._web) or path.suffix not in CONTENT_TYPES or not path.is_file():
                return None
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._files.get(name)
            if known is None or known.stamp != stamp:
                body = path.read_bytes()
                tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
                known = self._files[name] = _File(stamp, CONTENT_TYPES[path.suffix], body, tag)
        except (OSError, ValueError):
            return None
        return known


def _name_of(path: str) -> str:
    return "index.html" if path == "/" else path[1:]


def _policy(request: Request) -> str:
    """Return the Content-Security-Policy. Not every browser includes the server's WebSocket in 'self'."""
    host = field_of(request, "Host")
    socket = f" ws://{host} wss://{host}" if _HOST_HEADER.fullmatch(host) else ""
    return (
        f"default-src 'self'; connect-src 'self'{socket}; object-src 'none'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )
