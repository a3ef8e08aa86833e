"""Shared links: previews tell about finished games and nothing about others; pictures are charged, kept and bounded."""

from __future__ import annotations

import asyncio
import re
import struct
from html import unescape

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from cornered.protocol.commands import MatchCommand, Play, Resign
from cornered.protocol.events import MatchEvent
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening
from cornered.server.metrics import Counts, Metrics
from cornered.server.net.costs import ANIMATION, DRAWING, POSITION_READ, PREVIEW, download_cost
from cornered.server.net.http import Pages
from cornered.server.net.pictures import MAX_KEPT_BYTES, PNG_WIDTH, Pictures
from cornered.server.net.visitors import Visitor
from cornered.server.settings import Settings
from tests.server.net.test_http import Payer

HOST = "cornered.example"
SEED = b"s" * 32
SPEC = GameSpec(name="trapgrid", options={"size": 3})
NAMES = ("<b>Ann</b>", 'Ben "&"')
MOVES = ("a2", "c2", "b2")
POSITION = "/position/trapgrid/size~3/0..-...-..1_0"


def events_of(name: str, *, is_over: bool = True, is_private: bool = False) -> list[MatchEvent]:
    players = tuple(Player(id=f"p{seat}", name=named, kind="person") for seat, named in enumerate(NAMES))
    events = list(open_match(Opening(name, SPEC, players, NO_CLOCK, private=is_private, delay=60), SEED, now=1_000))
    match = Match.replay(events, SEED)
    orders: list[tuple[MatchCommand, int]] = [
        (Play(id=f"c{ply}", match=name, ply=ply, move=move), ply % 2) for ply, move in enumerate(MOVES)
    ]
    if is_over:
        orders.append((Resign(id="r", match=name), 1))
    for command, seat in orders:
        for event in match.decide(command, seat, 2_000):
            match = match.evolve(event)
            events.append(event)
    return events


@pytest.fixture
async def pages() -> Pages:
    journal = MemoryJournal()
    await journal.append("done", 0, events_of("done"))
    await journal.append("live", 0, events_of("live", is_over=False))
    await journal.append("secret", 0, events_of("secret", is_private=True))
    return Pages(Settings().web, journal, Metrics(Counts(), {}), lambda: "")


async def ask(pages: Pages, path: str, payer: Payer | None = None, **headers: str) -> Response:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(path, Headers(Host=HOST, **fields))
    return await pages.answer(request, path, Visitor("127.0.0.1", is_direct=True), payer or Payer())


def tags(answer: Response) -> dict[str, str]:
    found = re.findall(r'<meta property="([^"]+)" content="([^"]*)">', answer.body.decode())
    return {name: unescape(value) for name, value in found}


async def test_a_finished_game_is_previewed_by_title_result_and_picture(pages: Pages) -> None:
    answer = await ask(pages, "/g/done/2", X_Forwarded_Proto="https")
    found = tags(answer)
    assert found["og:title"] == f"TrapGrid, {NAMES[0]} - {NAMES[1]}, after 2 moves" == found["twitter:title"]
    assert found["og:description"].startswith(f"{NAMES[0]} won after 3 moves")
    assert found["og:url"] == f"https://{HOST}/g/done/2"
    assert found["og:image"] == f"https://{HOST}/g/done/2.png" == found["twitter:image"]
    assert 'href="../../#/m/done/2"' in answer.body.decode()
    whole = await ask(pages, "/g/done")
    assert tags(whole)["og:title"] == f"TrapGrid, {NAMES[0]} - {NAMES[1]}"
    assert tags(whole)["og:image"] == f"http://{HOST}/g/done/3.png"
    assert 'href="../#/m/done"' in whole.body.decode()


async def test_nobodys_name_becomes_markup(pages: Pages) -> None:
    body = (await ask(pages, "/g/done")).body.decode()
    assert "<b>" not in body
    assert "&lt;b&gt;Ann&lt;/b&gt;" in body
    assert "default-src 'self'" in (await ask(pages, "/g/done")).headers["Content-Security-Policy"]


async def test_of_a_match_that_goes_on_or_is_private_nothing_is_told(pages: Pages) -> None:
    other = (await ask(pages, "/g/other/1")).body.decode()
    for match in ("live", "secret", "nothing"):
        answer = await ask(pages, f"/g/{match}/1")
        assert answer.status_code == 200
        assert answer.body.decode().replace(match, "") == other.replace("other", "")
        assert "og:image" not in tags(answer)
        for form in (".svg", ".png"):
            for path in (f"/g/{match}/1{form}", f"/g/{match}{form}"):
                assert (await ask(pages, path)).status_code == 404, path


