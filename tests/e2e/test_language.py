"""The page in another language than English, and one that runs from right to left, in a real browser."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from cornered import clients
from tests.e2e.window import DESK, PHONE, OpenWindow, Window, begin, play

pytestmark = pytest.mark.browser

LANGUAGES = Path(clients.__file__).parent / "web" / "languages"
GERMAN = "de-DE"
HOLE = re.compile(r"\{\w+\}")
SHOWN = """() => {
    const hidden = (element) => element.closest("[hidden], [lang=en], .code, kbd") || !element.checkVisibility();
    const found = [document.title];
    for (const element of document.querySelectorAll("body *")) {
        if (hidden(element)) continue;
        for (const name of ["aria-label", "title", "placeholder", "aria-valuetext", "alt"])
            if (element.getAttribute(name)) found.push(element.getAttribute(name));
        for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.data);
    }
    return found.map((text) => text.trim()).filter(Boolean);
}"""
"""Every text that people see or hear on the page."""


def catalogue() -> dict[str, Any]:
    """Return the texts of the whole page and those of its parts."""
    found: dict[str, Any] = {"texts": {}, "told": {}}
    for path in LANGUAGES.glob("de*.json"):
        part = json.loads(path.read_text(encoding="utf-8"))
        for kind in found:
            found[kind] |= part.get(kind, {})
    return found


@functools.cache
def english() -> list[re.Pattern[str]]:
    """Return the English sentences, as patterns of those that differ from the German ones."""
    entries = {**catalogue()["texts"], **catalogue()["told"]}
    keys = [key for key, entry in entries.items() if entry != key and re.search(r"[A-Za-z]{2}", HOLE.sub("", key))]
    same = {form for entry in entries.values() for form in ([entry] if isinstance(entry, str) else entry.values())}
    return [
        re.compile("(.+?)".join(map(re.escape, HOLE.split(re.sub(r"\[\w+\]$", "", key)))))
        for key in keys
        if key not in same
    ]


@functools.cache
def is_english(text: str) -> bool:
    return any(each.fullmatch(text.rstrip(".")) for each in english())


def resize(window: Window, size: tuple[int, int]) -> None:
    window.page.set_viewport_size({"width": size[0], "height": size[1]})


def assert_german(window: Window) -> None:
    """Require that no English sentence is on the page, on a desk and on a phone, and that nothing sticks out."""
    for size in (DESK, PHONE):
        resize(window, size)
        texts = {each for text in window.page.evaluate(SHOWN) for each in (text, *text.split(" · "), *text.split(", "))}
        assert sorted(filter(is_english, texts)) == []
        assert not window.is_too_wide()


def assert_english(window: Window) -> None:
    expect(window.page.locator("html")).to_have_attribute("lang", "en")
    expect(window.page.get_by_role("button", name="Play someone").first).to_be_visible()


def test_a_german_browser_plays_a_whole_game_in_german(open_window: OpenWindow, axe: str) -> None:
    first, second = open_window(), open_window(locale=GERMAN, size=PHONE)
    page = second.page
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", name="Offene Tische")).to_be_attached()
    assert_german(second)
    assert second.violations(axe) == []
    first.open_table("TrapGrid", seat=0, size=3, clock="+ 5 s")
    line = page.locator(".of-tables .line", has_text="TrapGrid")
    expect(line).to_be_visible()
    assert_german(second)
    line.get_by_role("button", name="Mitspielen").click()
    first.in_match()
    second.in_match()
    expect(second.status).to_contain_text("Warten auf")
    assert_german(second)
    second.does("abort").click()
    expect(second.does("abort")).to_have_text("Wirklich abbrechen?")
    play((first, second), "a2 b1 a1 b2")
    expect(second.status).to_contain_text("Du hast")
    expect(page.locator(".explanation")).to_contain_text("kein Feld mehr für einen Schritt")
    assert_german(second)
    assert second.violations(axe) == []
    page.get_by_role("button", name="Analysieren").click()
    expect(page.locator(".study")).to_contain_text("Noch ist kein Bot da, der dieses Spiel untersucht.")
    assert_german(second)


def test_dialogs_forms_and_refusals_are_german(open_window: OpenWindow, axe: str) -> None:
    window = open_window(locale=GERMAN, size=PHONE)
    page = window.page
    for game in ("TrapGrid", "Isolation", "Bamboo", "Quoridor"):
        page.locator(".tile-card", has_text=game).get_by_role("button", name="Mit anderen").click()
        expect(page.locator("dialog")).to_contain_text("Keine Uhr")
        page.locator("dialog details").evaluate("element => element.open = true")
        assert_german(window)
        if game == "Quoridor":
            assert window.violations(axe) == []
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
    page.get_by_label("Hilfe und Tasten").click()
    expect(page.locator("dialog.help")).to_contain_text("diese Hilfe")
    assert_german(window)
    page.keyboard.press("Escape")
    page.locator(".me").click()
    expect(page.locator("dialog")).to_contain_text("Dein Name")
    assert_german(window)
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#/m/nothing-of-the-kind'")
    expect(page.locator(".match")).to_contain_text("Es gibt kein Spiel 'nothing-of-the-kind'.")
    assert_german(window)


def test_the_language_is_chosen_and_kept_and_without_its_catalogue_the_page_is_english(open_window: OpenWindow) -> None:
    window = open_window(locale=GERMAN)
    choice = window.page.locator("select[name=language]")
    choice.select_option("en")
    assert_english(window)
    window.page.reload()
    assert_english(window)
    choice.select_option("system")
    expect(window.page.locator("html")).to_have_attribute("lang", "de")
    window.page.route("**/languages/de.json", lambda route: route.abort())
    window.page.reload()
    assert_english(window)
    window.errors.clear()


def test_the_language_is_chosen_beside_the_boards_look(open_window: OpenWindow) -> None:
    # This browser's language has no catalogue.
    first, second = open_window(locale="fi-FI"), open_window()
    assert_english(first)
    begin(first, second, "TrapGrid", size=4)
    first.page.get_by_role("button", name="Look", exact=True).click()
    first.page.locator("dialog select[name=language]").select_option("de")
    expect(first.page.locator("html")).to_have_attribute("lang", "de")
    expect(first.status).to_have_text("Du bist dran")


def mirrored() -> dict[str, Any]:
    """Return a catalogue of a made-up language that runs from right to left, with the lengths of the German texts."""

    def turn(text: str) -> str:
        parts = re.split(r"(\{\w+\})", text)
        letters = [re.sub("[A-Za-zÄÖÜäöüß]", lambda found: chr(0x5D0 + ord(found[0]) % 27), part) for part in parts]
        return "".join(
            part if index % 2 else letter for index, (part, letter) in enumerate(zip(parts, letters, strict=True))
        )

    def turned(entry: str | dict[str, str]) -> str | dict[str, str]:
        return turn(entry) if isinstance(entry, str) else {category: turn(form) for category, form in entry.items()}

    found = catalogue()
    sections = {name: {key: turned(entry) for key, entry in found[name].items()} for name in ("texts", "told")}
    return {**sections, "direction": "rtl"}


def test_rules_lessons_puzzles_and_searches_are_german(open_window: OpenWindow) -> None:
    window = open_window(locale=GERMAN, knows_rules=False)
    page = window.page
    taught = json.loads((LANGUAGES / "de-learn.json").read_text(encoding="utf-8"))
    page.evaluate("location.hash = '#/learn'")
    expect(page.get_by_role("heading", name="Lernen", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name=taught["Dead ends"])).to_be_visible()
    assert_german(window)
    page.get_by_role("button", name="Regeln von Quoridor").click()
    first = "Be the first to reach the far side. In turn, step one cell, or place a wall."
    expect(page.locator("dialog .caption")).to_have_text(taught[first])
    assert_german(window)
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#/learn/trapgrid/1'")
    expect(page.locator(".ask")).to_contain_text("Du bist die Scheibe.")
    page.locator("[data-cell=a4]").click()
    expect(page.locator(".told")).to_contain_text("durchgekreuzt")
    assert_german(window)
    page.evaluate("location.hash = '#/puzzles'")
    expect(page.get_by_role("heading", name="Rätsel", exact=True)).to_be_visible()
    assert_german(window)
    page.locator(".numbers a").first.click()
    expect(page.locator(".told")).to_contain_text("Du bist am Zug.")
    assert_german(window)
    page.evaluate("location.hash = '#/think'")
    expect(page.get_by_role("heading", name="Einer Suche zusehen")).to_be_visible()
    expect(page.locator(".state")).to_contain_text("Noch ist kein Bot da")
    assert_german(window)


def test_a_language_from_right_to_left_mirrors_the_page_and_no_board(open_window: OpenWindow) -> None:
    first, second = open_window(), open_window(locale=GERMAN, size=PHONE)
    page = second.page
    page.route("**/languages/de.json", lambda route: route.fulfill(json=mirrored()))
    page.reload()
    page.wait_for_selector(".lobby.ready")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    for size in (DESK, PHONE):
        resize(second, size)
        assert not second.is_too_wide()
        brand, help_button = page.locator(".brand").bounding_box(), page.locator("#top button").last.bounding_box()
        assert brand is not None
        assert help_button is not None
        assert brand["x"] > help_button["x"]
    begin(first, second, "TrapGrid", size=5)
    play((first, second), "b5 d1")
    for size in (DESK, PHONE):
        resize(second, size)
        # In any language the board of the first player is turned round; that of the second is not.
        for window, sign in ((first, -1), (second, 1)):
            assert sign * (window.middle("e1")[0] - window.middle("a1")[0]) > 0
        left, right = (page.locator(".movelist .move").nth(index).bounding_box() for index in (0, 1))
        assert left is not None
        assert right is not None
        assert left["x"] < right["x"]
        assert not second.is_too_wide()
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"
        assert page.locator(".panel, .bar, .actions, .status").evaluate_all(cut) == []
