"""Answers the addresses that people share: a small document with tags for previews that leads to the page; pictures.

Of a match nothing is told before its end, as of its record: what a delay withholds would be in the picture.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Final, NamedTuple

from websockets.http11 import Request, Response

from cornered.engine.game import State
from cornered.engine.records.record import Record, RecordedMove
from cornered.protocol.events import MatchEvent
from cornered.server.net.board_svg import Board, Scene, animated, drawn, policy_of, scenes
from cornered.server.net.costs import ANIMATION, DRAWING, POSITION_READ, PREVIEW
from cornered.server.net.finished import Payer, read_finished
from cornered.server.net.page_files import CONTENT_TYPES
from cornered.server.net.permalinks import SharedGame, SharedPosition, page_route, position_path, read_address
from cornered.server.net.pictures import Pictures, to_png
from cornered.server.net.records import record_of
from cornered.server.net.requests import field_of
from cornered.server.net.responses import plain, respond
from cornered.server.ports import Journal

__all__ = ["Played", "SharedLinks"]

_PREFIXES: Final = ("/g/", "/position/")
_KEPT_S: Final = 86_400
"""Seconds for which others may keep a picture: finished games and positions do not change."""
_HOST: Final = re.compile(r"[A-Za-z0-9.\-_\[\]:]{1,255}")


class _Told(NamedTuple):
    """What a document tells: its heading, one more sentence, and the address of its picture below the root."""

    title: str
    description: str
    picture: str


_UNTOLD: Final = _Told("A game on Cornered", "Watch it, or look at it afterwards.", "")
"""What the document of a match tells that is not over, is private, or does not exist."""
_UNREAD: Final = _Told("Cornered", "A game or a position, to look at and to play on.", "")
"""What a document tells before the rules are compiled."""


class SharedLinks:
    """Answers requests for shared games and positions."""

    def __init__(self, journal: Journal, policy: Callable[[Request], str], obstacle: Callable[[], str]) -> None:
        """`policy` returns the Content-Security-Policy of a document; `obstacle` the reason why the server is
        not ready: the first use of rules would compile them on the event loop."""
        self._journal = journal
        self._policy = policy
        self._obstacle = obstacle
        self._pictures = Pictures()
        # A replay holds the interpreter: several at once would slow the event loop.
        self._replaying = asyncio.Lock()

    @staticmethod
    def has(path: str) -> bool:
        """Return whether such a path is answered here."""
        return path.startswith(_PREFIXES)

    async def answer(self, request: Request, path: str, payer: Payer) -> Response:
        """Return the answer to a request for `path`. Raises Refusal."""
        if (picture := self._pictures.known(path)) is not None:
            return _picture(path, picture)
        if path.startswith("/position/"):
            await payer.pay(POSITION_READ)
        if reason := self._obstacle():
            if page_route(path):
                # The page waits for what is not ready, and says so.
                return self._document(request, path, _UNREAD)
            return plain(503, f"not ready: {reason}; try again in a minute", retry_after=60)
        try:
            shared = read_address(path)
        except ValueError as error:
            return plain(404, f"this is no position: {error}")
        match shared:
            case SharedGame():
                return await self._game(request, path, shared, payer)
            case SharedPosition():
                return await self._position(request, path, shared, payer)
            case None:
                return plain(404, "a shared game reads /g/ID or /g/ID/PLY, a position /position/GAME/OPTIONS/POSITION")

    async def _game(self, request: Request, path: str, shared: SharedGame, payer: Payer) -> Response:
        found = await read_finished(self._journal, shared.match, payer)
        if isinstance(found, Response):
            if shared.form or found.status_code >= 500:
                return found
            # What nothing is told about looks like what is not there; the page says more to those who may know.
            return self._document(request, path, _UNTOLD)
        async with self._replaying:
            played = await asyncio.to_thread(Played.of, found)
        ply = len(played.positions) - 1 if shared.ply is None else shared.ply
        if ply >= len(played.positions):
            return plain(404, f"this game has {len(played.positions) - 1} plies")
        if not shared.form:
            return self._document(request, path, _told(shared, played, ply))
        if shared.form == ".svg" and shared.ply is None:
            return await self._drawn(path, payer, ANIMATION, lambda: animated(played.scenes(), played.board))
        is_preview = shared.form == ".png"
        return await self._drawn(
            path,
            payer,
            PREVIEW if is_preview else DRAWING,
            lambda: drawn(played.scenes()[ply], played.board, is_preview=is_preview),
        )

    async def _position(self, request: Request, path: str, shared: SharedPosition, payer: Payer) -> Response:
        state = shared.state
        address = position_path(state)
        if path.removesuffix(shared.form) != f"/{address}":
            # One spelling only, or each would be drawn and kept anew.
            return respond(301, CONTENT_TYPES[".txt"], b"", Location=_up(path) + address + shared.form)
        if not shared.form:
            return self._document(request, path, _of_position(state, address))
        is_preview = shared.form == ".png"
        return await self._drawn(
            path,
            payer,
            PREVIEW if is_preview else DRAWING,
            lambda: drawn(Scene(str(state)), _board(state), is_preview=is_preview),
        )

    async def _drawn(self, path: str, payer: Payer, cost: float, draw: Callable[[], str]) -> Response:
        await payer.pay(cost)

        async def picture() -> bytes:
            svg = await asyncio.to_thread(draw)
            return await to_png(svg) if path.endswith(".png") else svg.encode()

        try:
            return _picture(path, await self._pictures.of(path, picture))
        except (OSError, TimeoutError):
            return plain(503, "pictures cannot be drawn just now; try again in a minute", retry_after=60)

    def _document(self, request: Request, path: str, told: _Told) -> Response:
        host = field_of(request, "Host")
        site = f"{_scheme(request)}://{host}" if _HOST.fullmatch(host) else ""
        picture = f"{site}/{told.picture}" if told.picture else ""
        body = _html(told, site + path, picture, _up(path), page_route(path) or "")
        return respond(
            200,
            CONTENT_TYPES[".html"],
            body.encode(),
            Cache_Control="no-cache",
            Content_Security_Policy=self._policy(request),
        )


class Played(NamedTuple):
    """A finished game, with its position after each ply."""

    record: Record
    positions: list[str]
    moves: list[str]
    board: Board

    @classmethod
    def of(cls, events: Sequence[MatchEvent]) -> Played:
        record = record_of(events)
        states = record.states()
        first = next(states)
        positions, moves = [str(first)], list[str]()
        for state, ply in zip(states, record.plies, strict=True):
            if isinstance(ply, RecordedMove):
                positions.append(str(state))
                moves.append(ply.text)
            else:
                # A departure is no ply.
                positions[-1] = str(state)
        return cls(record, positions, moves, _board(first))

    def scenes(self) -> list[Scene]:
        return scenes(self.positions, self.moves)


def _board(state: State) -> Board:
    return Board(str(state.game.start()), "walls" in state.game.options)


def _told(shared: SharedGame, played: Played, ply: int) -> _Told:
    record = played.record
    names = ", ".join(record.players) if len(record.players) > 2 else " - ".join(record.players)
    when = "" if shared.ply is None else f", after {_moves(played.moves[:ply])}" if ply else ", the start"
    winners = [name for name, place in zip(record.players, record.places or (), strict=False) if place == 1]
    result = f"{winners[0]} won" if len(winners) == 1 else "A draw" if winners else "Without a result"
    return _Told(
        f"{record.game.title}, {names}{when}",
        f"{result} after {_moves(played.moves)}. Replay the game, and see what else there was.",
        f"g/{shared.match}/{ply}.png",
    )


def _of_position(state: State, address: str) -> _Told:
    return _Told(
        f"A position of {state.game.title}",
        "Try moves in it, and have a bot look at it.",
        f"{address}.png",
    )


def _moves(moves: Sequence[str]) -> str:
    """Return how many moves there are, without rolls of the dice."""
    count = sum(not move.isdigit() for move in moves)
    return f"{count} move" if count == 1 else f"{count} moves"


def _up(path: str) -> str:
    """Return the way from a path to the page, wherever a proxy has put that."""
    return "../" * (path.count("/") - 1)


def _scheme(request: Request) -> str:
    """Return how the visitor reached the proxy in front of this server, or this server. It is told to nobody else."""
    return "https" if field_of(request, "X-Forwarded-Proto").strip().lower() == "https" else "http"


def _picture(path: str, picture: bytes) -> Response:
    is_svg = path.endswith(".svg")
    headers = {
        "Cache_Control": f"public, max-age={_KEPT_S}",
        # Made to be shown by other sites.
        "Cross_Origin_Resource_Policy": "cross-origin",
    }
    if is_svg:
        headers["Content_Security_Policy"] = policy_of(picture.decode())
    return respond(200, CONTENT_TYPES[".svg" if is_svg else ".png"], picture, **headers)


def _html(told: _Told, address: str, picture: str, up: str, route: str) -> str:
    """Return a document that leads to `route` of the page. Everything in it that others wrote is escaped."""
    title, description, to = escape(told.title), escape(told.description), escape(up + route)
    tags = [
        ("og:type", "website"),
        ("og:site_name", "Cornered"),
        ("og:title", told.title),
        ("og:description", told.description),
        ("og:url", address),
        ("twitter:card", "summary_large_image" if picture else "summary"),
        ("twitter:title", told.title),
        ("twitter:description", told.description),
    ]
    if picture:
        tags += [("og:image", picture), ("og:image:type", "image/png"), ("twitter:image", picture)]
    metas = "\n".join(f'<meta property="{name}" content="{escape(value)}">' for name, value in tags)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<meta name="description" content="{description}">
{metas}
<link rel="stylesheet" href="{up}base.css">
<link rel="icon" href="{up}icon.svg">
<script type="module" src="{up}shared.js"></script>
<p><a id="to" href="{to}">{title}</a></p>
</html>
"""
