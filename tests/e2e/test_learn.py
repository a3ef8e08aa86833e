"""Puzzles, lessons and rules: opened, solved by mouse, touch and keyboard, and remembered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from cornered import clients
from tests.e2e.window import DESK, PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser

WEB = Path(clients.__file__).parent / "web"
GAMES = ("trapgrid", "isolation", "bamboo", "quoridor")


def puzzles(game: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((WEB / f"puzzles-{game}.json").read_text(encoding="utf-8"))["puzzles"]
    return found


def puzzle_in(game: str, n: int) -> dict[str, Any]:
    """Return the first puzzle of a game that takes so many moves, none of them a wall."""
    return next(one for one in puzzles(game) if one["n"] == n and all(len(move) == 2 for move in one["line"]))


def lessons(game: str) -> list[dict[str, Any]]:
    file = json.loads((WEB / "lessons.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = file[game]["lessons"]
    return found


def open_view(window: Window, hash_: str) -> None:
    shown = "document.querySelector('.learn')?.setAttribute('data-old', '')"
    window.page.evaluate(f"hash => {{ {shown}; location.hash = hash; }}", hash_)
    window.page.wait_for_selector(".learn:not([data-old]) h1")


def open_puzzle(window: Window, puzzle: dict[str, Any]) -> None:
    open_view(window, f"#/puzzle/{puzzle['id']}")
    await_turn(window)


def await_turn(window: Window) -> None:
    window.page.wait_for_selector(".boardbox.waits .board.mine")


def solve(window: Window, puzzle: dict[str, Any], make: Callable[[str], None]) -> None:
    for move in puzzle["line"][::2]:
        await_turn(window)
        make(move)
    expect(window.page.locator(".learn.solved .told")).to_contain_text("Solved")


def walk(window: Window, cell: str) -> None:
    """Move the focus ring of a square board to a cell, and press Enter."""
    page = window.page
    page.locator(".board [tabindex='0']").focus()
    at = page.locator(".board [tabindex='0']").get_attribute("data-cell")
    assert at is not None
    files, ranks = ord(cell[0]) - ord(at[0]), int(cell[1:]) - int(at[1:])
    for key, count in (("ArrowRight", files), ("ArrowLeft", -files), ("ArrowUp", ranks), ("ArrowDown", -ranks)):
        for _ in range(count):
            page.keyboard.press(key)
    page.keyboard.press("Enter")


def test_a_puzzle_is_solved_by_typing_moves(open_window: OpenWindow) -> None:
    window = open_window()
    puzzle = next(one for one in puzzles("quoridor") if any(len(move) == 3 for move in one["line"][::2]))
    open_puzzle(window, puzzle)

    def type_in(move: str) -> None:
        window.page.keyboard.type(move)
        window.page.keyboard.press("Enter")

    solve(window, puzzle, type_in)


def test_a_wrong_move_says_so_and_ends_the_streak(open_window: OpenWindow) -> None:
    window = open_window()
    first, second, *_ = (one for one in puzzles("isolation") if one["n"] == 1)
    for puzzle in (first, second):
        open_puzzle(window, puzzle)
        solve(window, puzzle, window.click)
    expect(window.page.locator(".words")).to_contain_text("2 puzzles in a row without a mistake")
    longer = puzzle_in("isolation", 3)
    open_puzzle(window, longer)
    before = window.board
    wrong = next(move for move in window.targets() if move != longer["line"][0])
    window.click(wrong)
    expect(window.page.locator(".told.wrong")).to_contain_text("Try again")
    assert window.board == before
    expect(window.page.locator(".words")).not_to_contain_text("in a row")
    solve(window, longer, window.click)
    open_view(window, "#/puzzles")
    expect(window.page.locator(".numbers .done")).to_have_count(3)


def test_the_solution_is_shown_and_does_not_count(open_window: OpenWindow) -> None:
    window = open_window()
    puzzle = puzzle_in("quoridor", 2)
    open_puzzle(window, puzzle)
    window.page.get_by_role("button", name="Show the solution").click()
    expect(window.page.locator(".learn.solved .told")).to_have_text("That was the solution.")
    window.page.get_by_role("button", name="Start again").click()
    await_turn(window)
    open_view(window, "#/puzzles")
    expect(window.page.locator(".numbers a").first).to_be_visible()
    expect(window.page.locator(".numbers .done")).to_have_count(0)


def test_the_puzzle_of_the_day_is_the_same_for_everybody_and_remembered(open_window: OpenWindow) -> None:
    titles = []
    for window in (open_window(), open_window(size=PHONE)):
        window.page.locator(".daily").get_by_text("Puzzle of the day").click()
        await_turn(window)
        expect(window.page.locator(".words")).to_contain_text("Puzzle of the day")
        titles.append(window.board)
    assert titles[0] == titles[1]
    game = GAMES[window.page.evaluate("Math.floor(Date.now() / 86400000)") % len(GAMES)]
    expect(window.page.locator(".drill a").first).to_contain_text(re.compile(game, re.IGNORECASE))


def test_there_is_one_answer_for_a_puzzle_that_is_gone(open_window: OpenWindow) -> None:
    window = open_window()
    open_view(window, "#/puzzle/isolation-000000")
    expect(window.page.locator(".learn")).to_contain_text("This puzzle does not exist any more.")
    open_view(window, "#/puzzle/chess-1")
    expect(window.page.locator(".learn")).to_contain_text("This puzzle does not exist any more.")


@pytest.mark.parametrize("game", GAMES)
def test_every_lesson_of_a_game_is_solved_one_after_the_other(game: str, open_window: OpenWindow) -> None:
    window = open_window()
    page = window.page
    open_view(window, f"#/learn/{game}/1")
    for number, lesson in enumerate(lessons(game), start=1):
        expect(page.locator(".learn h1")).to_have_text(lesson["title"])
        await_turn(window)
        (step,) = lesson["steps"]
        for wrong, reason in step["because"].items():
            page.keyboard.type(wrong)
            page.keyboard.press("Enter")
            expect(page.locator(".told.wrong")).to_have_text(reason)
        page.keyboard.type(next(iter(step["after"])))
        page.keyboard.press("Enter")
        expect(page.locator(".learn.solved .told.right")).to_have_text(step["right"])
        page.get_by_role("link", name="Next lesson" if number < len(lessons(game)) else "On to the puzzles").click()
    expect(page.locator(".learn h1")).to_have_text("Puzzles")
    page.get_by_role("navigation", name="Learn").get_by_role("link", name="Learn").first.click()
    expect(page.locator(".course .done")).to_have_count(len(lessons(game)))
    page.reload()
    expect(page.locator(".course .done")).to_have_count(len(lessons(game)))


def test_a_lesson_by_touch_says_why_a_cell_is_forbidden(open_window: OpenWindow) -> None:
    window = open_window(size=PHONE)
    number = next(n for n, one in enumerate(lessons("bamboo"), start=1) if one["title"] == "Joining costs groups")
    open_view(window, f"#/learn/bamboo/{number}")
    await_turn(window)
    expect(window.page.locator(".gauges")).to_contain_text("4 groups, the largest of 4")
    window.page.touchscreen.tap(*window.middle("d2"))
    expect(window.page.locator(".told.wrong")).to_contain_text("This would leave you only 3 groups")
    window.page.touchscreen.tap(*window.middle("c2"))
    window.page.wait_for_selector(".learn.solved")


def test_the_rules_are_shown_before_the_first_game_of_a_kind_and_only_then(open_window: OpenWindow) -> None:
    window = open_window(knows_rules=False)
    page = window.page
    someone = page.locator(".tile-card", has_text="Bamboo").get_by_role("button", name="Play someone")
    someone.click()
    dialog = page.locator("dialog.rules")
    for _ in range(3):
        expect(dialog.locator(".board")).to_be_visible()
        dialog.get_by_role("button", name="Next").click()
    dialog.get_by_role("button", name="Got it").click()
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()
    page.get_by_role("button", name="Rules").click()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    someone.click()
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()
    expect(dialog).to_have_count(0)


def test_the_rules_can_be_skipped_and_are_at_hand_in_a_match(open_window: OpenWindow) -> None:
    first, second = open_window(knows_rules=False), open_window()
    page = first.page
    page.locator(".tile-card", has_text="TrapGrid").get_by_role("button", name="Play someone").click()
    page.locator("dialog.rules").get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="Open the table").click()
    second.sit_down("TrapGrid")
    first.in_match()
    first.page.get_by_role("button", name="Rules").click()
    expect(page.locator("dialog.rules .caption")).to_contain_text("step to a free cell")
    # Another view, such as a match that begins, is not covered.
    page.evaluate("location.hash = '#/learn'")
    expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.parametrize("how", ["mouse", "touch", "keyboard"])
def test_a_first_visit_leads_from_the_rules_over_a_lesson_to_a_puzzle(how: str, open_window: OpenWindow) -> None:
    window = open_window(knows_rules=False, size=PHONE if how == "touch" else DESK)
    page = window.page

    def press(locator: Locator) -> None:
        if how == "keyboard":
            locator.focus()
            page.keyboard.press("Enter")
        elif how == "touch":
            locator.tap()
        else:
            locator.click()

    def make(cell: str) -> None:
        if how == "keyboard":
            walk(window, cell)
        elif how == "touch":
            page.touchscreen.tap(*window.middle(cell))
        else:
            window.click(cell)

    press(page.locator(".tile-card", has_text="TrapGrid").get_by_role("button", name="Play someone"))
    dialog = page.locator("dialog.rules")
    for name in ("Next", "Next", "Got it"):
        press(dialog.get_by_role("button", name=name))
    expect(page.get_by_role("button", name="Open the table")).to_be_visible()
    press(page.get_by_label("Close"))
    header = page.locator("#top nav")
    press(header.get_by_text("Learn"))
    press(page.locator(".course a", has_text="No step, no game"))
    await_turn(window)
    make("a2")
    page.wait_for_selector(".learn.solved")
    press(header.get_by_text("Puzzles"))
    press(page.locator(".numbers a").first)
    puzzle = puzzles("trapgrid")[0]
    solve(window, puzzle, make)
    assert not window.is_too_wide()
    if how == "keyboard":
        # The next step has the focus.
        page.keyboard.press("Enter")
    else:
        press(page.get_by_role("link", name="Next puzzle"))
    await_turn(window)
    expect(page).not_to_have_url(re.compile(puzzle["id"]))


def test_axe_finds_nothing_serious(open_window: OpenWindow, axe: str) -> None:
    window = open_window()
    page = window.page
    open_view(window, "#/puzzles")
    page.wait_for_selector(".numbers a")
    assert window.violations(axe) == []
    puzzle = puzzle_in("bamboo", 2)
    open_puzzle(window, puzzle)
    assert window.violations(axe) == []
    solve(window, puzzle, window.click)
    assert window.violations(axe) == []
    open_view(window, "#/learn")
    page.wait_for_selector(".course a")
    assert window.violations(axe) == []
    page.get_by_role("button", name="Rules of Quoridor").click()
    page.wait_for_selector("dialog.rules .board")
    assert window.violations(axe) == []
    page.keyboard.press("Escape")
    open_view(window, "#/learn/quoridor/5")
    await_turn(window)
    assert window.violations(axe) == []
