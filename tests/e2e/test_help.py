"""A game with help against a bot: hints, what a move gave away, and takebacks. The analyst says what the tests need."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView
from cornered.protocol.values import Accepts
from tests.e2e.analysts import LINES, Oracle
from tests.e2e.club import running_club
from tests.e2e.servers import OPERATORS_KEY
from tests.e2e.window import DESK, PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser

GAME = "TrapGrid"


async def first_move(match: MatchView, limit: Limit) -> str:
    return match.state.moves()[0]


@pytest.fixture(scope="module")
def oracle(address: str) -> Iterator[Oracle]:
    """An analyst, beside two bots."""
    with (
        Oracle.answering(address, "trapgrid") as oracle,
        running_club(address) as club,
        contextlib.ExitStack() as stack,
    ):
        for name in ("level-3", "level-7"):
            client = club.enter(Client.connect(club.address, name=name, kind="bot", key=OPERATORS_KEY))
            bot = BotPlayer(client, first_move, accepts=[Accepts(game="trapgrid")], concurrency=99)
            club.do(bot.declare())
            stack.enter_context(club.doing(bot.run()))
        yield oracle


@pytest.fixture(autouse=True)
def _studies(oracle: Oracle) -> None:
    oracle.study("trapgrid")


def tick(window: Window) -> Locator:
    return window.page.get_by_label("With help")


def begin(window: Window, bot: str = "level-3", size: int = 5) -> None:
    """Start a game of TrapGrid against a bot, with the help that the dialog proposes."""
    window.page.get_by_label(f"Choose bot, board and clock for {GAME}").click()
    dialog = window.page.locator("dialog")
    dialog.locator("label", has_text=re.compile(rf"^Level {bot[-1]}\D*$")).locator("input").check(force=True)
    dialog.locator(f"input[name='option:size'][value='{size}']").check(force=True)
    dialog.locator("input[name=seat][value='0']").check(force=True)
    dialog.get_by_role("button", name="Start", exact=True).click()
    window.in_match()
    window.await_turn()


def coach(window: Window) -> Locator:
    return window.page.locator(".coach")


def say(window: Window, name: str) -> None:
    """Press a button of the coach."""
    coach(window).get_by_role("button", name=name).click()


def marks(window: Window, kind: str) -> Locator:
    return window.page.locator(f".advice.{kind}")


def hint(window: Window) -> Locator:
    return window.page.get_by_role("button", name="Hint", exact=True)


def blunder(window: Window) -> str:
    """Make a move that is not the best, which the bot answers, and return it."""
    move = min(window.targets())
    window.make(move)
    expect(window.page.locator(".movelist .move")).to_have_count(2)
    window.await_turn()
    return move


def test_a_hint_says_what_to_think_about_and_then_the_move(open_window: OpenWindow, oracle: Oracle) -> None:
    person = open_window()
    begin(person)
    expect(person.page.locator(".info")).to_contain_text("with help, not rated")
    expect(coach(person)).to_be_hidden()
    hint(person).click()
    expect(coach(person)).to_contain_text("You stand to win 73% of such games. The best move is one of those marked.")
    expect(marks(person, "good")).to_have_count(LINES)
    expect(marks(person, "best")).to_have_count(0)
    # The key does as the button does.
    person.page.keyboard.press("t")
    expect(marks(person, "best")).to_have_count(1)
    expect(marks(person, "good")).to_have_count(0)
    words = r"(\w\d) wins 73% of such games\. The next best, \w\d, wins 62% of such games\."
    expect(coach(person)).to_have_text(re.compile(words))
    best = re.match(words, coach(person).inner_text())
    assert best is not None
    person.make(best[1])
    person.await_turn()
    # The best move gave nothing away, and the marks are gone.
    hint(person).click()
    expect(marks(person, "good")).to_have_count(LINES)
    expect(coach(person)).not_to_contain_text("went from")


def test_a_blunder_is_told_explained_and_taken_back_as_are_more_moves(open_window: OpenWindow, oracle: Oracle) -> None:
    person = open_window(size=PHONE, dark=True)
    begin(person)
    for _ in range(2):
        move = blunder(person)
        expect(coach(person)).to_contain_text(f"Your {move} went from 73% to 12%.")
        say(person, "Why?")
        expect(person.status).to_contain_text(f": {move}")
        expect(coach(person)).to_contain_text(re.compile(rf"After {move}, \w\d by level-3 wins 88% of such games\."))
        expect(marks(person, "best")).to_have_count(1)
        line = coach(person).get_by_role("group", name="How it goes on").get_by_role("button")
        reply = line.first.inner_text()
        line.first.click()
        expect(person.status).to_have_text(f"After {reply}")
        expect(person.page.locator(".boardbox.preview")).to_be_visible()
        say(person, "What was better?")
        expect(person.page.locator(".boardbox.preview")).to_have_count(0)
        expect(coach(person)).to_contain_text(re.compile(rf"In place of {move}, \w\d wins 73% of such games\."))
        expect(marks(person, "best")).to_have_count(1)
        expect(marks(person, "played")).to_have_count(1)
        say(person, "Take it back")
        # No question is asked, and no answer awaited.
        person.await_turn()
        expect(person.page.locator(".movelist .move")).to_have_count(0)
        expect(coach(person)).to_be_hidden()
        expect(person.page.locator(".advice")).to_have_count(0)
    # Moves are taken back one after the other.
    for _ in range(2):
        count = person.page.locator(".movelist .move").count()
        person.make(min(person.targets()))
        expect(person.page.locator(".movelist .move")).to_have_count(count + 2)
        person.await_turn()
    for left in (2, 0):
        person.does("request_takeback").click()
        expect(person.page.locator(".movelist .move")).to_have_count(left)
        person.await_turn()
    expect(person.does("request_takeback")).to_have_count(0)


def test_without_an_analyst_the_hint_says_so(open_window: OpenWindow, oracle: Oracle) -> None:
    oracle.study()
    person = open_window()
    # The analyses of a board that other tests play on may be known.
    begin(person, size=6)
    person.make(min(person.targets()))
    expect(person.page.locator(".movelist .move")).to_have_count(2)
    person.await_turn()
    hint(person).click()
    expect(coach(person)).to_contain_text("No bot that is here studies this game")
    oracle.study("trapgrid")
    hint(person).click()
    expect(marks(person, "good")).to_have_count(LINES)


def test_help_is_proposed_with_easy_bots_and_remembered(open_window: OpenWindow, oracle: Oracle) -> None:
    # A player of its own: a live game without help would keep those of other tests from hints.
    person = open_window(size=DESK)
    choose = person.page.get_by_label(f"Choose bot, board and clock for {GAME}")
    choose.click()
    expect(tick(person)).to_be_checked()
    level = person.page.locator("dialog label", has_text=re.compile(r"^Level 7\D*$")).locator("input")
    level.check(force=True)
    expect(tick(person)).not_to_be_checked()
    person.page.keyboard.press("Escape")
    begin(person, "level-7")
    expect(hint(person)).to_have_count(0)
    expect(person.page.locator(".info")).not_to_contain_text("with help")
    person.page.keyboard.press("t")
    expect(coach(person)).to_have_count(0)
    person.to_lobby()
    choose.click()
    expect(tick(person)).not_to_be_checked()
    tick(person).check()
    begin_again = person.page.locator("dialog").get_by_role("button", name="Start", exact=True)
    begin_again.click()
    person.in_match()
    person.to_lobby()
    choose.click()
    expect(tick(person)).to_be_checked()


def test_axe_finds_nothing_and_a_watcher_sees_that_there_is_help_and_gets_none(
    open_window: OpenWindow, oracle: Oracle, axe: str
) -> None:
    person, watcher = open_window(), open_window()
    begin(person)
    watcher.watch(person)
    expect(watcher.page.locator(".info")).to_contain_text("with help, not rated")
    expect(hint(watcher)).to_have_count(0)
    expect(coach(watcher)).to_have_count(0)
    hint(person).click()
    expect(marks(person, "good")).to_have_count(LINES)
    assert person.violations(axe) == []
    hint(person).click()
    expect(marks(person, "best")).to_have_count(1)
    assert person.violations(axe) == []
    blunder(person)
    say(person, "Why?")
    expect(marks(person, "best")).to_have_count(1)
    assert person.violations(axe) == []
