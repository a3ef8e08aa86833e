"""The charges of plain HTTP requests."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from cornered.protocol.commands import WatchLobby
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.match.dice import seed_of
from cornered.server.match.match import open_match
from cornered.server.match.terms import Opening
from cornered.server.metrics import Counts, Metrics
from cornered.server.net.costs import KNOWN_FILE, PAGE_TOKENS, cost_of, download_cost
from cornered.server.net.http import Pages
from cornered.server.net.session import HELLO_COST
from cornered.server.net.visitors import Visitor
from cornered.server.runtime.limits import AddressLimits
from cornered.server.settings import Settings

PLAYERS = tuple(Player(id=name, name=name, kind="person") for name in ("a", "b"))
FETCHED_AFTERWARDS = 9
"""demos.json, sw.js and the four files that it keeps, and a view of three files that is opened."""
SPEC = GameSpec(name="trapgrid", options={"size": 3})


class Payer:
    """Records charges, and whether a reading slot was held."""

    address: AddressLimits
    """Of no page here."""

    def __init__(self) -> None:
        self.charged: list[float] = []
        self.was_reading: list[bool] = []
        self._is_reading = False

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        self._is_reading = True
        yield
        self._is_reading = False

    async def pay(self, cost: float) -> None:
        self.charged.append(cost)
        self.was_reading.append(self._is_reading)


async def test_a_record_that_is_refused_is_charged_like_one_that_is_given(tmp_path: Path) -> None:
    for is_private in (False, True):
        journal, payer = MemoryJournal(), Payer()
        events = open_match(Opening("m", SPEC, PLAYERS, NO_CLOCK, private=is_private), seed_of(b"", "m"), now=1)
        await journal.append("m", 0, events)
        pages = Pages(tmp_path, journal, Metrics(Counts(), {}), lambda: "")
        request = Request("/matches/m.txt", Headers())
        answer = await pages.answer(request, "/matches/m.txt", Visitor("127.0.0.1", is_direct=True), payer)
        assert answer.status_code == 404
        assert payer.charged == [download_cost(len(events))]
        assert payer.was_reading == [True]


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    (tmp_path / "main.js").write_text("export {};")
    return Pages(tmp_path, MemoryJournal(), Metrics(Counts(), {}), lambda: "")


async def test_a_file_in_memory_costs_its_address_less(pages: Pages, tmp_path: Path) -> None:
    await pages.prepare()
    assert pages.cost_of("/main.js") == KNOWN_FILE
    (tmp_path / "new.js").write_text("export {};")
    costs = []
    for path in ("/new.js", "/new.js", "/nothing.js", "/nothing.js", "/health", "/health"):
        costs.append(pages.cost_of(path))
        await pages.answer(Request(path, Headers()), path, Visitor("127.0.0.1", is_direct=True), Payer())
    assert costs == [PAGE_TOKENS, KNOWN_FILE, PAGE_TOKENS, PAGE_TOKENS, PAGE_TOKENS, PAGE_TOKENS]


def test_a_class_behind_one_address_may_load_the_page_three_times_at_once() -> None:
    settings, pupils, loads = Settings(), 30, 3
    index = (settings.web / "index.html").read_text()
    files = 1 + len(re.findall(r'(?:href|src)="[\w-]+\.\w+"', index)) + FETCHED_AFTERWARDS
    requests = pupils * loads * files
    lobbies = pupils * loads * (HELLO_COST + cost_of(WatchLobby(id="c"), None))
    assert requests + pupils * loads <= settings.arrival_burst
    assert files * PAGE_TOKENS + (requests - files) * KNOWN_FILE + lobbies <= settings.address_burst
