"""What the page says of the end of a game, of what is left in it, and of what others answer, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.window import OpenWindow, pair, play

pytestmark = pytest.mark.browser


def test_a_trapped_pawn_says_and_shows_why_the_game_ended(open_window: OpenWindow, axe: str) -> None:
    lost, won = pair(open_window, "TrapGrid", size=3)
    play((lost, won), "a2 b1 a1 b2")
    expect(won.status).to_have_text("You won")
    expect(lost.status).to_have_text("You lost")
    expect(lost.page.locator(".explanation")).to_have_text("You have no cell left to step to.")
    expect(won.page.locator(".explanation")).to_contain_text("has no cell left to step to.")
    expect(lost.page.locator(".near .gauge")).to_have_text("no cell left")
    for window, result in ((lost, "lost"), (won, "won")):
        expect(window.page.locator(f".match[data-result={result}] .medal svg")).to_be_visible()
        expect(window.page.locator(".cell.decisive")).to_have_count(1)
        expect(window.page.locator(".result .primary")).to_have_count(1)
        # A casual game shows no rating, neither beside the names nor as a change.
        expect(window.page.locator(".bar .rating")).to_have_count(0)
        expect(window.page.locator(".rated-result")).to_be_hidden()
        assert window.violations(axe) == []
    won.page.reload()
    expect(won.page.locator(".explanation")).to_contain_text("has no cell left to step to.")
    lost.page.get_by_role("button", name="Replay").click()
    expect(lost.page.locator(".cell.decisive")).to_have_count(0)
    expect(lost.page.locator(".medal svg")).to_have_count(0)


def test_a_race_is_told_in_moves_and_its_edge_is_marked(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=3)
    play((first, second), "a1 c3 a2 c2 a3")
    expect(first.page.locator(".explanation")).to_have_text("You reached the far side in 3 moves.")
    expect(second.page.locator(".explanation")).to_contain_text("reached the far side in 3 moves.")
    expect(first.page.locator(".goal.reached.seat-0")).to_have_count(1)
    expect(second.page.locator(".cell.decisive")).to_have_count(1)


def test_bars_follow_the_position_moves_have_one_number_and_a_declined_draw_is_told(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    play((first, second), "c3h c4")
    expect(first.page.locator(".near .gauge")).to_have_text("4 walls")
    first.page.locator(".movelist .move").nth(1).click()
    first.page.get_by_role("button", name="One move back").click()
    expect(first.status).to_have_text("Move 1 of 1: c3h")
    first.page.get_by_role("button", name="One move back").click()
    expect(first.status).to_have_text("The start")
    expect(first.page.locator(".near .gauge")).to_have_text("5 walls")
    first.page.get_by_role("button", name="The newest position").click()
    expect(first.page.locator(".near .gauge")).to_have_text("4 walls")

    play((first, second), "b1")
    second.await_turn()
    first.does("offer_draw").click()
    expect(second.does("accept_draw")).to_be_visible()
    second.make("d4")
    expect(first.page.locator(".explanation")).to_contain_text("declines the draw.")
    first.await_turn()
    first.make("a1")
    expect(first.page.locator(".explanation")).to_be_empty()
    first.does("offer_draw").click()
    second.does("decline_draw").click()
    expect(first.page.locator(".explanation")).to_contain_text("declines the draw.")


def test_a_draw_by_a_limit_counts_down_and_says_which_limit_it_was(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=3, max_plies=4)
    play((first, second), "a1 c3 b1")
    second.await_turn()
    expect(second.page.locator(".explanation")).to_have_text("A draw after this turn.")
    second.make("b3")
    expect(first.status).to_have_text("A draw")
    expect(first.page.locator(".explanation")).to_have_text("The game reached its limit of 4 turns.")
    expect(first.page.locator(".match[data-result=drawn] .medal svg")).to_be_visible()


def test_tab_lands_on_a_cell_with_a_ring_and_the_chats_ring_is_whole(open_window: OpenWindow) -> None:
    first, _ = pair(open_window, "TrapGrid", size=4)
    first.await_turn()
    first.page.get_by_role("button", name="Help and keys").focus()
    first.page.keyboard.press("Tab")
    expect(first.page.locator("[data-cell='a4']")).to_be_focused()
    expect(first.page.locator("[data-cell='a4'] .ring")).to_be_visible()
    message = first.page.get_by_label("Message")
    message.focus()
    first.page.keyboard.press("Shift+Tab")
    first.page.keyboard.press("Tab")
    expect(message).to_be_focused()
    assert message.evaluate("input => parseFloat(getComputedStyle(input).outlineOffset)") < 0


NEXT_STEP = """async (won) => {
  const { noteResult, otherLevel } = await import("./nextstep.js");
  const level = (number) => ({ id: `b${number}`, name: `level-${number}`, kind: "bot" });
  const seats = [{ player: { id: "me", name: "Me", kind: "person" } }, { player: level(3) }];
  const spec = { name: "trapgrid", options: {} };
  const record = { seat: 0, seats, winner: won ? 0 : 1, spec, clock: { kind: "none" } };
  const bots = [2, 3, 4].map((number) => ({ player: level(number), free: 1 }));
  noteResult(record);
  return otherLevel({ store: { bots: () => bots } }, record)?.textContent ?? "rematch";
}"""


def test_the_next_step_is_the_level_above_after_a_win_and_below_after_two_losses(open_window: OpenWindow) -> None:
    page = open_window().page
    assert [page.evaluate(NEXT_STEP, won) for won in (False, False, True, False)] == [
        "rematch",
        "Play level-2",
        "Play level-4",
        "rematch",
    ]
