"""The archive in the page: searches with addresses of their own, downloads, openings, and two players compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.club import Club, running_club
from tests.e2e.window import PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser

OPENING = ("a2", "c2", "b2")


@pytest.fixture(scope="module")
def address(own_address: str) -> str:
    """The address of a server whose archive has the club's games alone."""
    return own_address


@pytest.fixture(scope="module")
def club(address: str) -> Iterator[Club]:
    """Curlew has won three games of TrapGrid against Sandpiper, who has won one, and Turnstone one of Quoridor."""
    with running_club(address) as club:
        for _ in range(3):
            club.play("Curlew", "Sandpiper", OPENING, size=3)
        club.play("Sandpiper", "Curlew", ("b3",), size=3)
        club.play("Turnstone", "Curlew", ("e2", "e8"), game="quoridor")
        yield club


def to(window: Window, route: str) -> None:
    window.page.evaluate("route => { location.hash = route }", route)


def test_games_are_searched_and_the_address_repeats_the_search(open_window: OpenWindow, club: Club) -> None:
    window, other = open_window(), open_window()
    page = window.page
    page.get_by_role("link", name="Archive").click()
    expect(page.locator(".found-game")).to_have_count(5)
    expect(page.get_by_role("status").filter(has_text="5 games")).to_be_visible()
    page.get_by_role("textbox", name="Player", exact=True).fill("curlew")
    page.get_by_label("Result").select_option("win")
    page.get_by_role("combobox", name="Game", exact=True).select_option("trapgrid")
    page.get_by_text("More conditions").click()
    page.get_by_label("Board size").select_option("3")
    page.get_by_label("First moves").fill("1. a2 c2")
    page.keyboard.press("Enter")
    expect(page.locator(".found-game")).to_have_count(3)
    # The form keeps the focus and says who was found.
    expect(page.get_by_label("First moves")).to_be_focused()
    expect(page.get_by_role("textbox", name="Player", exact=True)).to_have_value("Curlew")
    other.page.goto(page.url)
    expect(other.page.locator(".found-game")).to_have_count(3)
    expect(other.page.get_by_role("textbox", name="Player", exact=True)).to_have_value("Curlew")
    expect(other.page.get_by_label("Board size")).to_have_value("3")
    with page.expect_download() as download:
        page.get_by_role("link", name="All as JSON").click()
    records = [json.loads(line) for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()]
    assert [record["moves"][:2] for record in records] == [list(OPENING[:2])] * 3
    page.go_back()
    expect(page.locator(".found-game")).to_have_count(5)


def test_a_game_that_was_found_has_a_permanent_link_and_is_analysed(open_window: OpenWindow, club: Club) -> None:
    window = open_window()
    page = window.page
    to(window, "#/archive/game=quoridor")
    expect(page.locator(".found-game")).to_have_count(1)
    expect(page.locator(".found-game")).to_contain_text("Turnstone won, by resignation")
    page.get_by_role("link", name="Permanent link").click()
    expect(page.locator(".match .movelist .move")).to_have_count(2)
    page.go_back()
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator(".match.studied")).to_be_visible()


def test_what_finds_nothing_says_what_to_do(open_window: OpenWindow, club: Club) -> None:
    window = open_window()
    page = window.page
    to(window, "#/archive/game=quoridor&least_plies=900")
    expect(page.get_by_role("status").filter(has_text="Leave some of them out")).to_be_visible()
    page.get_by_role("textbox", name="Player", exact=True).fill("Nobody at all")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert").filter(has_text="No account has this name")).to_be_visible()
    expect(page.get_by_role("textbox", name="Player", exact=True)).to_be_focused()
    page.get_by_role("textbox", name="Player", exact=True).fill("")
    page.get_by_label("Result").select_option("loss")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("status").filter(has_text="name one")).to_be_visible()
    page.get_by_role("button", name="All games").click()
    expect(page.locator(".found-game")).to_have_count(5)


def test_openings_are_explored_by_clicks_and_by_the_board(open_window: OpenWindow, club: Club) -> None:
    window = open_window()
    page = window.page
    to(window, "#/openings/")
    # The board of a new game has no games; another one is chosen.
    expect(page.get_by_role("status").filter(has_text="No finished public game has this board yet")).to_be_visible()
    page.get_by_text("Board and rules").click()
    page.get_by_label("Board size").select_option("3")
    rows = page.locator(".outcomes tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("a2")
    expect(rows.first.get_by_role("img", name="won 100%, lost 0%")).to_be_visible()
    page.get_by_role("button", name="Go on with a2").click()
    expect(rows).to_have_count(1)
    window.click("c2")
    expect(page.get_by_role("button", name="Go on with b2")).to_be_visible()
    expect(page.get_by_role("navigation", name="Moves so far").get_by_role("button")).to_have_text(
        ["", "Start", "a2", "c2"]
    )
    page.reload()
    expect(page.get_by_role("button", name="Go on with b2")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Go on with c2")).to_be_visible()
    page.get_by_role("link", name="Games that began so").click()
    expect(page.locator(".found-game")).to_have_count(3)


def test_two_players_are_compared_from_a_profile_and_by_their_names(open_window: OpenWindow, club: Club) -> None:
    window = open_window()
    page = window.page
    to(window, f"#/player/{club.id('Curlew')}")
    page.get_by_role("link", name="Head to head").click()
    expect(page.get_by_role("status").filter(has_text="no public game against each other")).to_be_visible()
    page.get_by_role("textbox", name="Player", exact=True).fill("Curlew")
    page.get_by_label("Against").fill("Sandpiper")
    page.get_by_role("button", name="Compare").click()
    row = page.locator(".outcomes tbody tr", has_text="TrapGrid")
    expect(row.locator(".figure")).to_have_text(["3", "0", "1"])
    expect(page.locator(".versus .card")).to_have_count(4)
    page.get_by_role("link", name="As the other sees it").click()
    expect(row.locator(".figure")).to_have_text(["1", "0", "3"])
    page.get_by_role("link", name="All their games").click()
    expect(page.locator(".found-game")).to_have_count(4)


def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(open_window: OpenWindow, axe: str, club: Club) -> None:
    window = open_window(size=PHONE)
    page = window.page
    routes = {
        "#/archive/game=trapgrid&rated=false": ".found-game",
        "#/openings/game=trapgrid&option=size%3D3": ".outcomes tbody tr",
        f"#/versus/{club.id('Curlew')}/{club.id('Sandpiper')}": ".versus .card",
    }
    for route, ready in routes.items():
        to(window, route)
        expect(page.locator(ready).first).to_be_visible()
        for width in (1200, PHONE[0]):
            page.set_viewport_size({"width": width, "height": 740})
            assert window.violations(axe) == [], (route, width)
            assert not window.is_too_wide(), (route, width)
