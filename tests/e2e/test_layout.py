"""The page on every screen: nothing is cut off, covered or out of reach, seen in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.window import DESK, PHONE, OpenWindow, Window, begin, play

pytestmark = pytest.mark.browser

LAPTOP = (1280, 800)
LANDSCAPE = (740, 360)
SMALL = ((320, 568), (360, 740), LANDSCAPE)
LONG = "Kingfisher of the Weir"


BEYOND_A_TILE = """() => [...document.querySelectorAll(".tile-card")].flatMap((tile) => {
    const edge = tile.getBoundingClientRect().right;
    const parts = [...tile.querySelectorAll("button, .watch, p")].filter((part) => part.checkVisibility());
    return parts.filter((part) => part.getBoundingClientRect().right >= edge).map((part) => part.textContent);
})"""
"""The words of what is cut off at a tile's edge."""


def box_of(locator: Locator) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of an element."""
    box = locator.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def resize(window: Window, size: tuple[int, int]) -> None:
    window.page.set_viewport_size({"width": size[0], "height": size[1]})


def test_a_phone_never_scrolls_sideways(open_window: OpenWindow) -> None:
    first, second = open_window(size=PHONE), open_window(size=DESK)
    first.take_name(LONG)
    second.take_name(LONG[::-1])
    dialog = "document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth"
    for size in SMALL:
        resize(first, size)
        assert not first.is_too_wide()
        first.page.get_by_role("button", name="Play someone").last.click()
        # A long dialog opens at its title.
        expect(first.page.locator("dialog h2")).to_be_in_viewport(ratio=1)
        assert first.page.locator("dialog").evaluate("dialog => dialog.scrollTop") == 0
        assert first.page.evaluate(dialog) == 0
        first.page.keyboard.press("Escape")
    for game in ("Quoridor", "Bamboo"):
        begin(first, second, game, minutes=5)
        for width, height in SMALL:
            resize(first, (width, height))
            assert not first.is_too_wide(), game
            board = first.page.locator(".board").bounding_box()
            assert board is not None
            assert board["width"] >= 0.9 * min(width, height - 60), game
            assert board["y"] + board["height"] <= height, game
            for clock in first.page.locator(".clock").all():
                assert box_of(clock)[2] <= width


def test_nothing_is_cut_off_in_the_lobby(open_window: OpenWindow) -> None:
    first, second, third = open_window(size=LAPTOP), open_window(size=LAPTOP), open_window(size=PHONE)
    first.take_name("Heron of the Upper Lake")
    second.take_name("Avocet of the Salt Marsh")
    begin(first, second, "TrapGrid")
    names = third.page.locator(".of-live .card", has_text="Avocet").locator(".who bdi")
    for size in ((320, 568), PHONE, LAPTOP):
        resize(third, size)
        expect(names).to_have_count(2)
        expect(third.page.locator(".tile-card", has_text="TrapGrid").locator(".watch")).to_be_visible()
        for selector in (".tile-card", ".tile-card .words", ".watch:not([hidden])", ".card", ".line", ".call"):
            cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
            assert third.page.locator(selector).evaluate_all(cut) == [], (size, selector)
        assert third.page.evaluate(BEYOND_A_TILE) == [], size
    # A laptop shows long names whole.
    assert names.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


def test_the_banner_covers_and_moves_nothing(open_window: OpenWindow) -> None:
    sizes = DESK, (320, 568), LANDSCAPE
    window = open_window(cuttable=True)
    parts = window.page.locator("#top :is(a, button)")
    tile, banner = window.page.locator(".tile-card").first, window.page.locator("#banner")

    def boxes() -> list[object]:
        # A part that is not shown, as the way to an account on a phone, has no box.
        return [part.bounding_box() for part in (*parts.all(), tile)]

    before = {}
    for size in sizes:
        resize(window, size)
        before[size] = boxes()
    window.cut()
    expect(banner).to_contain_text("Reconnecting")
    for size in sizes:
        resize(window, size)
        banner.evaluate("element => element.textContent = 'Connection lost. Reconnecting…'")
        assert boxes() == before[size]
        for words in (None, "The server restarts. Your games go on in a moment."):
            if words:
                banner.evaluate("(element, words) => element.textContent = words", words)
            left, top, right, bottom = box_of(banner)
            assert banner.evaluate("one => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth")
            assert top >= 0
            assert bottom <= box_of(window.page.locator("#top"))[3]
            for part in parts.all():
                if part.is_visible():
                    its_left, _, its_right, _ = box_of(part)
                    assert its_right <= left or its_left >= right, (size, part.inner_text())


def test_the_last_move_stays_in_sight_at_the_end(open_window: OpenWindow) -> None:
    first, second = open_window(size=(1200, 560)), open_window(size=DESK)
    begin(first, second, "TrapGrid")
    play((first, second), "b7 f1 c7 e1 d7 e2 d6 d2 c6 d3")
    second.resign()
    first.page.wait_for_selector(".match.over")
    expect(first.page.locator(".result").get_by_role("button", name="Rematch")).to_be_visible()
    # The list scrolls with the frame after the result.
    first.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    (_, top, _, bottom), (_, its_top, _, its_bottom) = (
        box_of(first.page.locator(selector)) for selector in (".movelist", ".move >> nth=-1")
    )
    assert top <= its_top
    assert its_bottom <= bottom


def test_a_phone_on_its_side_has_buttons_of_usual_size_and_the_moves_beside_the_board(open_window: OpenWindow) -> None:
    first, second = open_window(size=LANDSCAPE), open_window()
    begin(first, second, "TrapGrid", size=5)
    _, top, _, bottom = box_of(first.does("abort"))
    assert bottom - top < 60
    first.await_turn()
    first.make("b5")
    left, top, _, bottom = box_of(first.page.locator(".moves"))
    assert left > box_of(first.page.locator(".board"))[2]
    assert top < LANDSCAPE[1] - 60
    assert bottom - top >= 100
    first.page.locator(".steps button").first.scroll_into_view_if_needed()
    first.page.locator(".steps button").first.click()
    expect(first.status).to_have_text("The start")


def test_the_letters_and_numbers_of_a_hexagon_are_legible_and_in_its_frame(open_window: OpenWindow) -> None:
    first, second = open_window(size=PHONE), open_window()
    begin(first, second, "Bamboo")
    for size in (PHONE, PHONE, DESK, DESK):
        resize(first, size)
        letters = first.page.locator(".board .coordinate")
        # A letter for each row, and a number for each cell of the other edges.
        expect(letters).to_have_count(11 + 11 + 2 * 5)
        misplaced = letters.evaluate_all(
            """letters => letters.filter((letter) => {
                const frame = letter.ownerSVGElement.querySelector(".frame");
                const box = letter.getBBox();
                const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
                const isOnTile = [...letter.ownerSVGElement.querySelectorAll(".tile")].some((tile) => {
                    const point = middle.matrixTransform(letter.getScreenCTM()).matrixTransform(
                        tile.getScreenCTM().inverse());
                    return tile.isPointInFill(point);
                });
                return isOnTile || !frame.isPointInFill(middle);
            }).length"""
        )
        assert misplaced == 0
        scale = "letter => parseFloat(getComputedStyle(letter).fontSize) * letter.getScreenCTM().a"
        assert letters.first.evaluate(scale) >= 10
        left = "letters => Math.min(...letters.map((letter) => letter.getBoundingClientRect().left))"
        assert letters.evaluate_all(left) >= box_of(first.page.locator(".board"))[0]
        first.page.get_by_role("button", name="Flip").click()
