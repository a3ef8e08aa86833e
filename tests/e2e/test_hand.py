"""Moves by a second tap on small cells, premoves, and what a finger drags."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.window import PHONE, OpenWindow, Window, begin, pair, wait_until

pytestmark = pytest.mark.browser

Point = tuple[float, float]


class Finger:
    """One finger on a window's screen; a touch that the page leaves to the browser scrolls."""

    def __init__(self, window: Window) -> None:
        self.session = window.context.new_cdp_session(window.page)
        self.at: Point = (0, 0)

    def _send(self, kind: str, *points: Point) -> None:
        touched = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})

    def press(self, at: Point) -> None:
        self.at = at
        self._send("touchStart", at)

    def drag(self, to: Point, steps: int = 8) -> None:
        (x, y), (u, v) = self.at, to
        for step in range(1, steps + 1):
            self._send("touchMove", (x + (u - x) * step / steps, y + (v - y) * step / steps))
        self.at = to

    def lift(self) -> None:
        self._send("touchEnd")


def allow_premoves(window: Window) -> None:
    window.page.get_by_role("button", name="Look").click()
    window.page.get_by_label("Premove").check()
    window.page.get_by_role("button", name="Done").click()
    expect(window.page.locator("dialog")).to_have_count(0)


def test_on_small_cells_a_tap_or_a_dragged_piece_waits_for_a_second_tap(open_window: OpenWindow) -> None:
    phones = open_window(size=PHONE), open_window(size=PHONE)
    begin(*phones, "Quoridor")
    for number, (phone, cell, home) in enumerate(zip(phones, ("e2", "e8"), ("e1", "e9"), strict=True)):
        phone.await_turn()
        if number == 0:
            phone.page.touchscreen.tap(*phone.middle(cell))
            expect(phone.page.locator(".ghost.armed")).to_be_visible()
            expect(phone.page.get_by_role("button", name="Turn it")).to_be_hidden()
        else:
            finger = Finger(phone)
            finger.press(phone.middle(home))
            finger.drag(phone.middle(cell))
            finger.lift()
        again = phone.page.get_by_role("button", name=f"Play {cell}")
        expect(again).to_be_visible()
        expect(phone.page.locator(".movelist .move")).to_have_count(number)
        if number == 0:
            phone.page.touchscreen.tap(*phone.middle(cell))
        else:
            again.click()
        expect(phone.page.locator(".movelist .move").nth(number)).to_have_text(cell)


def test_on_large_cells_one_tap_moves_and_a_finger_drags_the_piece_or_scrolls_the_page(open_window: OpenWindow) -> None:
    first, second = open_window(size=PHONE), open_window()
    begin(first, second, "TrapGrid", size=4)
    first.await_turn()
    finger, dragged = Finger(first), first.page.locator(".piece.dragged")
    home = first.board
    start, target = first.middle("a4"), first.middle("a3")
    for place in (first.middle("d1"), (5.0, start[1]), (start[0], start[1] - 150)):
        finger.press(start)
        finger.drag(place)
        expect(dragged).to_be_visible()
        finger.lift()
        expect(dragged).to_have_count(0)
    assert first.page.evaluate("scrollY") == 0
    assert first.board == home
    expect(first.page.locator(".movelist .move")).to_have_count(0)
    finger.press(start)
    finger.drag(target)
    # The piece is above the finger, and its goal is shown below.
    expect(first.page.locator(".ghost.armed")).to_be_visible()
    box = dragged.locator(".body").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < target[1]
    finger.lift()
    expect(first.page.locator(".movelist .move")).to_have_text(["a3"])
    second.await_turn()
    second.make("d2")
    first.await_turn()
    # Beside the piece a finger scrolls.
    x, y = first.middle("d3")
    finger.press((x, y))
    finger.drag((x, y - 150))
    wait_until(first.page, "scrollY > 50")
    expect(dragged).to_have_count(0)
    finger.lift()
    expect(first.page.locator(".movelist .move")).to_have_count(2)
    first.cell("a2").scroll_into_view_if_needed()
    first.cell("a2").tap()
    expect(first.page.locator(".movelist .move")).to_have_text(["a3", "d2", "a2"])


def test_a_premove_is_made_dropped_or_cancelled_when_the_turn_comes(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=5)
    allow_premoves(second)
    moves, ghost, said = (second.page.locator(each) for each in (".movelist .move", ".ghost", ".explanation"))
    first.await_turn()
    for count in (1, 0, 1):
        second.click("d1")
        expect(ghost).to_have_count(count)
    expect(said).to_contain_text("d1 is played when your turn comes")
    first.make("b5")
    expect(moves).to_have_text(["b5", "d1"])
    first.await_turn()
    second.click("a3")
    expect(ghost).to_be_visible()
    first.make("c5")
    expect(said).to_have_text("a3, which you had chosen, is not legal now.")
    second.await_turn()
    second.make("c1")
    first.await_turn()
    for _ in range(2):
        second.click("b1")
    expect(ghost).to_have_count(0)
    first.make("d5")
    second.await_turn()
    expect(moves).to_have_text(["b5", "d1", "c5", "c1", "d5"])


