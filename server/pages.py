"""The plain HTTP answers: the page's files, health, readiness, metrics, and game records. All of it is read-only."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from engine.record import to_json
from engine.record_text import to_text
from protocol.events import Ended, Started
from server.metrics import Metrics
from server.ports import Journal, JournalUnavailable
from server.records import record_of

__all__ = ["Pages", "field_of", "path_of", "plain"]

TYPES: Final = {
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
_HOST: Final = re.compile(r"[A-Za-z0-9.\-_\[\]:]{1,255}")


def _response(status: int, kind: str, body: bytes, **headers: str) -> Response:
    fields = Headers()
    fields["Date"] = formatdate(usegmt=True)
    fields["Connection"] = "close"
    fields["Content-Type"] = kind
    fields["Content-Length"] = str(len(body))
    fields["X-Content-Type-Options"] = "nosniff"
    fields["Referrer-Policy"] = "no-referrer"
    for name, value in headers.items():
        fields[name.replace("_", "-")] = value
    return Response(status, HTTPStatus(status).phrase, fields, body)


def plain(status: int, text: str) -> Response:
    """Return an answer in one line of text."""
    return _response(status, "text/plain; charset=utf-8", f"{text}\n".encode(), Cache_Control="no-store")


def path_of(request: Request) -> str | None:
    """Return what a request is for, or None when its target makes no sense."""
    try:
        return unquote(urlsplit(request.path).path)
    except ValueError:
        return None


def field_of(request: Request, name: str) -> str:
    """Return a header field's value; of one that is repeated, all of them, as one list."""
    return ",".join(request.headers.get_all(name))


@dataclass(frozen=True, slots=True)
class _File:
    """One file of the page as it was last read; `stamp` tells whether it changed since."""

    stamp: tuple[int, int]
    kind: str
    body: bytes
    tag: str


class Pages:
    """Answers requests that are no sockets."""

    def __init__(self, web: Path, journal: Journal, metrics: Metrics, obstacle: Callable[[], str]) -> None:
        """`obstacle` says what the server is not ready for yet, and nothing once it is."""
        self._web = web.resolve()
        self._journal = journal
        self._metrics = metrics
        self._obstacle = obstacle
        self._files: dict[Path, _File] = {}

    async def answer(self, request: Request, path: str) -> Response:
        """Return the answer to one request for `path`."""
        if request.method not in ("GET", "HEAD"):
            return plain(405, "this server answers GET")
        response = await self._find(request, path)
        if request.method == "HEAD":
            return Response(response.status_code, response.reason_phrase, response.headers, b"")
        return response

    async def _find(self, request: Request, path: str) -> Response:
        match path:
            case "/health":
                return plain(200, "ok")
            case "/ready":
                obstacle = self._obstacle()
                return plain(503, obstacle) if obstacle else plain(200, "ready")
            case "/metrics":
                return _response(200, "text/plain; version=0.0.4; charset=utf-8", self._metrics.render())
            case _ if found := _RECORD.fullmatch(path):
                return await self._record(found["match"], found["form"])
            case _:
                return self._file(path, request)

    async def _record(self, match_id: str, form: str) -> Response:
        """Return the record of a public match that is over: of one that goes on it could tell too much too early."""
        try:
            events = await self._journal.read(match_id)
        except JournalUnavailable:
            return plain(503, "old matches cannot be read just now")
        if not events or not isinstance(events[0], Started) or events[0].private:
            return plain(404, "there is no such match")
        if not any(isinstance(event, Ended) for event in events):
            return plain(404, "the record is here when the match is over")
        record = record_of(events)
        if form == "txt":
            return _response(200, TYPES[".txt"], to_text(record).encode())
        return _response(200, "application/jsonl", to_json(record).encode() + b"\n")

    def _file(self, path: str, request: Request) -> Response:
        file = self._read("index.html" if path == "/" else path.lstrip("/"))
        if file is None:
            return plain(404, "there is nothing here")
        headers = {"Cache_Control": "no-cache", "ETag": file.tag}
        if field_of(request, "If-None-Match") == file.tag:
            return _response(304, file.kind, b"", **headers)
        if file.kind.startswith("text/html"):
            headers["Content_Security_Policy"] = _policy(request)
        return _response(200, file.kind, file.body, **headers)

    def _read(self, name: str) -> _File | None:
        """Return a file below the page's folder, however the name tries to get out of it."""
        try:
            path = (self._web / name).resolve()
            if not path.is_relative_to(self._web) or path.suffix not in TYPES or not path.is_file():
                return None
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            known = self._files.get(path)
            if known is None or known.stamp != stamp:
                body = path.read_bytes()
                tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
                known = self._files[path] = _File(stamp, TYPES[path.suffix], body, tag)
        except (OSError, ValueError):
            return None
        return known


def _policy(request: Request) -> str:
    """Return what the page may load: its own files, and its own socket, which not every browser counts as its own."""
    host = field_of(request, "Host")
    socket = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    return (
        f"default-src 'self'; connect-src 'self'{socket}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
