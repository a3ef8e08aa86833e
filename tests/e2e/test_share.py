"""Sharing and studying any position in a real browser: links, pictures, records, positions that are set up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.analysts import Oracle
from tests.e2e.window import PHONE, OpenWindow, Window, pair, play, wait_until

pytestmark = pytest.mark.browser

CLICK_AT_ONCE = """([end, cell]) => {
  const replace = history.replaceState;
  const clicked = new MouseEvent("click", { bubbles: true });
  const click = () => document.querySelector(`[data-cell=${cell}]`).dispatchEvent(clicked);
  history.replaceState = function (...how) {
    replace.apply(history, how);
    if (location.hash.endsWith(end)) setTimeout(click);
  };
}"""
MOVES = "b5 d1 c5 c1 c4 c2"
RECORD = """[Game "trapgrid"]
[Options "size=3"]
[Player0 "Ann"]
[Player1 "Ben"]
[Result "*"]

1. a2 {[%clk 0:01:00]} c2
2. b2 *
"""
KINDS = {
    "Picture (PNG)": "image/png",
    "Moving picture": "image/svg+xml",
    "Record (JSON)": "application/jsonl",
}


@pytest.fixture(scope="module", autouse=True)
def _analyst(address: str) -> Iterator[None]:
    with Oracle.answering(address, "trapgrid", "quoridor"):
        yield


def finished(open_window: OpenWindow) -> Window:
    """Return a player of a game of TrapGrid on 5x5 that the other one has resigned after six moves."""
    first, second = pair(open_window, "TrapGrid", size=5)
    play((first, second), MOVES)
    second.resign()
    first.page.wait_for_selector(".match.over")
    return first


def ways(page: Page) -> None:
    """Wait for the analysis of the position on the board."""
    expect(page.locator(".study")).to_be_visible()
    expect(page.locator(".ways li").first).to_be_visible()


def test_a_finished_game_is_shared(open_window: OpenWindow, address: str, axe: str) -> None:
    first = finished(lambda: open_window(size=PHONE))
    page = first.page
    match = page.url.rpartition("/")[2]
    page.keyboard.press("Home")
    page.keyboard.press(">")
    page.get_by_role("button", name="Share").click()
    sheet = page.get_by_role("dialog", name="Share this game")
    picture = sheet.get_by_role("img", name="The position after 1 ply")
    expect(picture).to_be_visible()
    assert first.violations(axe) == []
    wait_until(page, "document.querySelector('.share .picture').naturalWidth > 0")
    link = sheet.get_by_label("Link to this position").first.input_value()
    assert link == f"{address}/g/{match}/1"
    code = sheet.get_by_label("Moving picture for other sites").first.input_value()
    assert f'<img src="{address}/g/{match}.svg"' in code
    for name, kind in KINDS.items():
        href = sheet.get_by_role("link", name=name, exact=True).get_attribute("href")
        answer = page.request.get(urljoin(f"{address}/", str(href)))
        assert (answer.status, answer.headers["content-type"]) == (200, kind)

    third = open_window()
    third.page.goto(f"{address}/g/{match}#4")
    third.page.wait_for_url(f"{address}/#/m/{match}/4")
    expect(third.page.locator(".movelist [aria-current=step]")).to_have_attribute("data-ply", "4")
    third.page.goto(link)
    third.page.wait_for_url(f"{address}/#/m/{match}/1")
    expect(third.page.locator(".movelist [aria-current=step]")).to_have_attribute("data-ply", "1")

    # The moving picture needs no page, and stands still for those who want no motion.
    for window, moves in ((open_window(moves=True), True), (third, False)):
        window.page.goto(f"{address}/g/{match}.svg")
        # The policy of the answer lets its own style through.
        expect(window.page.locator(".tile").first).to_have_css("fill", "rgb(248, 238, 217)")
        assert (window.page.evaluate("document.getAnimations().length") > 0) is moves
        assert not window.errors


def test_a_position_is_opened_by_its_link_studied_and_played_on(open_window: OpenWindow, address: str) -> None:
    window = open_window()
    page = window.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}/position/trapgrid/size~3/0..-...-..1_0")
    page.wait_for_url(f"{address}/#/p/trapgrid/size~3/0..-...-..1_0")
    ways(page)
    expect(window.status).to_contain_text("Player 1 to move")
    # The next move may be made as soon as the one before is shown: nothing is asked in between.
    page.evaluate(CLICK_AT_ONCE, ["/a2", "c2"])
    window.click("a2")
    page.wait_for_url(re.compile("/a2-c2$"))
    page.get_by_role("button", name="Copy link to this position").click()
    expect(page.locator(".toast")).to_contain_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{address}/position/trapgrid/size~3/x..-0.1-..x_0"
    # A move from an earlier position is a variation, and the line stays.
    page.keyboard.press("Home")
    window.click("b3")
    expect(window.status).to_have_text("After b3")
    page.get_by_role("button", name="Back to the game", exact=True).click()
    expect(page.locator(".movelist .move")).to_have_count(2)
    page.reload()
    expect(page.locator(".movelist .move")).to_have_count(2)
    assert not window.errors


def test_the_dice_of_a_line_are_rolled_by_hand(open_window: OpenWindow, address: str) -> None:
    window = open_window()
    page = window.page
    page.goto(f"{address}/#/p/isolation/width~4-height~4-dice~true")
    expect(window.cell("a1")).to_have_class(re.compile("target"))
    window.click("a1")
    page.wait_for_url(re.compile("/a1$"))
    expect(window.cell("a1")).not_to_have_class(re.compile("target"))
    expect(window.cell("d4")).to_have_class(re.compile("target"))
    window.click("d4")
    page.get_by_role("button", name="Roll 2").click()
    expect(window.cell("c1")).to_have_class(re.compile("target"))
    expect(window.cell("d1")).not_to_have_class(re.compile("target"))
    page.wait_for_url(re.compile("/a1-d4-2$"))


def test_a_record_is_opened_and_an_invalid_one_names_its_line(open_window: OpenWindow, address: str) -> None:
    window = open_window(size=PHONE)
    page = window.page
    page.get_by_role("link", name="Analyse a position").click()
    # Not with the pointer: the analysis, where a bot makes one, moves what is below it.
    page.get_by_role("button", name="Open a record").dispatch_event("click")
    sheet = page.get_by_role("dialog", name="Open a record")
    sheet.get_by_label("Record", exact=True).fill(RECORD.replace("b2", "a3"))
    sheet.get_by_role("button", name="Open").click()
    expect(sheet.get_by_role("alert")).to_contain_text("ine 8, ply 3")
    sheet.get_by_label("File").set_input_files(
        {"name": "game.txt", "mimeType": "text/plain", "buffer": RECORD.encode()}
    )
    expect(sheet).to_be_hidden()
    expect(page.locator(".bar .name").first).to_have_text(re.compile("Ann|Ben"))
    expect(page.locator(".movelist .move")).to_have_count(3)
    page.wait_for_url(re.compile("/trapgrid/size~3/0..-...-..1_0/a2-c2-b2$"))
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_move_of_a_line_updates_what_the_players_have(open_window: OpenWindow, address: str) -> None:
    window = open_window()
    window.page.goto(f"{address}/#/p/trapgrid/size~3/0..-...-..._0")
    # A position that is none says why.
    expect(window.page.locator(".sheet")).to_contain_text("one pawn of each seat")
    window.page.goto(f"{address}/#/p/bamboo/radius~3")
    expect(window.page.locator(".bar", has_text="no group yet")).to_have_count(2)
    window.click("d4")
    expect(window.page.locator(".bar", has_text="Player 1")).to_contain_text("1 group")
    window.page.keyboard.press("Home")
    expect(window.page.locator(".bar", has_text="no group yet")).to_have_count(2)


def test_a_position_is_set_up_by_hand_and_checked(open_window: OpenWindow, address: str) -> None:
    window = open_window()
    page = window.page
    page.goto(f"{address}/#/p/quoridor/size~5")
    page.get_by_role("button", name="Set up a position").click()
    sheet = page.get_by_role("dialog", name="Set up a position")
    verdict = sheet.locator(".verdict")
    expect(verdict).to_have_text("This position is possible.")
    field = sheet.get_by_label("The position as text")
    sheet.get_by_role("radio", name="Player 1").click()
    sheet.locator("[data-cell=c3]").click()
    expect(field).to_have_value(re.compile(r"^\.\.1\.\./\.\.\.\.\./\.\.0\.\./\.\.\.\.\./\.\.\.\.\. 0"))
    sheet.get_by_role("radio", name="Wall").click()
    box = sheet.locator("[data-cell=b2]").bounding_box()
    assert box is not None
    sheet.page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] - 1)
    expect(field).to_have_value(re.compile("walls=b2h left=\\d,\\d$"))
    expect(verdict).to_have_text("This position is possible.")
    # Without its pawn it is none.
    sheet.get_by_role("radio", name="Empty").click()
    sheet.locator("[data-cell=c3]").focus()
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("one pawn of seat 0")
    expect(sheet.get_by_role("button", name="Analyse")).to_be_disabled()
    sheet.get_by_role("radio", name="Player 1").click()
    sheet.locator("[data-cell=c4]").click()
    expect(verdict).to_have_text("This position is possible.")
    sheet.get_by_role("button", name="Analyse").click()
    page.wait_for_url(re.compile(r"/#/p/quoridor/size~5[^/]*/..1..-..0..-"))
    expect(page.locator(".board .wall")).to_have_count(1)
    expect(page.locator(".study")).to_be_visible()


def test_another_game_is_set_up(open_window: OpenWindow, address: str) -> None:
    window = open_window(dark=True)
    page = window.page
    page.goto(f"{address}/#/p/trapgrid")
    page.get_by_role("button", name="Set up a position").click()
    sheet = page.get_by_role("dialog", name="Set up a position")
    sheet.get_by_role("combobox", name="Game", exact=True).select_option("bamboo")
    sheet.get_by_label("Radius of the hexagon").select_option("2")
    expect(sheet.locator("[data-cell]")).to_have_count(19)
    sheet.locator("[data-cell=c3]").click()
    expect(sheet.locator(".verdict")).to_contain_text("Players place in turn")
    sheet.get_by_label("To move").select_option("1")
    expect(sheet.locator(".verdict")).to_have_text("This position is possible.")


def test_axe_finds_nothing(open_window: OpenWindow, address: str, axe: str) -> None:
    window = open_window()
    page = window.page
    for position in ("trapgrid/size~3/0..-...-..1_0", "quoridor/size~5"):
        page.goto("about:blank")
        page.goto(f"{address}/#/p/{position}")
        ways(page)
        assert window.violations(axe) == []
        for name in ("Set up a position", "Open a record"):
            # Not with the pointer: the analysis moves what is below it.
            page.get_by_role("button", name=name).dispatch_event("click")
            expect(page.get_by_role("dialog", name=name)).to_be_visible()
            assert window.violations(axe) == []
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog", name=name)).to_be_hidden()
