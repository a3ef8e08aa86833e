"""Many finished public matches as one plain HTTP answer, whose body is sent in parts as the client reads it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import ValidationError
from websockets.http11 import Response

from cornered.engine.records.record import to_json
from cornered.protocol.archive import ArchiveFilter
from cornered.server.archive.search import Cursor
from cornered.server.net.costs import ARCHIVE
from cornered.server.net.finished import Payer, read_finished
from cornered.server.net.page_files import CONTENT_TYPES
from cornered.server.net.records import record_of, slices_of
from cornered.server.net.responses import plain, respond
from cornered.server.ports import DamagedMatch, Journal, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.archive_search import search_of

__all__ = ["ARCHIVE_PATHS", "MAX_DOWNLOADED", "Streamed", "download", "parts_of"]

ARCHIVE_PATHS: Final = ("/archive.txt", "/archive.jsonl")
MAX_DOWNLOADED: Final = 1_000
"""Matches of one answer; the header `Link` names the next part."""
PAGE_MATCHES: Final = 100
MAX_PAGES: Final = 20
"""Pages of the search for one answer, so that conditions which few matches meet end too."""
MAX_PARAMETERS: Final = 40
_NUMBERS: Final = ("least_plies", "most_plies", "least_rating", "most_rating", "ended_from", "ended_until")
_WORDS: Final = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class Streamed:
    """An answer whose body has no known length: the head, and the parts of the body."""

    head: Response
    parts: AsyncIterator[bytes]


async def download(target: str, journal: Journal, payer: Payer) -> Response | Streamed:
    """Return the answer to a request for matches that meet the conditions in its query. Raises Refusal."""
    url = urlsplit(target)
    try:
        wanted, after = _conditions(url.query)
        search = search_of(wanted, None)
    except (ValueError, Refusal) as error:
        return plain(400, error.text if isinstance(error, Refusal) else str(error))
    ids = list[str]()
    try:
        for _ in range(MAX_PAGES):
            await payer.pay(ARCHIVE)
            page = await journal.search(search, min(PAGE_MATCHES, MAX_DOWNLOADED - len(ids)), after)
            ids += page.matches
            after = page.more
            if after is None or len(ids) >= MAX_DOWNLOADED:
                break
    except (JournalUnavailable, DamagedMatch):
        return plain(503, "old matches cannot be read just now")
    is_text = url.path.endswith(".txt")
    head = respond(200, CONTENT_TYPES[".txt"] if is_text else "application/jsonl", b"", Cache_Control="no-store")
    del head.headers["Content-Length"]
    if after is not None:
        others = [(name, value) for name, value in parse_qsl(url.query) if name != "after"]
        head.headers["Link"] = f'<{url.path}?{urlencode([*others, ("after", str(after))])}>; rel="next"'
    return Streamed(head, parts_of(ids, journal, payer, is_text=is_text))


async def parts_of(ids: Sequence[str], journal: Journal, payer: Payer, *, is_text: bool) -> AsyncIterator[bytes]:
    """Yield the records one after the other; one match is in memory at a time. A damaged one is left out.

    Raises Refusal when the turn of a match does not come, or the store is away.
    """
    for match in ids:
        events = await read_finished(journal, match, payer)
        if isinstance(events, Response):
            if events.status_code == 503:
                raise Refusal("internal", "old matches cannot be read just now; try again")
            continue
        record = record_of(events)
        if is_text:
            for part in slices_of(record):
                yield part.encode()
                await asyncio.sleep(0)
            yield b"\n"
        else:
            yield to_json(record).encode() + b"\n"


def _conditions(query: str) -> tuple[ArchiveFilter, Cursor | None]:
    """Return what the query of an address says. Raises a ValueError that says what to do."""
    fields: dict[str, Any] = {}
    options: dict[str, Any] = {}
    after: Cursor | None = None
    for name, value in parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS):
        if name == "after":
            after = Cursor.parse(value)
            if after is None:
                raise ValueError("`after` is what the header Link of an earlier answer gave; leave it out at first")
        elif name == "option":
            option, _, given = value.partition("=")
            options[option] = _WORDS[given] if given in _WORDS else _number(name, given)
        elif name == "opening":
            fields[name] = tuple(value.split())
        elif name in _NUMBERS:
            fields[name] = _number(name, value)
        elif name in ("exact", "rated"):
            if value not in ("true", "false"):
                raise ValueError(f"{name} is true or false")
            fields[name] = value == "true"
        elif name in ArchiveFilter.model_fields and name != "options":
            fields[name] = value
        else:
            known = sorted({*ArchiveFilter.model_fields, "option", "after"} - {"options"})
            raise ValueError(f"there is no condition {name[:32]!r}; there are {', '.join(known)}")
    try:
        return ArchiveFilter(**fields, options=options), after
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _number(name: str, value: str) -> int:
    if not value.lstrip("-").isascii() or not value.removeprefix("-").isdigit() or len(value) > 17:
        raise ValueError(f"{name} needs a whole number")
    return int(value)
