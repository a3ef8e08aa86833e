"""The page in Firefox and in WebKit: a whole game, a reload, a spectator, and the analysis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.e2e.analysts import Oracle
from tests.e2e.other_browsers import Firefox, OtherBrowser, Tab, WebKit

pytestmark = pytest.mark.browser

MOVES = ("b5", "d1", "c5", "c1", "c4", "c2")
MINI_BROWSER = "webkit2gtk-4.1/MiniBrowser"


@pytest.fixture(scope="module")
def address(own_address: str) -> Iterator[str]:
    """The address of a server that has an analyst."""
    with Oracle.answering(own_address, "trapgrid"):
        yield own_address


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[OtherBrowser]:
    with Firefox.run(require("firefox-esr"), tmp_path) as browser:
        yield browser


@pytest.fixture
def webkit() -> Iterator[OtherBrowser]:
    driver, screen = require("webkit2gtk-driver"), require("xvfb")
    mini_browser = next(Path("/usr/lib").glob(f"*/{MINI_BROWSER}"))
    with WebKit.run(driver, mini_browser, screen) as browser:
        yield browser


@pytest.mark.parametrize("name", ["firefox", "webkit"])
def test_a_game_a_reload_a_spectator_and_the_analysis(name: str, address: str, request: pytest.FixtureRequest) -> None:
    browser: OtherBrowser = request.getfixturevalue(name)
    first, second, third = (Tab(browser, f"{address}/?guest={number}", ".lobby.ready") for number in range(3))
    tile = "[...document.querySelectorAll('.tile-card')].find((one) => one.textContent.includes('TrapGrid'))"
    first.until(f"({tile}).querySelector('.row > button').id = 'open-a-table'")
    first.click("#open-a-table")
    first.click("dialog.rules button", "Skip")
    first.see("dialog footer button", "Open the table")
    first.evaluate("void document.querySelector(\"dialog input[name='option:size'][value='5']\").click()")
    first.evaluate("void document.querySelector(\"dialog input[name=seat][value='0']\").click()")
    first.click("dialog.settings footer button", "Open the table")
    second.click(".of-tables .line button", "Sit down")
    match = first.until("location.hash.startsWith('#/m/') && location.hash")
    third.evaluate(f"void (location.hash = {match!r})")
    third.see(".match .board")
    for ply, move in enumerate(MOVES):
        mover = (first, second)[ply % 2]
        mover.see(".match.myturn .board.mine")
        if ply < 2:
            mover.click(f"[data-cell={move}]")
        else:
            mover.type(f"{move}\ue007")
        mover.see(".movelist .move:not(:empty)", move)
        if ply == 3:
            mover.reload()
    for tab in (first, second, third):
        tab.until(f"document.querySelectorAll('.movelist .move').length === {len(MOVES)}")
    second.click("[data-does=resign]")
    second.click("[data-does=resign]", "Really")
    for tab in (first, second, third):
        tab.see(".match.over")
    third.click(".actions button, .result button", "Analyse")
    third.see(".ways li")
    assert browser.errors == []
