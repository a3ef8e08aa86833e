"""What the accessibility checker finds in sheets, invitations, challenges and at the end of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import pytest
from playwright.sync_api import expect

from tests.e2e.window import HOST_NAME, OpenWindow, Window, begin, pair, play

pytestmark = pytest.mark.browser

Scene: TypeAlias = Callable[[OpenWindow], Window]
UNSAFE: Final = "untrustworthy"
"""In the browser's warning about a page that does not come from its own machine and is not encrypted."""


def name_sheet(open_window: OpenWindow) -> Window:
    window = open_window()
    window.page.locator(".me").click()
    expect(window.page.locator("dialog input[name=name]")).to_be_visible()
    return window


def help_sheet(open_window: OpenWindow) -> Window:
    window = open_window()
    window.page.get_by_role("button", name="Help and keys").click()
    expect(window.page.locator("dialog")).to_be_visible()
    return window


def form_for_a_bot(open_window: OpenWindow) -> Window:
    window = open_window()
    window.page.get_by_label("Choose bot, board and clock for Quoridor").click()
    expect(window.page.locator("dialog").get_by_role("button", name="Start", exact=True)).to_be_visible()
    window.page.locator("dialog details").evaluate("details => details.open = true")
    return window


def look_sheet(open_window: OpenWindow) -> Window:
    first, _ = pair(open_window, "TrapGrid", size=4)
    first.page.get_by_role("button", name="Look").click()
    expect(first.page.locator("dialog").get_by_text("Slate")).to_be_visible()
    return first


def waiting_table(open_window: OpenWindow) -> Window:
    near = open_window()
    window = open_window(address=near.address.replace("127.0.0.1", HOST_NAME))
    window.open_table("TrapGrid", private=True)
    code = window.page.get_by_role("img", name="QR code of the invite link")
    expect(code).to_have_js_property("naturalWidth", 150)
    window.errors = [error for error in window.errors if UNSAFE not in error]
    return window


def invitation(open_window: OpenWindow) -> Window:
    host, guest = open_window(), open_window()
    host.open_table("Isolation", private=True, players=3)
    guest.page.goto(host.page.locator(".call.waiting .address").inner_text())
    expect(guest.page.locator(".call.invite").get_by_role("button", name="Sit down")).to_be_visible()
    expect(guest.page.locator(".call.invite")).to_contain_text("invites you to a game of Isolation.")
    return guest


def challenge(open_window: OpenWindow) -> Window:
    asks, asked = open_window(), open_window()
    asked.take_name("Linnet")
    asks.page.get_by_label("Challenge Linnet").click()
    asks.page.get_by_role("button", name="Start", exact=True).click()
    expect(asked.page.locator(".toast", has_text="asks you for a game")).to_be_visible()
    return asked


def end_of_a_game(open_window: OpenWindow, *, won: bool) -> Window:
    players = open_window(), open_window()
    begin(*players, "TrapGrid", size=3)
    play(players, "a2 b1 a1 b2")
    shown = players[won]
    expect(shown.status).to_have_text("You won" if won else "You lost")
    expect(shown.page.locator(".medal svg")).to_be_visible()
    return shown


def win(open_window: OpenWindow) -> Window:
    return end_of_a_game(open_window, won=True)


def loss(open_window: OpenWindow) -> Window:
    return end_of_a_game(open_window, won=False)


SCENES: Final[tuple[Scene, ...]] = (
    name_sheet,
    help_sheet,
    form_for_a_bot,
    look_sheet,
    waiting_table,
    invitation,
    challenge,
    win,
    loss,
)


@pytest.mark.parametrize("scene", SCENES, ids=[scene.__name__ for scene in SCENES])
def test_axe_finds_nothing(scene: Scene, open_window: OpenWindow, axe: str) -> None:
    assert scene(open_window).violations(axe) == []
