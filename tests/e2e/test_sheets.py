"""What the accessibility checker finds in sheets, invitations, challenges, larger tables and at the end of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from cornered.cli.screenshots import FLAGS
from tests.e2e.servers import running_server
from tests.e2e.window import Window, begin, play_to_the_end, turn_of

pytestmark = pytest.mark.browser

OpenWindow: TypeAlias = Callable[..., Window]
Scene: TypeAlias = Callable[[OpenWindow, bool], Window]
NAME: Final = "games.example"
"""The server's name on a network: a table has a QR code where its address leads there from another device."""
UNSAFE: Final = "untrustworthy"
"""In the browser's warning about a page that does not come from its own machine and is not encrypted."""
PLIES: Final = 6
"""Moves of the game with four players: all are placed, and some have moved by a roll."""


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        resolver = f"--host-resolver-rules=MAP {NAME} 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS, resolver])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CORNERED_HOSTS", NAME)
        with running_server("--no-bots") as address:
            yield address


def name_sheet(open_window: OpenWindow, dark: bool) -> Window:
    window = open_window(dark=dark)
    window.page.locator(".me").click()
    expect(window.page.locator("dialog input[name=name]")).to_be_visible()
    return window


def help_sheet(open_window: OpenWindow, dark: bool) -> Window:
    window = open_window(dark=dark)
    window.page.get_by_role("button", name="Help and keys").click()
    expect(window.page.locator("dialog")).to_be_visible()
    return window


def form_for_a_bot(open_window: OpenWindow, dark: bool) -> Window:
    window = open_window(dark=dark)
    window.page.get_by_label("Choose bot, board and clock for Quoridor").click()
    expect(window.page.locator("dialog").get_by_role("button", name="Start", exact=True)).to_be_visible()
    window.page.locator("dialog details").evaluate("details => details.open = true")
    return window


def look_sheet(open_window: OpenWindow, dark: bool) -> Window:
    first, second = open_window(dark=dark), open_window()
    begin(first, second, "TrapGrid", size=4)
    first.page.get_by_role("button", name="Look").click()
    expect(first.page.locator("dialog").get_by_text("Slate")).to_be_visible()
    return first


def waiting_table(open_window: OpenWindow, dark: bool) -> Window:
    near = open_window()
    window = open_window(dark=dark, address=near.address.replace("127.0.0.1", NAME))
    window.open_table("TrapGrid", private=True)
    code = window.page.get_by_role("img", name="QR code of the invite link")
    expect(code).to_have_js_property("naturalWidth", 150)
    window.errors = [error for error in window.errors if UNSAFE not in error]
    return window


def invitation(open_window: OpenWindow, dark: bool) -> Window:
    # A new player: one of a test before may still sit at its table.
    host, guest = open_window(dark=not dark), open_window(dark=dark)
    host.open_table("Isolation", private=True, players=3)
    guest.page.goto(host.page.locator(".call.waiting .address").inner_text())
    expect(guest.page.locator(".call.invite").get_by_role("button", name="Sit down")).to_be_visible()
    expect(guest.page.locator(".call.invite")).to_contain_text("invites you to a game of Isolation.")
    return guest


def challenge(open_window: OpenWindow, dark: bool) -> Window:
    asks, asked = open_window(), open_window(dark=dark)
    name = "Wren of the night" if dark else "Wren of the day"
    asked.take_name(name)
    asks.page.get_by_label(f"Challenge {name}").click()
    asks.page.get_by_role("button", name="Start", exact=True).click()
    expect(asked.page.locator(".toast", has_text="asks you for a game")).to_be_visible()
    return asked


def four_players_with_dice(open_window: OpenWindow, dark: bool) -> Window:
    people = [open_window(dark=dark), *(open_window() for _ in range(3))]
    people[0].open_table("Isolation", seat=0, width=5, height=5, players=4, dice=True)
    for window in people[1:]:
        window.sit_down("Isolation")
    for window in people:
        window.in_match()
    for _ in range(PLIES):
        mover = turn_of(people)
        assert mover is not None
        mover.make(mover.targets()[0])
    expect(people[0].page.locator(".movelist .move").nth(PLIES - 1)).to_be_visible()
    return people[0]


def end_of_a_game(open_window: OpenWindow, dark: bool, *, won: bool) -> Window:
    players = [open_window(dark=dark), open_window(dark=dark)]
    begin(players[0], players[1], "TrapGrid", size=3)
    play_to_the_end(players)
    status = "You won" if won else "You lost"
    for window in players:
        window.page.wait_for_selector(".match.over")
    shown = next(window for window in players if window.status.inner_text() == status)
    expect(shown.page.locator(".medal svg")).to_be_visible()
    return shown


def win(open_window: OpenWindow, dark: bool) -> Window:
    return end_of_a_game(open_window, dark, won=True)


def loss(open_window: OpenWindow, dark: bool) -> Window:
    return end_of_a_game(open_window, dark, won=False)


SCENES: Final[tuple[Scene, ...]] = (
    name_sheet,
    help_sheet,
    form_for_a_bot,
    look_sheet,
    waiting_table,
    invitation,
    challenge,
    four_players_with_dice,
    win,
    loss,
)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("scene", SCENES, ids=[scene.__name__ for scene in SCENES])
def test_axe_finds_nothing(scene: Scene, dark: bool, open_window: OpenWindow, axe: str) -> None:
    assert scene(open_window, dark).violations(axe) == []
