"""Following, blocking, games by days and notifications in the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.window import PHONE, OpenWindow, Window, begin, wait_until

pytestmark = pytest.mark.browser

NEW = {"locale": "en-US"}
"""Windows of new players: others keep the games and the blocks of earlier tests."""


def profile_of(window: Window, name: str) -> None:
    """Open the profile of somebody who is in the lobby."""
    window.to_lobby()
    window.page.locator(".of-here").get_by_role("link", name=name, exact=True).click()
    expect(window.page.get_by_role("heading", name=name)).to_be_visible()


def friends(window: Window) -> Locator:
    return window.page.locator(".of-friends .line")


def play_by_days(first: Window, second: Window) -> None:
    begin(first, second, "TrapGrid", days=1, size=3)


def test_one_follows_a_player_and_finds_them_in_the_lobby(open_window: OpenWindow) -> None:
    ann, ben, cas = open_window(**NEW), open_window(**NEW), open_window(**NEW)
    ben.take_name("Bittern of the Reeds")
    profile_of(ann, "Bittern of the Reeds")
    ann.page.get_by_role("button", name="Follow", exact=True).click()
    expect(ann.page.get_by_role("button", name="Following")).to_have_attribute("aria-pressed", "true")
    ann.to_lobby()
    expect(friends(ann)).to_contain_text("Bittern of the Reeds · here")
    # The challenge of a friend is one press away, and so is a game to watch.
    friends(ann).get_by_role("button", name="Challenge Bittern of the Reeds").click()
    expect(ann.page.get_by_role("dialog", name="Challenge Bittern of the Reeds")).to_be_visible()
    ann.page.keyboard.press("Escape")
    begin(ben, cas, "TrapGrid", size=3)
    ann.page.reload()
    friends(ann).get_by_role("link", name="Watch Bittern of the Reeds play").click()
    ann.in_match()
    profile_of(ann, "Bittern of the Reeds")
    ann.page.get_by_role("button", name="Following").click()
    expect(ann.page.get_by_role("button", name="Follow", exact=True)).to_be_visible()
    ann.to_lobby()
    expect(friends(ann)).to_have_count(0)


def test_a_blocked_player_is_not_heard_and_not_told(open_window: OpenWindow) -> None:
    ann, ben = open_window(**NEW), open_window(**NEW)
    ann.take_name("Lark")
    ben.take_name("Crow")
    profile_of(ann, "Crow")
    ann.page.get_by_role("button", name="Block", exact=True).click()
    expect(ann.page.locator(".toast", has_text="Crow is blocked")).to_be_visible()
    expect(ann.page.get_by_role("button", name="Unblock")).to_be_visible()
    ann.to_lobby()
    ben.page.get_by_label("Challenge Lark").click()
    ben.page.locator("dialog").get_by_role("button", name="TrapGrid").click()
    ben.page.get_by_role("button", name="Start", exact=True).click()
    expect(ben.page.locator(".toast", has_text="Lark is asked for a game")).to_be_visible()
    expect(ben.page.locator(".call", has_text="Lark is asked for a game")).to_be_visible()
    expect(ann.page.locator(".toast", has_text="asks you for a game")).to_have_count(0)
    # The list of those who are blocked is among one's own data.
    ann.page.locator(".me").click()
    ann.page.get_by_role("button", name="Your data").click()
    ann.page.get_by_role("button", name="Blocked players").click()
    sheet = ann.page.get_by_role("dialog", name="Blocked players")
    sheet.get_by_role("button", name="Unblock Crow").click()
    expect(sheet).to_contain_text("You block nobody.")


def test_a_line_of_chat_leads_to_its_author_whose_sheet_does_not_move_with_the_answer(open_window: OpenWindow) -> None:
    ann, ben = open_window(**NEW, cuttable=True), open_window(**NEW)
    ben.take_name("Greenfinch")
    play_by_days(ann, ben)

    def says(text: str) -> None:
        ben.page.get_by_label("Message").fill(text)
        ben.page.keyboard.press("Enter")

    says("Hello")
    author = ann.page.get_by_role("log").get_by_role("button", name="Greenfinch")
    author.wait_for()
    sheet = ann.page.get_by_role("dialog", name="Greenfinch")
    boxes = []
    for is_answered in (False, True):
        if not is_answered:
            ann.lose("commands")
        author.click()
        report = sheet.get_by_role("button", name="Report")
        report.wait_for()
        expect(sheet.get_by_role("button", name="Block")).to_have_count(int(is_answered))
        boxes.append(report.bounding_box())
        if not is_answered:
            ann.page.keyboard.press("Escape")
            ann.mend()
    assert boxes[0] == boxes[1]
    sheet.get_by_role("button", name="Block", exact=True).click()
    expect(sheet.get_by_role("button", name="Unblock")).to_be_visible()
    ann.page.keyboard.press("Escape")
    says("Do you read me?")
    expect(ben.page.locator(".chat .lines p")).to_have_count(2)
    expect(ann.page.locator(".chat .lines p")).to_have_count(1)


def test_games_by_days_are_listed_with_the_time_that_is_left_and_the_next_one_is_a_press_away(
    open_window: OpenWindow,
) -> None:
    ann, ben = open_window(**NEW), open_window(**NEW)
    ann.take_name("Ibis")
    ben.take_name("Spoonbill")
    for _ in range(2):
        play_by_days(ann, ben)
        ann.to_lobby()
        ben.to_lobby()
    turns = ann.page.locator(".of-turns .line")
    expect(turns).to_have_count(2)
    for line in turns.all():
        expect(line).to_contain_text("Your turn")
        expect(line).to_contain_text("with Spoonbill · 23 hours left")
    expect(ann.page).to_have_title("(2) Cornered")
    expect(ben.page.locator(".of-turns .line").first).to_contain_text("Their turn")
    expect(ben.page).to_have_title("Cornered")
    turns.first.get_by_role("link", name="Play against Spoonbill").click()
    ann.in_match()
    ann.await_turn()
    ann.make("a2")
    # After a move the other game is the next one.
    chip = ann.page.get_by_title("game waits for your move")
    expect(chip).to_be_visible()
    first = ann.page.url
    chip.click()
    wait_until(ann.page, f"location.href !== {first!r}")
    ann.await_turn()
    # Who is elsewhere on the page finds the game as well, with the number at the title.
    expect(ben.page).to_have_title("(1) Cornered")
    ben.page.get_by_role("link", name="Play against Ibis").click()
    ben.await_turn()


def test_a_game_by_days_goes_on_after_both_have_closed_the_page(open_window: OpenWindow) -> None:
    ann, ben = open_window(**NEW), open_window(**NEW)
    ann.open_table("TrapGrid", seat=0, clock="1 day a move", size=3)
    ben.sit_down("TrapGrid")
    ann.in_match()
    ben.in_match()
    where = ann.page.url
    for window in (ann, ben):
        window.page.goto("about:blank")
    for window in (ann, ben):
        window.page.goto(where)
        window.in_match()
    ann.await_turn()
    ann.make("a2")
    ben.await_turn()


def test_the_sheets_are_accessible_and_fit(open_window: OpenWindow, axe: str) -> None:
    ann, ben = open_window(size=PHONE, locale="de-DE"), open_window(**NEW)
    ben.take_name("Pintail")
    play_by_days(ann, ben)
    sizes = (1200, 800), PHONE

    def check() -> None:
        for width, height in sizes:
            ann.page.set_viewport_size({"width": width, "height": height})
            assert ann.violations(axe) == []
            assert not ann.is_too_wide()

    profile_of(ann, "Pintail")
    ann.page.get_by_role("button", name="Folgen", exact=True).click()
    expect(ann.page.locator(".relations [aria-pressed=true]")).to_be_visible()
    check()
    ann.to_lobby()
    expect(friends(ann)).to_be_visible()
    check()
    ann.page.locator(".me").click()
    ann.page.get_by_role("button", name="Deine Daten").click()
    ann.page.get_by_role("button", name="Mitteilungen").click()
    expect(ann.page.locator(".notices input[type=checkbox]")).to_have_count(3)
    check()
