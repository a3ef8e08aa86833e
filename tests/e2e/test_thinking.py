"""Watching a search think, in a real browser, with an analyst in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.analysts import STARTING, running_analyst
from tests.e2e.servers import operators_server
from tests.e2e.window import PHONE, OpenWindow, Window, pair, play

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose only bot is an analyst."""
    with operators_server() as address, running_analyst(address, tmp_path_factory.mktemp("analyst"), "minimax", jobs=2):
        yield address


def choose(page: Page, label: str, value: str) -> None:
    page.locator(f"label:has(span:text-is('{label}')) select").select_option(value)


def thinking(window: Window, **chosen: str) -> Page:
    """Open the view from the lobby and wait for the searches; a newly started analyst needs time."""
    page = window.page
    page.get_by_role("link", name="watch a search think").click()
    page.wait_for_selector(".thinking")
    for label, value in chosen.items():
        choose(page, label.replace("_", " "), value)
    searched(page)
    return page


def searched(page: Page) -> None:
    """Wait until every search is there; the page asks until the analyst has started."""
    try:
        expect(page.locator(".pane .content[hidden]")).to_have_count(0, timeout=STARTING)
    except AssertionError as error:
        error.add_note(f"the panes say {page.locator('.pane .state').all_inner_texts()}")
        raise


def step_to(page: Page, words: str) -> None:
    """Step on until the search explains itself with these words."""
    on = """(button, words) => {
        const explained = document.querySelector(".explained");
        for (let step = 0; step < 1500 && !explained.textContent.includes(words); step += 1) button.click();
    }"""
    page.get_by_role("button", name="One step on").evaluate(on, words)


def count(pane: Locator, name: str) -> int:
    return int(pane.locator(f"[data-count={name}] dd").inner_text().replace(",", ""))


def figures(pane: Locator) -> tuple[int, int]:
    """The positions and the pruned moves in the bot's report."""
    text = pane.locator(".state").inner_text().replace(",", "")
    cut = re.search(r"(\d+) moves? cut off", text)
    return int(text.split(" ")[0]), int(cut.group(1)) if cut else 0


def test_a_search_is_stepped_through_forward_and_back(open_window: OpenWindow) -> None:
    page = thinking(open_window(), Board="3", Search="alphabeta", Depth="2")
    pane = page.locator(".pane")
    progress = page.locator(".progress")
    expect(progress).to_have_text(re.compile(r"Step 0 of \d+"))
    expect(pane.locator(".node:not(.later)")).to_have_count(0)
    page.get_by_role("button", name="One step on").click()
    expect(pane.locator(".explained")).to_contain_text("The root: player 1 is to move.")
    page.get_by_role("button", name="One step on").click()
    expect(pane.locator(".explained")).to_have_text(re.compile("^Look at a1, with the window from .∞ to ∞.$"))
    expect(pane.locator(".node.current .move")).to_have_text("a1")
    expect(pane.locator(".reached span")).to_have_text("a1")
    expect(pane.locator(".pieces .piece")).to_have_count(1)
    assert count(pane, "nodes") == 1
    page.get_by_role("button", name="One step back").click()
    expect(pane.locator(".pieces .piece")).to_have_count(0)
    assert count(pane, "nodes") == 0
    page.get_by_role("button", name="To the end").click()
    expect(pane.locator(".explained")).to_contain_text("The search is done.")
    assert (count(pane, "nodes"), count(pane, "pruned")) == figures(pane)
    assert count(pane, "pruned") > 0
    # The first cut-off says why, and what was left out is not in the tree.
    node = pane.locator(".node:has(.pruned)").first
    node.click()
    slider = page.get_by_label("Step of the search")
    step_to(page, "Alpha cut-off")
    expect(pane.locator(".explained")).to_contain_text("MAX avoids this position")
    expect(pane.locator(".window")).to_have_class(re.compile("closed"))
    slider.fill("0")
    expect(progress).to_have_text(re.compile(r"Step 0 of"))


def test_two_searches_stand_side_by_side(open_window: OpenWindow) -> None:
    page = thinking(open_window(), Board="1", Search="alphabeta", Beside_it="minimax", Depth="5")
    panes = page.locator(".pane")
    expect(panes).to_have_count(2)
    page.get_by_role("button", name="To the end").click()
    for pane in panes.all():
        expect(pane.locator(".explained")).to_contain_text("The search is done.")
        assert (count(pane, "nodes"), count(pane, "pruned")) == figures(pane)
    fewer, all_ = (figures(pane)[0] for pane in panes.all())
    assert fewer < all_
    expect(page.locator(".comparison")).to_contain_text(f"Alpha-beta: {fewer} positions; Minimax: {all_} positions.")
    values = [pane.locator(".node").first.locator(".value").text_content() for pane in panes.all()]
    assert values[0] == values[1], "both find the same value"
    # In steps the shorter one waits at its end; in shares both are in the middle.
    middle = int(page.get_by_label("Step of the search").get_attribute("max") or 0) // 2
    choose(page, "Pace", "shares")
    page.get_by_label("Step of the search").fill(str(middle))
    for pane in panes.all():
        expect(pane.locator(".explained")).not_to_contain_text("The search is done.")


