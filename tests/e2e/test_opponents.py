"""Which bot one click leads to, and how a rematch begins or why it does not."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, TimeoutError, expect

from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView
from cornered.protocol.values import Accepts
from tests.e2e.servers import OPERATORS_KEY, operators_server
from tests.e2e.window import Window, begin

pytestmark = pytest.mark.browser

OpenWindow = Callable[..., Window]
GAME = "TrapGrid"
BOTS = ("champion", *(f"level-{level}" for level in range(1, 11)))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server on which only bots with the operator's key bear the names of house bots."""
    with operators_server() as address:
        yield address


async def any_move(match: MatchView, limit: Limit) -> str:
    return random.choice(match.state.moves())


class House:
    """Bots that play at random, in a thread of their own; `offer` says which of them play, and how many games."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._done = asyncio.Event()
        self._clients: dict[str, Client] = {}
        self._came = asyncio.Semaphore(0)
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    def __enter__(self) -> House:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join()
        self._loop.close()

    def offer(self, **takes: int) -> None:
        asyncio.run_coroutine_threadsafe(self._offer(takes), self._loop).result(60)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            playing = [tasks.create_task(self._play(name)) for name in BOTS]
            await self._done.wait()
            for task in playing:
                task.cancel()

    async def _play(self, name: str) -> None:
        async with Client.connect(self._address, name=name, kind="bot", key=OPERATORS_KEY) as client:
            self._clients[name] = client
            self._came.release()
            # The server decides how many games a bot plays, by its newest declaration.
            await BotPlayer(client, any_move, accepts=(), concurrency=99).run()

    async def _offer(self, takes: dict[str, int]) -> None:
        while len(self._clients) < len(BOTS):
            await self._came.acquire()
        for name, client in self._clients.items():
            games = takes.get(name.replace("-", "_"), 0)
            await client.declare([Accepts(game="trapgrid")] if games else [], max(1, games))


@pytest.fixture(scope="module")
def house(address: str) -> Iterator[House]:
    with House(address) as house:
        yield house


def opponent_button(window: Window) -> Locator:
    return window.page.locator(".tile-card", has_text=GAME).locator("button.opponent")


def click_play(window: Window, bot: str) -> None:
    expect(opponent_button(window)).to_contain_text(f"Play {bot}")
    opponent_button(window).click()


RESIGNATIONS = 20
"""Attempts to end a match before its test fails."""


def resign(window: Window) -> None:
    """End the match by whichever button is there; a move of the bot in between replaces it."""
    for _ in range(RESIGNATIONS):
        if window.is_over():
            break
        with contextlib.suppress(TimeoutError):
            end = window.page.locator("[data-does=abort], [data-does=resign]").first
            end.click(timeout=1_000)
            end.click(timeout=1_000)
            window.page.wait_for_selector(".match.over", timeout=2_000)
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


def test_a_bot_plays_again_after_a_reload(open_window: OpenWindow, house: House) -> None:
    house.offer(level_3=1)
    person = open_window()
    click_play(person, "level-3")
    person.in_match()
    resign(person)
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
    first, second = open_window(), open_window()
    begin(first, second, GAME, size=4)
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


def test_beside_a_bot_there_are_tips_in_place_of_a_chat(open_window: OpenWindow, house: House) -> None:
    house.offer(level_3=1)
    person = open_window()
    click_play(person, "level-3")
    person.in_match()
    tips = person.page.get_by_role("region", name="Tips")
    expect(tips.locator("h2")).not_to_be_empty()
    first = tips.locator("h2").inner_text()
    tips.get_by_role("button", name="Another tip").click()
    expect(tips.locator("h2")).not_to_have_text(first)
    expect(tips.get_by_role("link", name="Try it")).to_have_attribute("href", re.compile(r"^#/learn/\w+/\d$"))
    expect(person.page.locator(".chat")).to_have_count(0)
    resign(person)
