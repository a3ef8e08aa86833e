"""What the page costs: requests and bytes of its first view, what is loaded when it is opened, frames of a slide."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cornered import clients
from cornered.bench.page import Traffic, frames, measure
from tests.e2e.window import TIMEOUT_MS, OpenWindow, begin, pair

pytestmark = pytest.mark.browser

WEB = Path(clients.__file__).parent / "web"
EAGER = {
    "main.js",
    *re.findall(r'(?:modulepreload|stylesheet)" href="([^"]+)"', (WEB / "index.html").read_text("utf-8")),
}
FIRST_VIEW_BYTES = 100_000
FIRST_VIEW_REQUESTS = 40
SLIDE_MS = 1_000
"""Milliseconds in which a move is sent, confirmed and shown."""
LONG_MS = 100
"""A frame that people see as a stutter."""
READY_RATIO = 8
"""How many times as long as for a bare page of the same server it takes until the lobby can be used; measured: 3.7."""
LAZY = {path.name for path in WEB.iterdir() if path.suffix in (".js", ".css")} - EAGER
"""Files of views that a visitor may never open."""


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_the_first_view_is_small_and_what_is_opened_later_is_loaded_later(
    locale: str, browser: Browser, address: str
) -> None:
    """From a context without any cache to a lobby that is ready and quiet."""
    traffic = Traffic()
    with browser.new_context(locale=locale) as context:
        page = context.new_page()
        traffic.count(page)
        page.goto(address, timeout=TIMEOUT_MS)
        page.wait_for_selector(".lobby.ready", timeout=TIMEOUT_MS)
        page.wait_for_load_state("networkidle", timeout=TIMEOUT_MS)
    assert sum(traffic.sizes.values()) <= FIRST_VIEW_BYTES, traffic.sizes
    assert len(traffic.names) <= FIRST_VIEW_REQUESTS, sorted(traffic.names.values())
    assert LAZY.isdisjoint(traffic.sizes)


def test_the_lobby_can_be_used_soon_after_a_bare_page_is_there(
    browser: Browser, address: str, record_property: Callable[[str, object], None]
) -> None:
    report = measure(browser, address, visits=3)
    for name, figure in (("interactive_ms", report.ready_ms), ("bare_page_ms", report.bare_ms)):
        record_property(name, figure)
    assert report.ready_ms <= READY_RATIO * report.bare_ms, report


def test_a_dialog_that_cannot_be_loaded_says_so_opens_the_next_time_and_is_loaded_once(open_window: OpenWindow) -> None:
    window = open_window(locale="en-US")
    page = window.page
    traffic = Traffic()
    openers = {
        "form.js": page.get_by_role("button", name="Play someone").first,
        "help.js": page.get_by_label("Help and keys"),
    }
    for name, opener in openers.items():
        page.route(f"**/{name}", lambda route: route.abort())
        opener.click()
        expect(page.locator(".toast").last).to_contain_text("could not be loaded")
        page.unroute(f"**/{name}")
        traffic.count(page) if name == "help.js" else None
        for _ in range(2):
            opener.click()
            expect(page.locator("dialog")).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.locator("dialog")).to_have_count(0)
    assert list(traffic.names.values()).count("help.js") == 1
    window.errors.clear()


def test_an_analysis_that_cannot_be_loaded_says_so_and_opens_the_next_time(open_window: OpenWindow) -> None:
    first, _ = pair(open_window, "TrapGrid", size=4)
    for name in ("study.js", "study.css"):
        watcher = open_window(locale="en-US")
        watcher.watch(first)
        page = watcher.page
        page.route(f"**/{name}", lambda route: route.abort())
        page.get_by_role("button", name="Analyse").click()
        expect(page.locator(".toast")).to_contain_text("could not be loaded")
        assert not page.locator(".study").count()
        page.unroute(f"**/{name}")
        page.get_by_role("button", name="Analyse").click()
        expect(page.locator(".study")).to_be_visible()
        watcher.errors.clear()


LAZY_VIEW = """
async () => {
    const { lazyView } = await import("./lazy.js");
    const make = ({ showHelp }) => ({
        element: Object.assign(document.createElement("p"), { className: "arrived", textContent: typeof showHelp }),
        close: () => (window.released = true),
    });
    window.view = lazyView(() => import("./help.js"), make, "study.css");
    document.querySelector("main").replaceChildren(window.view.element);
}
"""


def test_a_view_holds_its_place_while_it_is_loaded_and_offers_to_try_again(open_window: OpenWindow) -> None:
    window = open_window(locale="en-US")
    page = window.page
    page.route("**/study.css", lambda route: route.abort())
    page.evaluate(LAZY_VIEW)
    expect(page.locator(".lazy")).to_contain_text("could not be loaded")
    page.unroute("**/study.css")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("main .arrived")).to_have_text("function")
    expect(page.locator(".lazy")).to_have_count(0)
    assert page.evaluate("window.view.close(), window.released")
    window.errors.clear()


CLOSED_EARLY = """
async () => {
    const { lazyView, load } = await import("./lazy.js");
    const module = () => import("./help.js");
    let made = 0;
    const view = lazyView(module, () => ({ element: document.createElement("p"), close: () => {}, made: (made += 1) }));
    view.close();
    await load(module);
    return made;
}
"""


def test_a_view_that_is_closed_before_it_is_loaded_is_never_made(open_window: OpenWindow) -> None:
    assert open_window().page.evaluate(CLOSED_EARLY) == 0


def test_a_piece_slides_smoothly(open_window: OpenWindow, record_property: Callable[[str, object], None]) -> None:
    first, second = open_window(moves=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    first.await_turn()
    idle = frames(first.page, SLIDE_MS)
    slides = []
    for move, reply in (("b5", "d1"), ("c5", "c1"), ("c4", "b1")):
        first.await_turn()
        slides.append(frames(first.page, SLIDE_MS, partial(first.make, move)))
        second.await_turn()
        second.make(reply)
    # Another process may take the machine during one slide; a page that stutters does so in all of them.
    sliding = min(slides, key=share_of_long)
    for name, intervals in (("idle", idle), ("sliding", sliding)):
        record_property(f"{name}_p95_ms", sorted(intervals)[int(0.95 * (len(intervals) - 1))])
    assert share_of_long(sliding) <= share_of_long(idle) + 0.25


def share_of_long(intervals: list[float]) -> float:
    """Return the share of the time that passes in frames of more than LONG_MS."""
    return sum(one for one in intervals if one > LONG_MS) / sum(intervals)