@pytest.mark.parametrize(
    ("board", "search", "words"),
    [
        ("6", "maxn", "Player"),
        ("5", "expectiminimax", "probability is 1/3"),
        ("8", "mcts", "Playout: a random game"),
        ("7", "deepening", "A new iteration looks"),
    ],
)
def test_every_kind_of_search_is_shown_with_its_own_steps(
    open_window: OpenWindow, board: str, search: str, words: str
) -> None:
    page = thinking(open_window(), Board=board, Search=search)
    pane = page.locator(".pane")
    step_to(page, words)
    expect(pane.locator(".explained")).to_contain_text(words)
    page.get_by_role("button", name="To the end").click()
    if search != "mcts":
        assert (count(pane, "nodes"), count(pane, "pruned")) == figures(pane)
    else:
        assert count(pane, "playouts") == 20


def test_the_keyboard_alone_is_enough(open_window: OpenWindow) -> None:
    page = thinking(open_window(), Board="0", Search="minimax")
    progress = page.locator(".progress")
    page.locator("#view").focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        page.keyboard.press(key)
        expect(progress).to_have_text(re.compile(rf"Step {step} of"))
    page.keyboard.press("End")
    expect(page.locator(".explained")).to_contain_text("The search is done.")
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(progress).not_to_have_text(re.compile(r"Step 0 of"))
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_of_a_long_search_the_beginning_is_shown(open_window: OpenWindow) -> None:
    page = thinking(open_window(), Board="4", Search="minimax", Depth="3")
    pane = page.locator(".pane")
    expect(pane.locator(".state")).to_contain_text(re.compile(r"Its first 1,499 steps are shown\."))
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".progress")).to_have_text("Step 1,499 of 1,499")
    assert count(pane, "nodes") < figures(pane)[0]


def test_a_finished_game_leads_to_a_search_of_its_end(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=4)
    play((first, second), "b4 c1 c4 b1 c3 b2")
    second.resign()
    first.page.wait_for_selector(".match.over")
    first.page.get_by_role("link", name="Watch a search think").click()
    first.page.wait_for_selector(".thinking")
    searched(first.page)
    expect(first.page.locator(".choices select").first.locator("option:checked")).to_have_text(
        re.compile("^TrapGrid 4 . 4, after 2 moves$")
    )
    expect(first.page.locator(".pane .blocked")).to_have_count(2)


def test_a_search_that_is_asked_for_twice_at_once_arrives(open_window: OpenWindow) -> None:
    page = thinking(open_window(), Board="0")
    # Both changes come before the server has answered the first, which is withdrawn.
    page.evaluate(
        """() => {
            const [board, , beside] = document.querySelectorAll(".choices select");
            for (const [select, value] of [[board, "1"], [beside, "minimax"]]) {
                select.value = value;
                select.dispatchEvent(new Event("change"));
            }
        }"""
    )
    expect(page.locator(".pane")).to_have_count(2)
    searched(page)
    choose(page, "Beside it", "alphabeta")
    searched(page)
    expect(page.locator(".pane h2")).to_have_text(["Alpha-beta", "Alpha-beta"])


def test_a_search_that_failed_is_asked_for_again(open_window: OpenWindow) -> None:
    window = open_window(cuttable=True)
    failures = ["The first bot could not study this: it took too long", "Nor could the second"]

    def fail(message: dict[str, Any]) -> dict[str, Any]:
        if message["type"] == "traced" and message["final"] and failures:
            return message | {"report": None, "lines": [], "positions": [], "error": failures.pop(0)}
        return message

    window.alters = fail
    page = thinking(window, Board="1")
    assert not failures
    expect(page.get_by_role("button", name="Try again")).to_be_hidden()


def test_axe_finds_nothing_and_nothing_sticks_out(open_window: OpenWindow, axe: str) -> None:
    window = open_window(size=PHONE)
    page = thinking(window, Board="1", Beside_it="minimax")
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".explained").first).to_contain_text("The search is done.")
    page.locator(".legend summary").click()
    for width in (1200, PHONE[0]):
        page.set_viewport_size({"width": width, "height": 740})
        assert window.violations(axe) == [], width
        assert not window.is_too_wide(), width
