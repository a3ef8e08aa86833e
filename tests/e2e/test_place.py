"""A place to come back to, on a node with SQLite and on two with PostgreSQL: accounts, a rated game, a ban, an end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.accounts import PASSWORD, fill_in, register, sheet
from tests.e2e.installation import Installation
from tests.e2e.window import DESK, PHONE, OpenWindow, Window, turn_of

pytestmark = pytest.mark.browser

POOL = "TrapGrid, 1 min + 1 s"


@pytest.fixture(scope="module")
def address(installation: Installation) -> str:
    return installation.address


def meet(first: Window, second: Window) -> None:
    """Pair two players by quick pairing."""
    for window in (first, second):
        window.page.locator(".pools").get_by_role("button", name=POOL).click()
    for window in (first, second):
        window.in_match()


def open_account(window: Window, line: str) -> None:
    """Open the sheet of the account, and a line of it."""
    window.page.get_by_role("button", name="Your account").click()
    sheet(window, "Your account").get_by_role("button", name=line).click()


def test_two_guests_become_accounts_play_rated_and_one_takes_its_data_and_leaves(
    open_window: OpenWindow, installation: Installation
) -> None:
    first, second = open_window(size=DESK), open_window(size=PHONE)
    register(first, "Bunting")
    register(second, "Curlew")
    meet(first, second)
    mover = turn_of((first, second))
    players = (first, second) if mover is first else (second, first)
    for player in players:
        player.await_turn()
        player.make(player.targets()[0])
    second.resign()
    first.page.wait_for_selector(".match.over")
    match = first.page.evaluate("location.hash")
    rating = first.page.locator(".rated-result strong").inner_text()
    for window in (first, second):
        expect(window.page.locator(".rated-result .change")).to_be_visible()
    # The change is in the profiles of both, and the ratings are those that the journal gives.
    second.page.locator(".bar a.name", has_text="Bunting").click()
    expect(second.page.get_by_role("heading", name="Bunting")).to_be_visible()
    expect(second.page.locator(".rating-card", has_text="TrapGrid")).to_contain_text(rating)
    found = installation.ratings_check()
    assert (found["is_right"], found["results"], found["wrong_changes"], found["wrong_ratings"]) == (True, 1, 0, 0)

    first.to_lobby()
    open_account(first, "Save my data")
    with first.page.expect_download() as download:
        sheet(first, "Save my data").get_by_role("link", name="Save the file").click()
    lines = [json.loads(line) for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()]
    saved = json.dumps(lines)
    assert lines[0]["account"]["name"] == "Bunting"
    assert match.rpartition("/")[2] in saved
    assert PASSWORD not in saved
    first.page.keyboard.press("Escape")
    sheet(first, "Your account").get_by_role("button", name="Delete my account").click()
    fill_in(first, "Delete my account", "Delete me", password=PASSWORD)
    sheet(first, "Delete my account").get_by_role("button", name="Really delete me?").click()
    expect(first.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()

    # For the other player the game stays, without the name.
    second.to_lobby()
    second.page.goto(f"{second.address}/{match}")
    second.page.reload()
    second.in_match()
    expect(second.page.locator(".bar .name", has_text="deleted")).to_be_visible()
    expect(second.page.locator(".bar .name", has_text="Curlew")).to_be_visible()
    expect(second.page.get_by_text("Bunting")).to_have_count(0)
    assert second.moves
    assert installation.ratings_check()["is_right"]
    first.errors.clear()


def test_a_player_is_banned_at_once_and_comes_back_when_the_ban_is_lifted(
    open_window: OpenWindow, installation: Installation
) -> None:
    windows = open_window(size=DESK), open_window(size=PHONE)
    register(windows[0], "Dunnock")
    register(windows[1], "Eider")
    banned, other = windows
    number = installation.admin("moderation", "ban", "Dunnock", "Insults in the chat").split()[0].strip("#:")
    expect(banned.page.get_by_role("heading", name="You cannot come in")).to_be_visible()
    expect(banned.page.get_by_text("Insults in the chat")).to_be_visible()
    banned.page.reload()
    expect(banned.page.get_by_text("Insults in the chat")).to_be_visible()
    sockets: list[str] = []
    banned.page.on("websocket", lambda socket: sockets.append(socket.url))
    expect(other.page.locator(".me")).to_have_text("Eider")
    assert "Dunnock" in installation.admin("moderation", "list")
    installation.admin("moderation", "lift", number, "A mistake")
    assert "Dunnock" not in installation.admin("moderation", "list")
    # Meanwhile the page has not tried again.
    expect(banned.page.get_by_text("Insults in the chat")).to_be_visible()
    assert sockets == []
    # The server hears of it within a second; until then the page is refused again.
    back, refused = banned.page.locator(".me", has_text="Dunnock"), banned.page.get_by_text("Insults in the chat")
    banned.page.reload()
    expect(back.or_(refused)).to_be_visible()
    while refused.is_visible():
        banned.page.reload()
        expect(back.or_(refused)).to_be_visible()
    expect(back).to_be_visible()
    meet(banned, other)
    banned.errors.clear()
    other.errors.clear()