def test_a_takeback_ends_a_premove_and_typed_text(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=5)
    allow_premoves(first)
    first.await_turn()
    moves, typing = (first.page.locator(each) for each in (".movelist .move", ".typing"))
    for is_planned in (True, False):
        first.make("b5")
        second.await_turn()
        first.page.keyboard.type("a4")
        if is_planned:
            first.page.keyboard.press("Enter")
            expect(first.page.locator(".ghost.unsent")).to_be_visible()
        first.page.get_by_role("button", name="Take back").click()
        second.page.get_by_role("button", name="Allow").click()
        first.await_turn()
        expect(first.page.locator(".ghost")).to_have_count(0)
        expect(typing).to_have_text("")
        expect(moves).to_have_count(0)


def test_a_premove_is_typed(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "TrapGrid", size=5)
    allow_premoves(first)
    first.await_turn()
    first.make("b5")
    second.await_turn()
    keys, ghost = first.page.keyboard, first.page.locator(".ghost.unsent")
    # An A begins a cell's name, as in one's own turn.
    keys.type("a4")
    expect(first.page.locator(".typing")).to_have_text("a4")
    keys.press("Enter")
    expect(ghost).to_be_visible()
    keys.press("Escape")
    expect(ghost).to_have_count(0)
    for count in (1, 0, 1):
        keys.type("b4")
        keys.press("Enter")
        expect(ghost).to_have_count(count)
    keys.type("k9")
    keys.press("Enter")
    expect(first.page.locator(".explanation")).to_have_text("k9 is no move on this board.")
    second.make("d1")
    expect(second.page.locator(".movelist .move")).to_have_text(["b5", "d1", "b4"])


def test_a_wall_is_planned_by_keyboard_and_by_pointer(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5)
    allow_premoves(second)
    first.await_turn()
    mouse, planned = second.page.mouse, second.page.locator(".ghost.wall.unsent")
    (x, y), (to, _) = second.gap("b2", "b3"), second.middle("c2")
    near = x + (to - x) / 4, y
    mouse.move(*near)
    expect(second.page.locator(".ghost.wall.hover")).to_be_visible()
    for count in (1, 0, 1):
        mouse.click(*near)
        expect(planned).to_have_count(count)
    mouse.move(0, 0)
    expect(planned).to_be_visible()
    first.make("c2")
    expect(first.page.locator(".movelist .move")).to_have_text(["c2", "b2h"])
    first.await_turn()
    keys = second.page.keyboard
    keys.press("w")
    expect(second.page.locator(".ghost.wall")).to_be_visible()
    expect(planned).to_have_count(0)
    keys.press("r")
    keys.press("Enter")
    expect(planned).to_be_visible()
    first.make("d2")
    expect(first.page.locator(".movelist .move")).to_have_text(["c2", "b2h", "d2", re.compile(r"^\w\dv$")])


def test_without_walls_left_a_cell_is_planned(open_window: OpenWindow) -> None:
    first, second = pair(open_window, "Quoridor", size=5, walls=0)
    allow_premoves(second)
    first.await_turn()
    second.page.mouse.click(*second.gap("c4", "c5"))
    expect(second.page.locator(".explanation")).to_contain_text("is played when your turn comes")
    expect(second.page.locator(".ghost.unsent")).to_be_visible()
    expect(second.page.locator(".ghost.wall")).to_have_count(0)


def test_walls_are_placed_by_two_taps_and_one_that_a_finger_drags_from_the_rack_waits_for_a_tap(
    open_window: OpenWindow,
) -> None:
    first, second = open_window(size=PHONE), open_window()
    begin(first, second, "Quoridor", size=5)
    first.await_turn()
    point = first.gap("c3", "c4")
    first.page.touchscreen.tap(*point)
    expect(first.page.locator(".ghost.wall.armed")).to_be_visible()
    assert first.walls() == 0
    for _ in range(2):
        first.page.get_by_role("button", name="Turn it").click()
    first.page.touchscreen.tap(*point)
    expect(second.page.locator(".walls .wall")).to_have_count(1)
    expect(first.page.locator(".ghost")).to_have_count(0)
    assert second.moves[0][-1] == "h"
    second.await_turn()
    second.make("d5")
    first.await_turn()
    box = first.page.locator(".rack.mine").bounding_box()
    assert box is not None
    finger = Finger(first)
    finger.press((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    x, y = first.gap("b2", "b3")
    finger.drag((x, y + 48))
    expect(first.page.locator(".ghost.wall")).to_be_visible()
    finger.lift()
    expect(first.page.get_by_role("button", name="Place the wall")).to_be_enabled()
    expect(first.page.locator(".movelist .move")).to_have_count(2)
    first.page.get_by_role("button", name="Place the wall").click()
    expect(second.page.locator(".walls .wall")).to_have_count(2)
