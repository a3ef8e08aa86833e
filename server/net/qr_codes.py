"""QR codes of the links to this server's tables and groups, as SVG, for phones that are held to the screen."""

from __future__ import annotations

import asyncio
import io
import re
from collections import OrderedDict
from typing import Final
from urllib.parse import parse_qsl, urlsplit

import segno

__all__ = ["KEPT_CODES", "QrCodes", "draw", "drawn_rows", "invite_link"]

KEPT_CODES: Final = 256
"""Codes in memory, of 1.5 KB each; the one that was asked for longest ago makes room."""
_QUIET_ZONE: Final = 4
"""Light modules around the code, as ISO/IEC 18004 asks."""
_LINK: Final = re.compile(
    r"https?://(?P<host>[A-Za-z0-9.\-_\[\]:]{1,255})/(?:[A-Za-z0-9._~-]+/?){0,4}#/(?:s|join)/[A-Za-z0-9_-]{1,32}"
)
_LINK_MAX: Final = 400


def invite_link(target: str, host: str) -> str | None:
    """Return the link that a request target asks for, `/qr.svg?link=...`, where it invites to a table or
    a group of this `host`."""
    try:
        fields = dict(parse_qsl(urlsplit(target).query, strict_parsing=True, max_num_fields=1))
    except ValueError:
        return None
    link = fields.get("link", "")
    found = _LINK.fullmatch(link) if len(link) <= _LINK_MAX else None
    return link if found is not None and found["host"].lower() == host.lower() else None


def draw(link: str) -> bytes:
    """Return the QR code of a link, dark on light: not every camera reads the opposite."""
    drawn = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        drawn, kind="svg", xmldecl=False, omitsize=True, svgclass=None, lineclass=None, light="#fff", border=_QUIET_ZONE
    )
    return drawn.getvalue()


async def drawn_rows(link: str) -> tuple[str, ...]:
    """Return the modules of a link's QR code row by row: `1` is dark. It is kept nowhere, as the link is a secret."""
    return await asyncio.to_thread(_rows, link)


def _rows(link: str) -> tuple[str, ...]:
    # With a fixed mask: to compare all eight takes six times as long.
    code = segno.make(link, error="l", micro=False, mask=2)
    return tuple("".join("1" if dark else "0" for dark in row) for row in code.matrix)


class QrCodes:
    """Draws codes, one at a time and in a thread, and keeps the last ones."""

    def __init__(self) -> None:
        self._codes: OrderedDict[str, bytes] = OrderedDict()
        self._drawing = asyncio.Lock()

    def known(self, link: str) -> bytes | None:
        """Return a code that is in memory."""
        code = self._codes.get(link)
        if code is not None:
            self._codes.move_to_end(link)
        return code

    async def of(self, link: str) -> bytes:
        """Return the code of a link."""
        async with self._drawing:
            code = self.known(link)
            if code is None:
                code = self._codes[link] = await asyncio.to_thread(draw, link)
                if len(self._codes) > KEPT_CODES:
                    self._codes.popitem(last=False)
        return code

    def __len__(self) -> int:
        return len(self._codes)
