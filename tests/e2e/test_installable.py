"""The page as an installed app: its manifest and icons, and what it shows where the server cannot be reached."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Playwright, expect

from cornered import clients
from cornered.cli.screenshots import FLAGS
from tests.conftest import require
from tests.e2e.window import TIMEOUT_MS

pytestmark = pytest.mark.browser

WEB = Path(clients.__file__).parent / "web"
DRAWN = {
    "icon-192.png": ("icon.svg", 192),
    "icon-512.png": ("icon.svg", 512),
    "icon-full-512.png": ("icon-full.svg", 512),
    "icon-full-180.png": ("icon-full.svg", 180),
}
"""The drawings that the pictures are made from, for systems that read no SVG."""
CONTROLLED = """
(limit) =>
    new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error("no service worker took over")), limit);
        navigator.serviceWorker.addEventListener("controllerchange", () => resolve(true));
        if (navigator.serviceWorker.controller) resolve(true);
    })
"""
KEPT_FILES = """
async () => {
    const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = await Promise.all(caches_.map((cache) => cache.keys()));
    return requests.flat().map((request) => new URL(request.url).pathname.slice(1));
}
"""
KEPT = {"icon.svg", "offline.css", "offline.html", "offline.js"}


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Chromium with all its parts: pages are installed in it, and not in the headless shell of the other tests."""
    program = require("chromium")
    browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
    yield browser
    browser.close()


def test_the_manifest_is_what_browsers_ask_of_an_installable_page(address: str) -> None:
    with urlopen(f"{address}/manifest.webmanifest") as answer:
        assert answer.headers["Content-Type"] == "application/manifest+json"
        manifest = json.load(answer)
    assert manifest["name"] == manifest["short_name"] == "Cornered"
    assert manifest["display"] == "standalone"
    # Below any folder of a proxy too.
    assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "./"
    assert {"any", "maskable"} == {icon["purpose"] for icon in manifest["icons"]}
    for icon in manifest["icons"]:
        with urlopen(f"{address}/{icon['src']}") as answer:
            assert answer.headers["Content-Type"] == icon["type"]
            picture = answer.read()
        if icon["type"] == "image/png":
            assert icon["sizes"] == "{}x{}".format(*struct.unpack(">II", picture[16:24]))


def test_the_page_names_manifest_colours_and_icon(browser: Browser, address: str) -> None:
    with browser.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.goto(address, timeout=TIMEOUT_MS)
        page.wait_for_selector(".lobby.ready", timeout=TIMEOUT_MS)
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        colours = {
            meta.get_attribute("media"): meta.get_attribute("content")
            for meta in page.locator("meta[name=theme-color]").all()
        }
        assert set(colours) == {"(prefers-color-scheme: light)", "(prefers-color-scheme: dark)"}
        dark = colours["(prefers-color-scheme: dark)"] or ""
        assert background == f"rgb({', '.join(str(byte) for byte in bytes.fromhex(dark[1:]))})"
        touch = page.locator("link[rel=apple-touch-icon]").get_attribute("href")
        assert page.request.get(f"{address}/{touch}").ok


def test_the_pictures_are_those_of_the_drawings(browser: Browser, tmp_path: Path) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        for name, (source, size) in DRAWN.items():
            page.set_viewport_size({"width": size, "height": size})
            style = "<style>body { margin: 0 } svg { display: block }</style>"
            page.set_content(f"{style}{(WEB / source).read_text()}")
            page.screenshot(path=tmp_path / name, omit_background=True)
            fresh, kept = (Image.open(folder / name).convert("RGBA") for folder in (tmp_path, WEB))
            apart = ImageChops.difference(fresh, kept).convert("L")
            # Versions of the browser smooth edges a little differently.
            assert sum(value > 64 for value in apart.tobytes()) < size, f"copy {tmp_path / name} to {WEB}"


def test_without_a_connection_a_page_says_so_comes_back_by_itself_and_no_module_is_kept(
    browser: Browser, address: str
) -> None:
    with browser.new_context() as context:
        context.set_default_timeout(TIMEOUT_MS)
        page = context.new_page()
        page.goto(f"{address}/#/m/some-match")
        page.evaluate(CONTROLLED, TIMEOUT_MS)
        context.set_offline(True)
        page.reload()
        words = page.get_by_role("heading", name="Cornered is out of reach")
        expect(words).to_be_visible()
        expect(page.locator("p").first).to_contain_text("needs its server to play")
        button = page.get_by_role("button", name="Try again")
        # Its own styles and picture are there too.
        assert button.evaluate("button => getComputedStyle(button).fontWeight") == "650"
        expect(page.locator("img")).to_have_js_property("complete", True)
        assert page.locator("img").evaluate("image => image.naturalWidth") > 0
        button.click()
        expect(words).to_be_visible()
        context.set_offline(False)
        expect(page.locator(".brand")).to_be_visible()
        expect(page).to_have_url(f"{address}/#/m/some-match")
        page.locator(".brand").click()
        page.wait_for_selector(".lobby.ready")
        assert set(page.evaluate(KEPT_FILES)) == KEPT
