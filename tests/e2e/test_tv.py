"""TV in the page: the best live game, and the next one when it ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.club import Club, running_club
from tests.e2e.window import PHONE, OpenWindow

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(own_address: str) -> str:
    """The address of a server on which no other games are played."""
    return own_address


@pytest.fixture(scope="module")
def club(address: str) -> Iterator[Club]:
    with running_club(address) as club:
        yield club


def test_tv_goes_on_by_itself_when_a_game_ends(open_window: OpenWindow, club: Club, axe: str) -> None:
    window = open_window()
    page = window.page
    page.get_by_role("link", name="TV").click()
    expect(page.get_by_role("status").filter(has_text="Nobody plays just now")).to_be_visible()
    first = club.begin("Petrel", "Shearwater", ("a2",), game="trapgrid", size=3)
    bars = page.locator(".tv .bar .name")
    expect(bars).to_have_text(["Shearwater", "Petrel"])
    assert window.violations(axe) == []
    second = club.begin("Skua", "Noddy", ("b3",), game="trapgrid", size=3)
    club.resign("Shearwater", first)
    # The end stays on show for a while.
    expect(page.locator(".tv .match.over")).to_be_visible()
    expect(bars).to_have_text(["Noddy", "Skua"])
    page.get_by_role("navigation", name="Channels").get_by_role("link", name="Quoridor").click()
    expect(page.get_by_role("status").filter(has_text="Nobody plays Quoridor just now")).to_be_visible()
    page.go_back()
    expect(bars).to_have_text(["Noddy", "Skua"])
    club.resign("Noddy", second)
    expect(page.get_by_role("status").filter(has_text="Nobody plays TrapGrid just now")).to_be_visible()


def test_tv_fits_a_phone(open_window: OpenWindow, club: Club, axe: str) -> None:
    match = club.begin("Petrel", "Shearwater", ("e2",), game="quoridor")
    window = open_window(size=PHONE, dark=True)
    window.page.evaluate("location.hash = '#/tv/quoridor'")
    expect(window.page.locator(".tv .match .board")).to_be_visible()
    assert window.violations(axe) == []
    assert not window.is_too_wide()
    club.resign("Shearwater", match)
