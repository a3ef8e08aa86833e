"""A game with help against a bot: hints, what a move gave away, and takebacks. The analyst says what the tests need."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect

from cornered import engine
from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView
from cornered.protocol.analysis import Report, ScoredLine
from cornered.protocol.messages import Analyse
from cornered.protocol.values import Accepts
from tests.e2e.servers import OPERATORS_KEY, running_server
from tests.e2e.window import DESK, PHONE, Window

pytestmark = pytest.mark.browser

OpenWindow = Callable[..., Window]
GAME = "TrapGrid"
SCALE = 2.0
LINES = 2
"""From the corner there are no more moves."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server without bots of its own."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CORNERED_ANALYST_KEY", OPERATORS_KEY)
        with running_server("--no-bots") as address:
            yield address


async def first_move(match: MatchView, limit: Limit) -> str:
    return match.state.moves()[0]


class House:
    """Two bots and an analyst, in a thread of their own.

    To the analyst the last legal move is best; with it the first player stands at 73% (a score of 2), and after any
    other at 12% (a score of 4 for the second).
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._done = asyncio.Event()
        self._ready = threading.Event()
        self._analyst: Client | None = None
        self._good: set[str] = set()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    def __enter__(self) -> House:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join()
        self._loop.close()

    def study(self, *, jobs: int) -> None:
        """Let the analyst take so many questions at once, from none on."""
        asyncio.run_coroutine_threadsafe(self._offer(jobs), self._loop).result(60)

    async def _offer(self, jobs: int) -> None:
        assert self._analyst is not None
        await self._analyst.jobs.offer(["trapgrid"] if jobs else [], jobs, "oracle", key=OPERATORS_KEY)

    async def _run(self) -> None:
        async with Client.connect(self._address, name="oracle", kind="bot", key=OPERATORS_KEY) as analyst:
            self._analyst = analyst
            await self._offer(1)
            async with asyncio.TaskGroup() as tasks:
                declared = [asyncio.Event() for _ in range(2)]
                playing = [
                    tasks.create_task(self._play(name, event))
                    for name, event in zip(("level-3", "level-7"), declared, strict=True)
                ]
                playing.append(tasks.create_task(self._answer(analyst)))
                for event in declared:
                    await event.wait()
                self._ready.set()
                await self._done.wait()
                for task in playing:
                    task.cancel()

    async def _play(self, name: str, declared: asyncio.Event) -> None:
        async with Client.connect(self._address, name=name, kind="bot", key=OPERATORS_KEY) as client:
            player = BotPlayer(client, first_move, accepts=[Accepts(game="trapgrid")], concurrency=99)
            await player.declare()
            declared.set()
            await player.run()

    async def _answer(self, analyst: Client) -> None:
        async for job in analyst.jobs:
            assert isinstance(job, Analyse)
            await analyst.jobs.tell(job.job, report=self._report(job), final=True)

    def _report(self, job: Analyse) -> Report:
        state = engine.load(job.game.name, **job.game.options).parse(job.position)
        moves = state.moves()[::-1][:LINES]
        if state.to_move == 0:
            self._good.add(str(state.play(moves[0])))
        score = 2.0 if state.to_move == 0 else -2.0 if job.position in self._good else 4.0
        scores = [score - rank for rank in range(len(moves))]
        return Report(
            score=score,
            proven=None,
            plies=None,
            depth=3,
            deepest=3,
            nodes=100,
            pruned=0,
            efficiency=0.0,
            speed=0.0,
            hits=0,
            seconds=0.0,
            lines=tuple(ScoredLine(move=m, score=s, pv=(m,)) for m, s in zip(moves, scores, strict=True)),
            scale=SCALE,
        )


@pytest.fixture(scope="module")
def house(address: str) -> Iterator[House]:
    with House(address) as house:
        yield house


@pytest.fixture(autouse=True)
def _studies(house: House) -> None:
    house.study(jobs=1)


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


def test_a_hint_says_what_to_think_about_and_then_the_move(open_window: OpenWindow, house: House) -> None:
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


def test_a_blunder_is_told_explained_and_taken_back(open_window: OpenWindow, house: House) -> None:
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


def test_moves_are_taken_back_one_after_the_other(open_window: OpenWindow, house: House) -> None:
    person = open_window()
    begin(person)
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


def test_without_an_analyst_the_hint_says_so(open_window: OpenWindow, house: House) -> None:
    house.study(jobs=0)
    person = open_window()
    # The analyses of a board that other tests play on may be known.
    begin(person, size=6)
    person.make(min(person.targets()))
    expect(person.page.locator(".movelist .move")).to_have_count(2)
    person.await_turn()
    hint(person).click()
    expect(coach(person)).to_contain_text("No bot that is here studies this game")
    house.study(jobs=1)
    hint(person).click()
    expect(marks(person, "good")).to_have_count(LINES)


def test_help_is_proposed_with_easy_bots_and_remembered(open_window: OpenWindow, house: House) -> None:
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


def test_a_watcher_sees_that_there_is_help_and_gets_none(open_window: OpenWindow, house: House) -> None:
    person, watcher = open_window(), open_window()
    begin(person)
    watcher.watch(person)
    expect(watcher.page.locator(".info")).to_contain_text("with help, not rated")
    expect(hint(watcher)).to_have_count(0)
    expect(coach(watcher)).to_have_count(0)


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(dark: bool, open_window: OpenWindow, house: House, axe: str) -> None:
    person = open_window(dark=dark)
    begin(person)
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