async def test_pictures_are_charged_once_and_may_be_kept_and_shown_by_others(pages: Pages) -> None:
    read = download_cost(len(events_of("done")))
    for path, cost in (("/g/done/1.svg", DRAWING), ("/g/done.svg", ANIMATION)):
        payer = Payer()
        first, again = await ask(pages, path, payer), await ask(pages, path, payer)
        assert payer.charged == [read, cost]
        assert (first.status_code, first.body) == (200, again.body)
        assert first.headers["Content-Type"] == "image/svg+xml"
        assert first.headers["Cache-Control"] == "public, max-age=86400"
        assert first.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert "style-src 'sha256-" in first.headers["Content-Security-Policy"]
    assert b"@keyframes" in (await ask(pages, "/g/done.svg")).body
    assert (await ask(pages, "/g/done/4.svg")).status_code == 404


async def test_a_position_is_previewed_and_drawn_under_one_address(pages: Pages) -> None:
    answer = await ask(pages, POSITION)
    assert tags(answer)["og:title"] == "A position of TrapGrid"
    assert tags(answer)["og:image"] == f"http://{HOST}{POSITION}.png"
    assert 'href="../../../#/p/trapgrid/size~3/0..-...-..1_0"' in answer.body.decode()
    payer = Payer()
    assert b'href="#p1"' in (await ask(pages, f"{POSITION}.svg", payer)).body
    assert payer.charged == [POSITION_READ, DRAWING]
    other = await ask(
        pages,
        "/position/quoridor/size~9/....1....-.........-.........-.........-.........-.........-"
        ".........-.........-....0...._0.svg",
    )
    assert other.status_code == 301
    assert other.headers["Location"].startswith("../../../position/quoridor/walls~10/....1....-")


async def test_what_is_no_position_is_refused_in_the_rules_words(pages: Pages) -> None:
    payer = Payer()
    answer = await ask(pages, "/position/trapgrid/size~3/0..-...-..._0.svg", payer)
    assert answer.status_code == 404
    assert "one pawn of each seat" in answer.body.decode()
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert (await ask(pages, "/position/nothing", payer)).status_code == 404
    assert set(payer.charged) == {POSITION_READ}


async def test_links_lead_to_the_page_while_the_server_is_not_ready() -> None:
    """A page waits better than a text that says so; pictures have no other way."""
    pages = Pages(Settings().web, MemoryJournal(), Metrics(Counts(), {}), lambda: "compiling trapgrid")
    for path, to in ((POSITION, "../../../#/p/trapgrid/size~3/0..-...-..1_0"), ("/g/done/2", "../../#/m/done/2")):
        answer = await ask(pages, path)
        assert answer.status_code == 200
        assert f'href="{to}"' in answer.body.decode()
        assert "og:image" not in tags(answer)
    for path in (f"{POSITION}.png", "/g/done.svg", "/position/nothing"):
        answer = await ask(pages, path)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")


async def test_a_preview_is_a_png_and_a_picture_that_cannot_be_drawn_is_not_kept(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("cornered.server.net.pictures.DRAW_PROGRAM", "raise SystemExit(1)")
        answer = await ask(pages, f"{POSITION}.png")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    payer = Payer()
    answer = await ask(pages, f"{POSITION}.png", payer)
    assert payer.charged == [POSITION_READ, PREVIEW]
    assert answer.headers["Content-Type"] == "image/png"
    assert answer.body.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", answer.body[16:24])
    assert (width, round(width / height, 1)) == (PNG_WIDTH, 1.9)


async def test_pictures_are_drawn_one_at_a_time_and_a_stranger_cannot_fill_the_memory() -> None:
    pictures, drawing = Pictures(), 0

    async def draw() -> bytes:
        nonlocal drawing
        drawing += 1
        assert drawing == 1
        await asyncio.sleep(0)
        drawing -= 1
        return bytes(MAX_KEPT_BYTES // 4)

    await asyncio.gather(*(pictures.of(str(number), draw) for number in range(7)))
    assert len(pictures) == 4
    assert pictures.known("2") is None
    assert pictures.known("3") is not None
