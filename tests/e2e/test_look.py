"""The look of boards: contrast, walls of their owners, goals, and the choice of material and pieces."""

from __future__ import annotations

import io
from random import Random

import pytest
from PIL import Image
from playwright.sync_api import expect

from cornered import engine
from tests.e2e.window import OpenWindow, pair, play

pytestmark = pytest.mark.browser

CONTRASTS = r"""([board, theme]) => {
    const root = document.documentElement;
    root.dataset.board = board;
    root.dataset.theme = theme;
    const probe = document.createElement("i");
    root.append(probe);
    const luminance = (color) => {
        probe.style.color = `color-mix(in srgb, ${color}, ${color})`;
        const value = getComputedStyle(probe).color;
        const parts = value.match(/[\d.]+/g).slice(0, 3).map(Number);
        const unit = value.startsWith("color(") ? 1 : 255;
        const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        const [r, g, b] = parts.map((part) => linear(part / unit));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const blocked = [0, 1, 2, 3].map((seat) => `color-mix(in srgb, var(--seat-${seat}-deep) 26%, var(--hole))`);
    const found = {
        frame: contrast("var(--tile)", "var(--frame)"),
        dot: contrast("var(--tile)", "var(--dot)"),
        label: contrast("var(--in-frame)", "var(--frame)"),
        advice: contrast("var(--tile)", "var(--advice)"),
        blocked: Math.min(...["var(--hole)", ...blocked].map((hole) => contrast("var(--tile)", hole))),
    };
    probe.remove();
    return found;
}"""

START_CELLS = """async (texts) => {
    const { parsePosition, startCells } = await import("./position.js");
    return texts.map((text) => startCells(parsePosition(text, true)));
}"""


def test_tiles_dots_holes_labels_and_advice_differ_enough(open_window: OpenWindow) -> None:
    page = open_window(locale="en-US").page
    least = {"frame": 1.5, "blocked": 2, "dot": 3, "label": 4.5, "advice": 3}
    found = {
        (board, theme, part): contrast
        for board in ("wood", "slate", "paper")
        for theme in ("light", "dark")
        for part, contrast in page.evaluate(CONTRASTS, [board, theme]).items()
    }
    assert len(found) == 30
    assert {each: contrast for each, contrast in found.items() if contrast < least[each[2]]} == {}


def test_goals_are_opposite_the_starts_whatever_stands_on_the_board(open_window: OpenWindow) -> None:
    random = Random(5)
    texts, expected = list[str](), list[list[str]]()
    for size, players in ((3, 2), (5, 2), (9, 2), (5, 4), (9, 4)):
        state = engine.load("quoridor", size=size, players=players).start()
        rows = str(state).split()[0].split("/")
        starts = {
            int(content): f"{'abcdefghi'[file]}{size - row}"
            for row, line in enumerate(rows)
            for file, content in enumerate(line)
            if content != "."
        }
        while state.outcome is None:
            texts.append(str(state))
            expected.append([starts[seat] for seat in range(players)])
            if len(texts) % 30 == 0 and players > 2:
                state = state.leave(state.to_move)
            else:
                state = state.play(random.choice(state.moves()))
    texts.append(f"{'/'.join(['..1', '...', '.0.'])} 0 out=1")
    expected.append(["b1", "b3"])
    assert open_window().page.evaluate(START_CELLS, texts) == expected
    assert any("out=" in text for text in texts[:-1])


def test_a_position_in_mid_game_has_its_goals_at_the_edges(open_window: OpenWindow) -> None:
    window = open_window()
    window.page.goto(f"{window.address}/#/p/quoridor/size~5/.....-...1.-.0...-.....-....._0")
    window.page.wait_for_selector(".study:not([hidden])")
    rectangles = """names => names.map(name => document.querySelector(name).getBoundingClientRect().toJSON())"""
    board, top, bottom = window.page.evaluate(rectangles, [".board", ".goal.seat-0", ".goal.seat-1"])
    assert top["y"] - board["y"] < board["height"] / 8
    assert bottom["y"] - board["y"] > board["height"] * 7 / 8


def test_walls_have_the_colour_of_their_owner_and_the_goal_is_marked(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    expect(first.page.locator(".goal.mine")).to_have_class("goal seat-0 mine")
    expect(second.page.locator(".goal.mine")).to_have_class("goal seat-1 mine")
    expect(first.page.locator(".goal-label")).to_have_text("your goal")
    play((first, second), "a3h d3h")
    for window in (first, second):
        expect(window.page.locator(".walls .wall.seat-0")).to_have_count(1)
        expect(window.page.locator(".walls .wall.seat-1")).to_have_count(1)
    # Who joins later learns the owners from the history.
    second.page.reload()
    expect(second.page.locator(".walls .wall.seat-0")).to_have_count(1)
    expect(second.page.locator(".walls .wall.seat-1")).to_have_count(1)


def test_board_and_pieces_are_chosen_at_the_board_and_kept(open_window: OpenWindow, axe: str) -> None:
    first, _ = pair(open_window, "TrapGrid", size=4)
    frame = first.page.locator(".stage .frame")
    before = frame.evaluate("frame => getComputedStyle(frame).fill")
    assert first.page.locator(".stage .piece.token").count() == 0
    first.page.get_by_role("button", name="Look").click()
    expect(first.page.locator("dialog").get_by_text("Slate")).to_be_visible()
    assert first.violations(axe) == []
    first.page.get_by_label("Slate").check(force=True)
    first.page.get_by_label("Discs").check(force=True)
    expect(first.page.locator(".stage .piece.token")).to_have_count(2)
    first.page.get_by_role("button", name="Done").click()
    assert frame.evaluate("frame => getComputedStyle(frame).fill") != before
    first.await_turn()
    first.make(first.targets()[0])
    first.page.reload()
    expect(first.page.locator(".stage .piece.token")).to_have_count(2)
    expect(first.page.locator("html")).to_have_attribute("data-board", "slate")


def test_a_crumbling_cell_keeps_to_the_colours_of_the_board(open_window: OpenWindow) -> None:
    window = open_window(moves=True)
    # Whichever game shows one first: each waits its turn.
    crumbling = window.page.locator(".tile-card .board:has(.cell.fresh)").first
    for _ in range(3):
        expect(crumbling).to_be_visible()
        shot = Image.open(io.BytesIO(crumbling.screenshot())).convert("RGB")
        # Chromium's colour where it cannot mix two.
        assert (255, 255, 0) not in {color for _, color in shot.getcolors(shot.width * shot.height) or ()}
        # Another moment of the animation.
        window.page.wait_for_timeout(300)
