"""The plain HTTP answers: the page, QR codes, shared links, health, readiness, metrics, and records, all read-only; and
the way to a provider of identities."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias

from websockets.http11 import Request, Response

from cornered.engine.records.record import to_json
from cornered.server.metrics import Metrics
from cornered.server.net.archive_download import Streamed, download
from cornered.server.net.costs import KNOWN_FILE, PAGE_TOKENS, QR_CODE, TABLE
from cornered.server.net.finished import Payer, read_finished
from cornered.server.net.oidc_routes import OIDC_PATHS, OidcRoutes
from cornered.server.net.page_files import CONTENT_TYPES, PageFiles
from cornered.server.net.qr_codes import QrCodes, invite_link
from cornered.server.net.records import record_of, slices_of
from cornered.server.net.requests import accepts_gzip, field_of, names_tag
from cornered.server.net.responses import not_modified, plain, respond, without_body
from cornered.server.net.shared_links import SharedLinks
from cornered.server.net.tournament_csv import csv_slices
from cornered.server.net.tournament_report import report_of
from cornered.server.net.visitors import Visitor
from cornered.server.ports import AccountsUnavailable, Journal
from cornered.server.streams.ports import StreamsUnavailable
from cornered.server.tournament.state import TournamentState

__all__ = ["Pages", "Payer"]

SERVICE_WORKER: Final = "/sw.js"
"""The one script that is governed by the policy of its own answer, as a page is."""
_RECORD: Final = re.compile(r"/matches/(?P<match>[A-Za-z0-9_-]{1,32})\.(?P<form>txt|jsonl)")
_TOURNAMENT: Final = re.compile(r"/tournaments/(?P<tournament>[A-Za-z0-9_-]{1,32})\.(?P<form>csv|trf)")
_HOST_HEADER: Final = re.compile(r"[A-Za-z0-9.\-_\[\]:]{1,255}")

FindTournament: TypeAlias = Callable[[str], Awaitable[TournamentState | None]]
"""Returns a tournament that everybody may see, or None. Raises AccountsUnavailable and StreamsUnavailable."""


async def _no_tournament(_: str) -> None:
    return None


class Pages:
    """Answers plain HTTP requests."""

    def __init__(
        self,
        web: Path,
        journal: Journal,
        metrics: Metrics,
        obstacle: Callable[[], str],
        *,
        find_tournament: FindTournament = _no_tournament,
        metrics_token: str = "",
        oidc: OidcRoutes | None = None,
    ) -> None:
        """`obstacle` returns the reason why the server is not ready, and an empty text once it is.

        `metrics_token` is the bearer token of the metrics, which without one are served to this machine only.
        """
        self._journal = journal
        self._metrics = metrics
        self._obstacle = obstacle
        self._find_tournament = find_tournament
        self._metrics_token = metrics_token
        self._oidc = oidc
        self._files = PageFiles(web)
        self._qr_codes = QrCodes()
        self._shared_links = SharedLinks(journal, _policy, obstacle)

    async def prepare(self) -> None:
        """Read the page's files, before the first request."""
        await self._files.read_all()

    def cost_of(self, path: str) -> float:
        """Return the tokens that an address pays before its request for `path` is answered."""
        return KNOWN_FILE if _name_of(path) in self._files else PAGE_TOKENS

    async def answer(self, request: Request, path: str, visitor: Visitor, payer: Payer) -> Response:
        """Return the answer to a GET or HEAD of `path`, which is canonical; what costs more than a file is paid for.

        Raises Refusal.
        """
        response = await self._find(request, path, visitor, payer)
        return without_body(response) if request.method == "HEAD" else response

    async def download(self, request: Request, payer: Payer) -> Response | Streamed:
        """Return the answer to a GET or HEAD of one of `ARCHIVE_PATHS`. Raises Refusal."""
        answer = await download(request.path, self._journal, payer)
        if request.method != "HEAD":
            return answer
        return answer.head if isinstance(answer, Streamed) else without_body(answer)

    async def _find(self, request: Request, path: str, visitor: Visitor, payer: Payer) -> Response:
        match path:
            case "/health":
                return plain(200, "ok")
            case "/ready":
                obstacle = self._obstacle()
                return plain(503, obstacle) if obstacle else plain(200, "ready")
            case "/ws":
                return plain(426, "a WebSocket opens here; PROTOCOL.md says how", Upgrade="websocket")
            case "/qr.svg":
                return await self._qr_code(request, payer)
            case _ if self._oidc is not None and path in OIDC_PATHS:
                if request.method != "GET":
                    return plain(405, "only a visit goes here", Allow="GET")
                return await self._oidc.answer(request, path, payer)
            case "/metrics":
                return self._told_metrics(request, visitor)
            case _ if SharedLinks.has(path):
                return await self._shared_links.answer(request, path, payer)
            case _ if found := _RECORD.fullmatch(path):
                return await self._record(found["match"], found["form"], payer)
            case _ if found := _TOURNAMENT.fullmatch(path):
                return await self._tournament(found["tournament"], found["form"], payer)
            case _:
                return await self._file(path, request)

    def _told_metrics(self, request: Request, visitor: Visitor) -> Response:
        if self._metrics_token:
            given, wanted = field_of(request, "Authorization"), f"Bearer {self._metrics_token}"
            if not hmac.compare_digest(given.encode(), wanted.encode()):
                return plain(401, "the metrics need the token of CORNERED_METRICS_TOKEN", WWW_Authenticate="Bearer")
        elif not visitor.is_local:
            return plain(403, "the metrics answer to this machine itself; CORNERED_METRICS_TOKEN opens them to others")
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return respond(200, kind, self._metrics.render(), Cache_Control="no-store")

    async def _qr_code(self, request: Request, payer: Payer) -> Response:
        link = invite_link(request.path, field_of(request, "Host"))
        if link is None:
            return plain(400, "a QR code is drawn for a link to a table or a group of this server: /qr.svg?link=...")
        code = self._qr_codes.known(link)
        if code is None:
            await payer.pay(QR_CODE)
            code = await self._qr_codes.of(link)
        return respond(200, CONTENT_TYPES[".svg"], code, Cache_Control="private, max-age=86400")

    async def _record(self, match_id: str, form: str, payer: Payer) -> Response:
        """Return the record of a finished public match; that of a live one could disclose what its delay withholds."""
        events = await read_finished(self._journal, match_id, payer)
        if isinstance(events, Response):
            return events
        record = record_of(events)
        if form == "txt":
            parts: list[str] = []
            for part in slices_of(record):
                parts.append(part)
                await asyncio.sleep(0)
            return respond(200, CONTENT_TYPES[".txt"], "".join(parts).encode())
        return respond(200, "application/jsonl", to_json(record).encode() + b"\n")

    async def _tournament(self, tournament: str, form: str, payer: Payer) -> Response:
        """Return the table, or the report, of a tournament that everybody may see."""
        await payer.pay(TABLE)
        try:
            state = await self._find_tournament(tournament)
        except (AccountsUnavailable, StreamsUnavailable):
            return plain(503, "tournaments cannot be read just now")
        if state is None:
            return plain(404, "there is no such tournament")
        kept = {
            "Cache_Control": "no-store",
            "Content_Disposition": f'attachment; filename="tournament-{tournament}.{form}"',
        }
        if form == "trf":
            report = report_of(state)
            if report is None:
                return plain(404, "a tournament of this format has no report; its table is there (.csv)")
            return respond(200, "text/plain; charset=utf-8", report.encode(), **kept)
        parts = []
        for part in csv_slices(state):
            parts.append(part)
            await asyncio.sleep(0)
        return respond(200, "text/csv; charset=utf-8", "".join(parts).encode(), **kept)

    async def _file(self, path: str, request: Request) -> Response:
        file = await self._files.find(_name_of(path))
        if file is None:
            return plain(404, "there is nothing here")
        body, tag = file.body, file.tag
        headers = {"Cache_Control": "no-cache"}
        if file.gzipped is not None:
            headers["Vary"] = "Accept-Encoding"
            if accepts_gzip(field_of(request, "Accept-Encoding")):
                body, tag = file.gzipped, file.gzipped_tag
                headers["Content_Encoding"] = "gzip"
        headers["ETag"] = tag
        if file.kind.startswith("text/html") or path == SERVICE_WORKER:
            # Also of a 304: its headers replace those of the answer that the browser has kept.
            headers["Content_Security_Policy"] = _policy(request)
        if names_tag(field_of(request, "If-None-Match"), tag):
            return not_modified(**headers)
        return respond(200, file.kind, body, **headers)


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
