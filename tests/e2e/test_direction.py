"""Right-to-left names and words stay in their place: the page's own sentences keep their order."""

# ruff: noqa: RUF001 - the dashes are those of the page.

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.window import OpenWindow, begin

pytestmark = pytest.mark.browser

HEBREW = "שרה 77"
SPEAKER = "שלמה 5"
ARABIC = "(مريم)"
LEFTS = """(element, words) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const left = {};
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        for (const word of words) {
            const at = node.data.indexOf(word);
            if (at < 0 || word in left) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            left[word] = range.getBoundingClientRect().left;
        }
    return words.map((word) => left[word]);
}"""


def assert_in_order(element: Locator, *words: str) -> None:
    """Require that the words stand in this order from left to right, on one line."""
    lefts = element.evaluate(LEFTS, list(words))
    assert None not in lefts, (words, element.text_content())
    assert lefts == sorted(lefts), dict(zip(words, lefts, strict=True))


def test_a_name_from_right_to_left_changes_no_sentence(open_window: OpenWindow) -> None:
    first, second, third = open_window(), open_window(), open_window()
    first.take_name(HEBREW)
    second.take_name(ARABIC)
    first.open_table("TrapGrid", seat=0, clock="+ 5 s", size=4)
    line = third.page.locator(".of-tables .line", has_text="TrapGrid")
    expect(line).to_be_visible()
    assert_in_order(line.locator("div.quiet"), "77", "שרה", "5 min")
    second.sit_down("TrapGrid")
    first.in_match()
    second.in_match()
    third.watch(first)
    expect(third.status).to_contain_text("to move")
    assert_in_order(third.status, "שרה", "to move")
    for seat, name in enumerate(("שרה", "مريم")):
        expect(third.page.locator(f".bar[data-seat='{seat}'] .name")).to_contain_text(name)
    assert third.page.title().startswith(f"\u2068{HEBREW}\u2069 – \u2068{ARABIC}\u2069 – ")


def test_chat_from_right_to_left_stays_behind_its_speaker_and_markup_in_a_name_is_text(open_window: OpenWindow) -> None:
    first, second = open_window(), open_window()
    first.take_name("<b>B</b><img src=x>")
    second.take_name(SPEAKER)
    begin(first, second, "TrapGrid", size=4)
    expect(second.page.locator(".bar[data-seat='0'] .name")).to_have_text("<b>B</b><img src=x>")
    assert second.page.locator(".match b, .match img").count() == 0
    message = second.page.get_by_label("Message")
    if not message.is_visible():
        second.page.locator(".chat > button").click()
    message.fill("1 שלום\u202e 2")
    message.press("Enter")
    said = second.page.locator(".chat .lines p")
    expect(said).to_have_text(f"{SPEAKER} 1 שלום 2")
    # The line runs from right to left inside its own span, which follows the name.
    name, words = (said.locator(part).bounding_box() for part in ("strong bdi", ":scope > bdi"))
    assert name is not None
    assert words is not None
    assert name["x"] + name["width"] <= words["x"]
    assert_in_order(said.locator(":scope > bdi"), "2", "שלום", "1")
