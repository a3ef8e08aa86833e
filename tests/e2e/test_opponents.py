"""Which bot one click leads to, and how a rematch begins or why it does not."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView
from cornered.protocol.values import Accepts
from tests.e2e.club import Club, running_club
from tests.e2e.servers import OPERATORS_KEY
from tests.e2e.window import OpenWindow, Window, pair, play_to_the_end

pytestmark = pytest.mark.browser

GAME = "TrapGrid"
BOTS = ("champion", *(f"level-{level}" for level in range(1, 11)))


@pytest.fixture(scope="module")
def address(own_address: str) -> str:
    """The address of a server where no other test has had bots of these names."""
    return own_address


async def any_move(match: MatchView, limit: Limit) -> str:
    return random.choice(match.state.moves())


class House:
    """Bots that play at random; `offer` says which of them play, and how many games."""

    def __init__(self, club: Club) -> None:
        self._club = club
        self._bots = {
            name: club.enter(Client.connect(club.address, name=name, kind="bot", key=OPERATORS_KEY)) for name in BOTS
        }

    @contextlib.contextmanager
    def playing(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for client in self._bots.values():
                # The server decides how many games a bot plays, by its newest declaration.
                stack.enter_context(self._club.doing(BotPlayer(client, any_move, accepts=(), concurrency=99).run()))
            yield

    def offer(self, **takes: int) -> None:
        for name, client in self._bots.items():
            games = takes.get(name.replace("-", "_"), 0)
            self._club.do(client.declare([Accepts(game="trapgrid")] if games else [], max(1, games)))


@pytest.fixture(scope="module")
def house(address: str) -> Iterator[House]:
    with running_club(address) as club:
        house = House(club)
        with house.playing():
            yield house


def opponent_button(window: Window) -> Locator:
    return window.page.locator(".tile-card", has_text=GAME).locator("button.opponent")


def click_play(window: Window, bot: str) -> None:
    expect(opponent_button(window)).to_contain_text(f"Play {bot}")
    opponent_button(window).click()


def resign(window: Window) -> None:
    """End the match; a move of the bot in between decides how it may end."""
    window.leave()
    expect(window.page.locator(".match.over")).to_be_visible()


def test_the_button_names_the_bot_and_six_at_once_meet_none_much_stronger(
    open_window: OpenWindow, house: House
) -> None:
    house.offer(**{name.replace("-", "_"): 2 for name in BOTS})
    windows = [open_window() for _ in range(6)]
    for window in windows:
        expect(opponent_button(window)).to_have_text("Play level-3 casual")
    for window in windows:
        opponent_button(window).evaluate("button => button.click()")
    met = []
    for window in windows:
        window.in_match()
        met += [name for name in window.page.locator("bdi").all_inner_texts() if name in BOTS]
        resign(window)
    assert len(met) == 6
    assert set(met) <= {"level-1", "level-2", "level-3", "level-4"}


def test_a_bot_that_is_much_stronger_is_offered_and_not_just_played(open_window: OpenWindow, house: House) -> None:
    house.offer(level_3=1, level_7=1)
    person, other = open_window(), open_window()
    click_play(other, "level-3")
    other.in_match()
    expect(person.page.locator(".of-bots .chip", has_text="level-3")).to_contain_text("busy")
    expect(opponent_button(person)).to_have_text("Play level-3 casual")
    opponent_button(person).click()
    toast = person.page.locator(".toast")
    expect(toast).to_contain_text("level-3 is busy. The nearest bot that is free is level-7, much stronger")
    assert not person.page.locator(".match").count()
    toast.get_by_role("button", name="Play level-7").click()
    person.in_match()
    resign(person)
    resign(other)


def test_a_bot_is_played_to_the_end_and_plays_again_after_a_reload(open_window: OpenWindow, house: House) -> None:
    house.offer(level_3=1)
    person = open_window(locale="en-US")
    person.challenge_bot(GAME, seat=1, size=3)
    person.in_match()
    play_to_the_end((person,))
    expect(person.status).to_have_text(re.compile("^You (won|lost)$"))
    expect(person.page.locator(".explanation")).to_contain_text("no cell left to step to.")
    tips = person.page.get_by_role("region", name="Tips")
    expect(tips.locator("h2")).not_to_be_empty()
    shown = tips.locator("h2").inner_text()
    tips.get_by_role("button", name="Another tip").click()
    expect(tips.locator("h2")).not_to_have_text(shown)
    expect(tips.get_by_role("link", name="Try it")).to_have_attribute("href", re.compile(r"^#/learn/\w+/\d$"))
    # There are tips in place of a chat.
    expect(person.page.locator(".chat")).to_have_count(0)
    person.page.reload()
    person.page.wait_for_selector(".match.over")
    before = person.page.url
    person.does("rematch").click()
    person.page.wait_for_url(lambda url: url != before)
    person.page.wait_for_selector(".match:not(.over) .board")
    resign(person)


def test_a_bot_that_is_full_says_so_and_another_is_offered(open_window: OpenWindow, house: House) -> None:
    house.offer(level_3=1, level_2=1)
    person, other = open_window(), open_window()
    click_play(person, "level-3")
    person.in_match()
    resign(person)
    click_play(other, "level-3")
    other.in_match()
    person.does("rematch").click()
    offer = person.page.locator(".rematch")
    expect(offer).to_contain_text("Level-3 plays as many games as it takes. level-2 is free.")
    before = person.page.url
    offer.get_by_role("button", name="Play level-2").click()
    person.page.wait_for_url(lambda url: url != before)
    person.page.wait_for_selector(".match:not(.over) .board")
    resign(person)
    resign(other)


def test_an_offer_of_a_rematch_is_withdrawn_and_declined_and_both_see_it(open_window: OpenWindow) -> None:
    first, second = pair(open_window, GAME, size=4)
    resign(first)
    first.does("rematch").click()
    expect(first.page.locator(".rematch")).to_contain_text("to answer.")
    expect(second.page.locator(".rematch")).to_contain_text("wants a rematch")
    first.does("decline_rematch").click()
    expect(second.page.locator(".rematch")).to_contain_text("does not play again.")
    expect(first.does("rematch")).to_be_visible()
    first.does("rematch").click()
    second.does("decline_rematch").click()
    expect(first.page.locator(".rematch")).to_contain_text("does not play again.")
    first.does("rematch").click()
    expect(second.page.locator(".rematch")).to_contain_text("wants a rematch")
    second.page.goto("about:blank")
    expect(first.page.locator(".rematch")).to_contain_text("is not here just now.", timeout=90_000)
