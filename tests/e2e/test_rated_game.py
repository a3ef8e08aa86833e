"""Rated games in the page: what is shown at the board, at the end, in profiles and leaderboards."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.accounts import register, sign_in
from tests.e2e.window import DESK, PHONE, OpenWindow, Window, pair, play, turn_of

pytestmark = pytest.mark.browser

MINUS = "\N{MINUS SIGN}"
SMALL = "3 \N{MULTIPLICATION SIGN} 3"
"""A board, as the page writes its size."""


def meet(first: Window, second: Window, pool: str) -> None:
    """Pair two players by quick pairing."""
    for window in (first, second):
        window.page.locator(".pools").get_by_role("button", name=pool).click()
    for window in (first, second):
        window.in_match()


def decide(first: Window, second: Window) -> None:
    """Make the first two moves on the board; then the second player resigns."""
    for _ in range(2):
        mover = turn_of((first, second))
        assert mover is not None
        mover.make(mover.targets()[0])
    second.resign()
    first.page.wait_for_selector(".match.over")


def test_a_game_of_quick_pairing_is_rated_and_shown_in_profile_and_leaderboard(open_window: OpenWindow) -> None:
    first, second = open_window(size=DESK), open_window(size=DESK)
    meet(first, second, "TrapGrid, 3 min + 2 s")
    for window in (first, second):
        expect(window.page.locator(".info")).to_contain_text("rated")
        expect(window.page.locator(".bar .rating")).to_have_text(["1500?", "1500?"])
        # A press on a name does not lead away from a game that goes on.
        expect(window.page.locator(".bar a.name[href]")).to_have_count(0)
    decide(first, second)
    won, lost = first, second
    expect(won.page.locator(".rated-result .change")).to_contain_text("+")
    expect(lost.page.locator(".rated-result .change")).to_contain_text(MINUS)
    rating = won.page.locator(".rated-result strong").inner_text()
    assert int(rating.removesuffix("?")) > 1500
    # The change is there after a reload too.
    won.page.reload()
    expect(won.page.locator(".rated-result strong")).to_have_text(rating)
    expect(won.page.locator(".rated-result").get_by_role("button", name="Create an account")).to_be_visible()
    name = won.page.locator(".bar .name").last.inner_text()
    lost.page.locator(".bar a.name", has_text=name).click()
    expect(lost.page.get_by_role("heading", name=name)).to_be_visible()
    card = lost.page.locator(".rating-card", has_text="TrapGrid")
    expect(card).to_contain_text(rating)
    expect(card).to_contain_text("provisional")
    expect(lost.page.locator(".course")).to_contain_text("The curve begins with the second rated game.")
    lost.page.get_by_role("link", name="Leaderboard of this pool").click()
    expect(lost.page.get_by_role("heading", name="Leaderboards")).to_be_visible()
    expect(lost.page.get_by_role("combobox", name="Pool").locator("option:checked")).to_contain_text("TrapGrid")
    expect(lost.page.locator(".leaderboards")).to_contain_text("Nobody has an established rating here yet.")


def test_two_guests_become_accounts_meet_and_play_for_ratings_that_last(open_window: OpenWindow) -> None:
    first, second = open_window(size=DESK), open_window(size=PHONE)
    register(first, "Knot")
    register(second, "Whimbrel")
    meet(first, second, "TrapGrid, 1 min + 1 s")
    decide(first, second)
    for window in (first, second):
        expect(window.page.locator(".rated-result .change")).to_be_visible()
        # Who has an account is offered none.
        expect(window.page.locator(".rated-result").get_by_role("button")).to_have_count(0)
    rating = first.page.locator(".rated-result strong").inner_text()
    # Elsewhere the rating is the same, in one's own profile.
    elsewhere = open_window(size=DESK)
    sign_in(elsewhere, "Knot")
    elsewhere.page.get_by_role("button", name="Your account").click()
    elsewhere.page.get_by_role("link", name="My profile").click()
    expect(elsewhere.page.get_by_role("heading", name="Knot")).to_be_visible()
    expect(elsewhere.page.locator(".rating-card", has_text="TrapGrid")).to_contain_text(rating)
    expect(elsewhere.page.locator(".list.mine .card")).to_contain_text("Whimbrel")
    elsewhere.page.get_by_role("link", name="Leaderboards").click()
    pools = elsewhere.page.get_by_role("combobox", name="Pool")
    expect(pools.locator("option", has_text="TrapGrid").first).to_be_attached()
    expect(elsewhere.page.get_by_role("status").filter(has_text="established rating")).to_be_visible()


def test_a_takeback_makes_a_rated_game_casual_and_says_so(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", rated=True, size=4)
    play((first, second), "b4 c1")
    first.does("request_takeback").click()
    second.does("accept_takeback").click()
    for window in (first, second):
        expect(window.page.locator(".explanation")).to_contain_text("no longer rated")
        expect(window.page.locator(".info")).to_contain_text("no longer rated")
    decide(first, second)
    for window in (first, second):
        expect(window.page.locator(".rated-result")).to_have_text("Not rated: a move was taken back.")
        expect(window.page.locator(".rated-result .change")).to_have_count(0)


def test_a_rematch_of_a_rated_game_is_rated_and_both_are_in_the_profile(open_window: OpenWindow, axe: str) -> None:
    first, second = open_window(size=DESK), open_window(size=DESK)
    page = first.page
    page.locator(".tile-card", has_text="TrapGrid").get_by_role("button", name="Play someone").click()
    page.get_by_label("Rated: the result changes both ratings").check()
    page.locator("dialog input[name='option:size'][value='3']").check(force=True)
    page.locator("dialog input[name=seat][value='0']").check(force=True)
    page.get_by_role("button", name="Open the table").click()
    expect(second.page.locator(".of-tables .line", has_text="rated")).to_be_visible()
    second.sit_down("TrapGrid")
    first.in_match()
    second.in_match()
    play((first, second), "a2 b1 a1 b2")
    expect(first.page.locator(".rated-result .change")).to_be_visible()
    before = first.page.locator(".bar .rating").all_inner_texts()
    first.does("rematch").click()
    second.does("rematch").click()
    expect(second.page.locator(".movelist .move")).to_have_count(0)
    expect(second.page.locator(".info")).to_contain_text("rated")
    assert second.page.locator(".bar .rating").all_inner_texts() != before
    first.page.wait_for_url(f"**#{second.page.url.partition('#')[2]}")
    first.in_match()
    play((second, first), "a2 b1 a1 b2")
    expect(first.page.locator(".rated-result .change")).to_be_visible()
    assert first.violations(axe) == []
    name = first.page.locator(".bar .name").last.inner_text()
    first.page.locator(".bar a.name", has_text=name).click()
    expect(first.page.locator(".rating-card", has_text=SMALL)).to_contain_text("2 games")
    expect(first.page.get_by_role("img", name="at best")).to_be_visible()
    first.page.get_by_text("As a table").click()
    expect(first.page.get_by_role("row")).to_have_count(3)
    assert first.violations(axe) == []
    first.page.get_by_role("link", name="Leaderboard of this pool").click()
    expect(first.page.locator(".leaderboards")).to_contain_text("Nobody has an established rating here yet.")
    assert first.violations(axe) == []


def test_help_and_a_rating_exclude_each_other_in_the_form(open_window: OpenWindow) -> None:
    window = open_window()
    page = window.page
    page.get_by_label("Choose bot, board and clock for TrapGrid").click()
    rated, helped = page.get_by_label("Rated:"), page.get_by_label("With help:")
    helped.check()
    rated.check()
    expect(helped).not_to_be_checked()
    helped.check()
    expect(rated).not_to_be_checked()
    page.keyboard.press("Escape")
    # Only games for two are rated.
    page.locator(".tile-card", has_text="Isolation").get_by_role("button", name="Play someone").click()
    expect(rated).to_be_visible()
    page.locator("dialog input[name='option:players'][value='3']").check(force=True)
    expect(rated).to_be_hidden()
