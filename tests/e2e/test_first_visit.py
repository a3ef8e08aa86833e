"""A whole first visit by mouse, by touch and by keyboard alone: games won and lost, the analysis, a puzzle, a lesson, a
search that is watched; the accessibility checker finds nothing on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.analysts import STARTING, running_analyst
from tests.e2e.servers import operators_server
from tests.e2e.test_learn import open_view, puzzles, solve, walk
from tests.e2e.window import DESK, PHONE, Window, begin

pytestmark = [pytest.mark.browser, pytest.mark.campaign]

OpenWindow = Callable[..., Window]
SMALL: dict[str, dict[str, int]] = {
    "TrapGrid": {"size": 4},
    "Isolation": {"width": 4, "height": 4},
    "Bamboo": {"radius": 2},
    "Quoridor": {"size": 3},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose only bot is an analyst."""
    with operators_server() as address, running_analyst(address, tmp_path_factory.mktemp("analyst"), "minimax", jobs=2):
        yield address


class Visitor:
    """A window in which everything is done in one way: by `mouse`, by `touch` or by `keyboard`."""

    def __init__(self, window: Window, how: str, axe: str) -> None:
        self.window = window
        self.page = window.page
        self._how = how
        self._axe = axe

    def press(self, locator: Locator) -> None:
        if self._how == "keyboard":
            locator.focus()
            self.page.keyboard.press("Enter")
        elif self._how == "touch":
            locator.tap()
        else:
            locator.click()

    def make(self, move: str) -> None:
        if self._how == "keyboard":
            self.page.keyboard.type(move)
            self.page.keyboard.press("Enter")
        elif self._how == "touch":
            self.page.touchscreen.tap(*self.window.middle(move))
        else:
            self.window.click(move)

    def point(self, cell: str) -> None:
        """Make a move on a square board, by keyboard with the focus ring."""
        if self._how == "keyboard":
            walk(self.window, cell)
        else:
            self.make(cell)

    def check(self) -> None:
        """The accessibility checker finds nothing here."""
        assert self.window.violations(self._axe) == []


def play_both_ways(visitor: Visitor, other: Window, game: str) -> None:
    """Win a game, and lose its rematch."""
    window = visitor.window
    begin(window, other, game, **SMALL[game])
    window.await_turn()
    visitor.make(window.targets()[0])
    other.await_turn()
    other.make(other.targets()[0])
    for _ in range(2):
        other.does("resign").click()
    expect(window.status).to_have_text("You won")
    visitor.check()
    first = window.page.url
    visitor.press(window.does("rematch"))
    other.does("rematch").click()
    for each in (window, other):
        each.page.wait_for_url(lambda url: url != first)
    other.await_turn()
    other.make(other.targets()[0])
    window.await_turn()
    # Before both have moved a match is called off instead.
    visitor.make(window.targets()[0])
    for _ in range(2):
        visitor.press(window.does("resign"))
    expect(window.status).to_have_text("You lost")
    visitor.check()


@pytest.mark.parametrize(("how", "dark"), [("mouse", False), ("touch", True), ("keyboard", False)])
def test_a_first_visit_from_the_lobby_to_a_search_that_thinks(
    how: str, dark: bool, open_window: OpenWindow, axe: str
) -> None:
    window = open_window(size=PHONE if how == "touch" else DESK, dark=dark, knows_rules=False)
    other = open_window()
    visitor = Visitor(window, how, axe)
    page = window.page
    visitor.check()
    visitor.press(page.locator(".tile-card", has_text="TrapGrid").get_by_role("button", name="Play someone"))
    rules = page.locator("dialog.rules")
    expect(rules).to_be_visible()
    visitor.check()
    visitor.press(rules.get_by_role("button", name="Skip"))
    visitor.press(page.get_by_label("Close"))
    note = """() => {
        const settings = JSON.parse(localStorage.getItem("cornered.settings") ?? "{}");
        settings.learned = { ...settings.learned, rules: ["trapgrid", "isolation", "bamboo", "quoridor"] };
        localStorage.setItem("cornered.settings", JSON.stringify(settings));
    }"""
    page.evaluate(note)
    page.reload()
    page.wait_for_selector(".lobby.ready")
    for game in SMALL:
        for each in (window, other):
            each.to_lobby()
        play_both_ways(visitor, other, game)

    # The analysis of the last game, for which the page asks until the analyst has started.
    visitor.press(page.get_by_role("button", name="Analyse"))
    expect(page.locator(".ways li").first).to_be_visible(timeout=STARTING)
    visitor.check()

    open_view(window, "#/puzzles")
    visitor.check()
    visitor.press(page.locator(".numbers a").first)
    solve(window, puzzles("trapgrid")[0], visitor.point)
    visitor.check()

    open_view(window, "#/learn")
    visitor.check()
    visitor.press(page.locator(".course a", has_text="No step, no game"))
    page.wait_for_selector(".boardbox.waits .board.mine")
    visitor.point("a2")
    page.wait_for_selector(".learn.solved")
    visitor.check()

    window.page.evaluate("location.hash = '#/think'")
    page.wait_for_selector(".pane .content:not([hidden])", timeout=STARTING)
    visitor.press(page.get_by_role("button", name="One step on"))
    expect(page.locator("output.progress")).to_contain_text("Step 1 of")
    visitor.check()
