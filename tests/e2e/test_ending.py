"""What the page says of the end of a game, of what is left in it, and of what others answer, in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.window import PHONE, Window, begin, play_to_the_end

pytestmark = pytest.mark.browser

OpenWindow = Callable[..., Window]


def pair(open_window: OpenWindow, game: str, **options: int | bool) -> tuple[Window, Window]:
    """Return two players of a match that has begun; the first has seat 0."""
    first, second = open_window(), open_window()
    begin(first, second, game, **options)
    return first, second


def test_a_trapped_pawn_says_and_shows_why_the_game_ended(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=3)
    play_to_the_end((first, second))
    expect(first.page.locator(".match.over")).to_be_visible()
    lost, won = (first, second) if first.status.inner_text() == "You lost" else (second, first)
    expect(lost.page.locator(".explanation")).to_have_text("You have no cell left to step to.")
    expect(won.page.locator(".explanation")).to_contain_text("has no cell left to step to.")
    expect(lost.page.locator(".near .gauge")).to_have_text("no cell left")
    for window, result in ((lost, "lost"), (won, "won")):
        expect(window.page.locator(f".match[data-result={result}] .medal svg")).to_be_visible()
        expect(window.page.locator(".cell.decisive")).to_have_count(1)
        expect(window.page.locator(".result .primary")).to_have_count(1)
    won.page.reload()
    expect(won.page.locator(".explanation")).to_contain_text("has no cell left to step to.")
    lost.page.get_by_role("button", name="Replay").click()
    expect(lost.page.locator(".cell.decisive")).to_have_count(0)
    expect(lost.page.locator(".medal svg")).to_have_count(0)


def test_a_race_is_told_in_moves_and_its_edge_is_marked(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=3)
    for window, cell in ((first, "a1"), (second, "c3"), (first, "a2"), (second, "c2"), (first, "a3")):
        window.await_turn()
        window.make(cell)
    expect(first.page.locator(".explanation")).to_have_text("You reached the far side in 3 moves.")
    expect(second.page.locator(".explanation")).to_contain_text("reached the far side in 3 moves.")
    expect(first.page.locator(".goal.reached.seat-0")).to_have_count(1)
    expect(second.page.locator(".cell.decisive")).to_have_count(1)


def test_bars_follow_the_position_on_the_board_and_moves_have_one_number(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    first.await_turn()
    first.page.keyboard.type("c3h")
    first.page.keyboard.press("Enter")
    second.await_turn()
    second.make("c4")
    expect(first.page.locator(".near .gauge")).to_have_text("4 walls")
    first.page.locator(".movelist .move").nth(1).click()
    first.page.get_by_role("button", name="One move back").click()
    expect(first.status).to_have_text("Move 1 of 1: c3h")
    first.page.get_by_role("button", name="One move back").click()
    expect(first.status).to_have_text("The start")
    expect(first.page.locator(".near .gauge")).to_have_text("5 walls")
    first.page.get_by_role("button", name="The newest position").click()
    expect(first.page.locator(".near .gauge")).to_have_text("4 walls")


def test_a_draw_by_a_limit_counts_down_and_says_which_limit_it_was(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=3, max_plies=4)
    for window, cell in ((first, "a1"), (second, "c3"), (first, "b1")):
        window.await_turn()
        window.make(cell)
    second.await_turn()
    expect(second.page.locator(".explanation")).to_have_text("A draw after this turn.")
    second.make("b3")
    expect(first.status).to_have_text("A draw")
    expect(first.page.locator(".explanation")).to_have_text("The game reached its limit of 4 turns.")
    expect(first.page.locator(".match[data-result=drawn] .medal svg")).to_be_visible()


def test_a_declined_draw_is_told(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    first.await_turn()
    first.make("c2")
    second.await_turn()
    first.does("offer_draw").click()
    expect(second.does("accept_draw")).to_be_visible()
    second.make("c4")
    expect(first.page.locator(".explanation")).to_contain_text("declines the draw.")
    first.await_turn()
    first.make("d2")
    expect(first.page.locator(".explanation")).to_be_empty()
    first.does("offer_draw").click()
    second.does("decline_draw").click()
    expect(first.page.locator(".explanation")).to_contain_text("declines the draw.")


def test_an_illegal_wall_gives_its_reason_before_it_is_tried(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    first.await_turn()
    first.page.mouse.click(*first.gap("b2", "b3"))
    second.await_turn()
    reason = second.page.locator(".reason")
    expect(reason).to_be_hidden()
    second.page.mouse.move(*second.gap("b2", "b3"))
    expect(second.page.locator(".ghost.wall.wrong")).to_be_visible()
    expect(reason).to_have_text("This wall overlaps another.")
    second.page.mouse.move(*second.middle("e1"))
    expect(reason).to_be_hidden()


def test_a_line_of_chat_is_seen_on_a_phone_and_takes_no_focus(open_window: OpenWindow) -> None:
    phone, other = open_window(size=PHONE), open_window()
    begin(phone, other, "TrapGrid", size=4)
    phone.await_turn()
    phone.cell("b4").focus()
    other.page.get_by_label("Message").fill("Good luck!")
    other.page.get_by_role("button", name="Send").click()
    bubble = phone.page.locator(".toast", has_text="Good luck!")
    expect(bubble).to_be_visible()
    assert phone.page.evaluate("document.activeElement.dataset.cell") == "b4"
    expect(phone.page.locator(".unread")).to_have_text("1")
    bubble.get_by_role("button", name="Open chat").click()
    expect(phone.page.get_by_role("log")).to_be_in_viewport()
    expect(phone.page.locator(".toast")).to_have_count(0)


def test_a_long_dialog_opens_at_its_title(open_window: OpenWindow) -> None:
    phone = open_window(size=PHONE)
    phone.page.locator(".tile-card", has_text="Quoridor").get_by_role("button", name="Play someone").click()
    expect(phone.page.locator("dialog h2")).to_be_in_viewport(ratio=1)
    assert phone.page.locator("dialog").evaluate("dialog => dialog.scrollTop") == 0


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
