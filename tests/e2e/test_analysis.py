"""Analysis of a game in a real browser, by a bot in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from cornered.cli.house_process import ANALYST_KEY
from cornered.cli.screenshots import running_server
from tests.e2e.window import PHONE, Window, begin

pytestmark = pytest.mark.browser

OpenWindow = Callable[..., Window]
STARTING = 180_000
"""Milliseconds until an analyst has compiled and found a first result."""
PROGRAM = """
import asyncio, os, pathlib, sys
from cornered.bots.online.analyst import run_analyst
from cornered.clients.sdk import TokenStore
key = os.environ["CORNERED_ANALYST_KEY"]
asyncio.run(run_analyst(sys.argv[1], bot="champion", key=key, store=TokenStore(pathlib.Path(sys.argv[2]))))
"""
ASK = """async ([match, ply]) => {
    const { page } = await import("./main.js");
    return page.link.ask({ type: "ask_analysis", match, ply }).then(() => "asked", (error) => error.code);
}"""


class Analyst:
    """A process that can be killed and restarted."""

    def __init__(self, address: str, tokens: Path) -> None:
        self._command = [sys.executable, "-c", PROGRAM, address.replace("http", "ws", 1), str(tokens)]
        self.process = subprocess.Popen(self._command)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server without bots, with the analysts' key in its environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ANALYST_KEY, "the-key-of-the-operator")
        with running_server("--no-bots") as address:
            yield address


@pytest.fixture(scope="module")
def analyst(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    analyst = Analyst(address, tmp_path_factory.mktemp("analyst") / "tokens")
    yield analyst
    analyst.process.terminate()
    try:
        analyst.process.wait(60)
    finally:
        analyst.process.kill()


def finished(open_window: OpenWindow, **how: object) -> tuple[Window, Window]:
    """Return two players of a game of TrapGrid on 5x5 that one has resigned after six moves."""
    first, second = open_window(**how), open_window()
    begin(first, second, "TrapGrid", size=5)
    for name, window in zip(("b5", "d1", "c5", "c1", "c4", "c2"), (first, second) * 3, strict=True):
        window.await_turn()
        window.page.keyboard.type(name)
        window.page.keyboard.press("Enter")
    first.await_turn()
    for _ in range(2):
        second.does("resign").click()
    first.page.wait_for_selector(".match.over")
    second.page.wait_for_selector(".match.over")
    return first, second


def lines(window: Window) -> Locator:
    return window.page.locator(".ways li")


def study(window: Window) -> None:
    """Open the analysis; a newly started analyst needs time to compile."""
    for _ in range(STARTING // 1000):
        window.page.get_by_role("button", name="Analyse").click()
        window.page.wait_for_timeout(1000)
        if not window.page.locator(".study", has_text="No bot that is here").count():
            break
        window.page.get_by_role("button", name="Close the analysis").click()
    expect(lines(window).first).to_be_visible(timeout=STARTING)


def test_a_finished_game_is_studied(open_window: OpenWindow, analyst: Analyst) -> None:
    first, second = finished(open_window)
    names = [window.page.locator(".me").inner_text() for window in (first, second)]
    study(first)
    page, panel = first.page, first.page.locator(".study")
    bar = page.locator(".evaluation")
    expect(panel.locator(".verdict")).to_contain_text(re.compile(rf"({'|'.join(names)}) wins"))
    expect(panel.locator(".verdict")).to_contain_text("proven, says champion")
    expect(bar).to_have_attribute("aria-label", re.compile(r"^Evaluation: .* wins"))
    shares = bar.locator("i").evaluate_all("parts => parts.map(part => part.getBoundingClientRect().height)")
    assert min(shares) <= 2 < max(shares)
    expect(lines(first)).to_have_count(3)
    figures = panel.locator(".figures")
    for words in ("Depth", "Positions", "A second", "Pruned", "Table hits", "Time", "champion"):
        expect(figures).to_contain_text(words)

    before = first.board
    line = lines(first).first.locator("button")
    line.press("Enter")
    move = line.locator("[data-step]").first.inner_text()
    expect(first.status).to_have_text(f"After {move}")
    expect(page.locator(".boardbox.preview")).to_be_visible()
    assert first.board != before
    page.keyboard.press("Escape")
    expect(first.status).not_to_contain_text("After")
    assert first.board == before

    chooser = page.get_by_label("On the board")
    expect(chooser).to_be_visible()
    chooser.select_option("Territory")
    expect(page.locator(".overlay .hatch").first).to_be_visible()
    expect(panel).to_contain_text("Cells that only one pawn can still reach")
    assert page.locator("[aria-label*='Territory: ']").count() == page.locator(".overlay > g").count() > 0
    chooser.select_option("Danger")
    expect(page.locator(".overlay.heat > g").first).to_be_visible()
    chooser.select_option("nothing")
    expect(page.locator(".overlay > g")).to_have_count(0)

    panel.get_by_text("Game tree").click()
    branch = panel.locator(".tree summary.best").first
    expect(branch).to_be_visible()
    below = branch.locator("xpath=../ul")
    expect(below).to_be_visible()
    branch.press("Enter")
    expect(below).to_be_hidden()
    expect(first.status).to_have_text(f"After {branch.locator('strong').inner_text()}")

    page.keyboard.press("<")
    expect(first.status).to_have_text("Move 5 of 6")
    expect(panel).to_contain_text("c2 was played", timeout=STARTING)
    page.keyboard.press(">")
    expect(first.status).to_have_text("You won")
    page.keyboard.press("a")
    expect(panel).to_be_hidden()
    expect(bar).to_be_hidden()
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_who_plays_gets_no_help_and_who_watches_may_ask(open_window: OpenWindow, analyst: Analyst) -> None:
    first, second, third = open_window(), open_window(), open_window()
    begin(first, second, "TrapGrid", size=4)
    match = first.page.url.rpartition("/")[2]
    first.await_turn()
    assert first.page.evaluate(ASK, [match, 0]) == "not_now"
    assert not first.page.get_by_role("button", name="Analyse").count()
    second.page.keyboard.press("a")
    expect(second.page.locator(".explanation")).to_contain_text("no help while you play")
    expect(second.page.locator(".study")).to_be_hidden()
    third.watch(first)
    study(third)
    first.make("b4")
    expect(third.page.locator(".study")).to_contain_text("champion", timeout=STARTING)
    expect(lines(third).first).to_be_visible(timeout=STARTING)


def test_on_a_phone_the_analysis_is_below_the_board(open_window: OpenWindow, analyst: Analyst) -> None:
    first, _ = finished(open_window, size=PHONE)
    study(first)
    page = first.page
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    boxes = [page.locator(selector).bounding_box() for selector in (".board", ".evaluation", ".steps", ".study")]
    tops = [box["y"] for box in boxes if box is not None]
    assert len(tops) == 4
    assert tops == sorted(tops)
    bar = boxes[1]
    assert bar is not None
    assert bar["width"] > 10 * bar["height"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_serious(dark: bool, open_window: OpenWindow, analyst: Analyst, axe: str) -> None:
    first, _ = finished(open_window, dark=dark)
    study(first)
    first.page.locator(".study").get_by_text("Game tree").click()
    first.page.get_by_label("On the board").select_option("Territory")
    first.page.evaluate(axe)
    found = first.page.evaluate("axe.run()")
    assert [
        f"{each['id']}: {node['html'][:150]} {node['failureSummary']}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ] == []


def test_the_job_of_an_analyst_that_dies_is_done_by_the_next(open_window: OpenWindow, analyst: Analyst) -> None:
    first, second = open_window(), open_window()
    begin(first, second, "Quoridor", size=7)
    first.await_turn()
    first.make("d2")
    second.await_turn()
    for _ in range(2):
        second.does("resign" if second.does("resign").count() else "abort").click()
    first.page.wait_for_selector(".match.over")
    first.page.get_by_role("button", name="Analyse").click()
    expect(first.page.locator(".study [role=status]")).to_have_text("champion looks deeper…")
    analyst.kill()
    expect(first.page.locator(".study [role=status]")).to_have_text("1 position to look at before this one.")
    analyst.start()
    expect(lines(first).first).to_be_visible(timeout=STARTING)
    expect(first.page.locator(".figures")).to_contain_text("champion")
