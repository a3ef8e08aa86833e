"""QR codes: drawn for this server's invitations and for nothing else, charged, and kept for a while."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
import segno
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.metrics import Counts, Metrics
from cornered.server.net.costs import QR_CODE
from cornered.server.net.http import Pages
from cornered.server.net.qr_codes import QrCodes, draw, invite_link
from cornered.server.net.visitors import Visitor
from cornered.server.settings import Settings
from tests.server.net.test_http import Payer

HOST = "192.168.1.20:8420"
LINK = f"http://{HOST}/#/s/abc_DEF-123"


def target(link: str) -> str:
    return f"/qr.svg?link={quote(link, safe='')}"


async def ask(pages: Pages, link: str, payer: Payer) -> Response:
    request = Request(target(link), Headers(Host=HOST))
    return await pages.answer(request, "/qr.svg", Visitor("127.0.0.1", is_direct=True), payer)


@pytest.fixture
def pages() -> Pages:
    return Pages(Settings().web, MemoryJournal(), Metrics(Counts(), {}), lambda: "")


async def test_a_code_is_charged_once_and_may_be_kept_by_the_browser(pages: Pages) -> None:
    payer = Payer()
    first = await ask(pages, LINK, payer)
    again = await ask(pages, LINK, payer)
    assert (first.status_code, first.headers["Content-Type"]) == (200, "image/svg+xml")
    assert first.headers["Cache-Control"] == "private, max-age=86400"
    assert first.body == again.body == draw(LINK)
    assert payer.charged == [QR_CODE]


def test_the_code_says_the_link() -> None:
    """The dark modules of the picture are those of the code, inside a light frame of four."""
    dark = set()
    x, y = 0.0, 0.0
    [path] = re.findall(r'stroke="#000" d="([^"]+)"', draw(LINK).decode())
    for command, first, second in re.findall(r"([Mmh])(-?[0-9.]+)(?: ?(-?[0-9.]+))?", path):
        if command == "h":
            dark |= {(int(x) + step, int(y)) for step in range(int(first))}
            x += float(first)
        else:
            x, y = (float(first), float(second)) if command == "M" else (x + float(first), y + float(second))
    matrix = segno.make(LINK, error="m", micro=False).matrix
    assert dark == {(x + 4, y + 4) for y, row in enumerate(matrix) for x, bit in enumerate(row) if bit}


async def test_nothing_but_an_own_invitation_is_drawn(pages: Pages) -> None:
    payer = Payer()
    text = f"""http://elsewhere.example/#/s/abc http://{HOST}@elsewhere.example/#/s/abc
        http://elsewhere.example/{HOST}/#/s/abc http://{HOST}/#/m/abc http://{HOST}/#/s/ http://{HOST}/#/s/{"a" * 33}
        http://{HOST}/#/s/abc?x http://{HOST}/?q#/s/abc http://{HOST}//x/#/s/abc http://{HOST}/{"a" * 400}/#/s/abc
        javascript://{HOST}/#/s/abc ftp://{HOST}/#/s/abc https://[#/s/abc words"""
    links = text.split()
    for link in ("", *links):
        assert (await ask(pages, link, payer)).status_code == 400, link
    assert payer.charged == []


def test_a_table_has_a_link_below_any_folder_and_a_malformed_query_none() -> None:
    paths = ("/#/s/abc_DEF-123", "/games/cornered/#/s/a", "/index.html#/s/a", "/#/join/ABCD2345")
    links = [f"{scheme}://{HOST}{path}" for scheme in ("http", "https") for path in paths]
    assert [invite_link(target(link), HOST) for link in links] == links
    for query in ("", "?", "?link", "?to=x", f"?link={quote(LINK)}&link={quote(LINK)}", "?link=%ff"):
        assert invite_link(f"/qr.svg{query}", HOST) is None, query


async def test_a_stranger_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.net.qr_codes.KEPT_CODES", kept := 8)
    codes = QrCodes()
    for number in range(kept + 3):
        await codes.of(f"http://{HOST}/#/s/{number}")
        assert codes.known(f"http://{HOST}/#/s/0") if number < kept else True
    assert len(codes) == kept
    # The one that was asked for again and again until then went last.
    assert codes.known(f"http://{HOST}/#/s/1") is None
    assert codes.known(f"http://{HOST}/#/s/0") is not None
