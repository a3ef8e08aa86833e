"""`cornered bench page`: the page's first view beside a bare static page of the same server, in a real browser."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["PageReport", "Traffic", "as_json", "frames", "lines", "measure"]

VISITS: Final = 7
TIMEOUT_MS: Final = 60_000
BARE: Final = "/offline.html"
"""A page of one script and one stylesheet, which the server ships."""
_WHEN_READY: Final = """
const observer = new MutationObserver(() => {
    if (!document.querySelector(".lobby.ready")) return;
    window.readyAt = performance.now();
    observer.disconnect();
});
observer.observe(document, { subtree: true, childList: true, attributes: true });
"""
_BARE_LOADED: Final = "performance.getEntriesByType('navigation')[0].loadEventEnd"
_RECORD_FRAMES: Final = """
(limit) => {
    window.intervals = new Promise((resolve) => {
        const times = [];
        const frame = (now) => {
            times.push(now);
            if (now - times[0] < limit) requestAnimationFrame(frame);
            else resolve(times.slice(1).map((time, index) => time - times[index]));
        };
        requestAnimationFrame(frame);
    });
}
"""


@dataclass(frozen=True, slots=True)
class PageReport:
    """The figures of one run: medians of visits with a cold cache, each beside one to the bare page."""

    bytes: int
    requests: int
    ready_ms: float
    bare_ms: float


@dataclass
class Traffic:
    """The requests of a page, as Chromium counts them."""

    names: dict[str, str] = field(default_factory=dict)
    """Paths by request."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Bytes over the wire by path, with the header fields."""

    def count(self, page: Page) -> None:
        """Count what the page requests from now on."""
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")

    def _sent(self, event: dict[str, object]) -> None:
        request = event["request"]
        assert isinstance(request, dict)
        self.names[str(event["requestId"])] = urlsplit(str(request["url"])).path.removeprefix("/")

    def _finished(self, event: dict[str, object]) -> None:
        self.sizes[self.names[str(event["requestId"])]] = int(str(event["encodedDataLength"]).partition(".")[0])


def measure(browser: Browser, address: str, visits: int = VISITS) -> PageReport:
    """Visit a server's page and the bare one in turn, each time without any cache."""
    ready: list[float] = []
    bare: list[float] = []
    traffic = Traffic()
    for _ in range(visits):
        with browser.new_context() as context:
            page = context.new_page()
            page.goto(address + BARE, timeout=TIMEOUT_MS)
            bare.append(page.evaluate(_BARE_LOADED))
        with browser.new_context() as context:
            page = context.new_page()
            page.add_init_script(_WHEN_READY)
            traffic = Traffic()
            traffic.count(page)
            page.goto(address, timeout=TIMEOUT_MS)
            page.wait_for_selector(".lobby.ready", timeout=TIMEOUT_MS)
            ready.append(page.evaluate("window.readyAt"))
            page.wait_for_load_state("networkidle", timeout=TIMEOUT_MS)
    return PageReport(
        sum(traffic.sizes.values()), len(traffic.names), statistics.median(ready), statistics.median(bare)
    )


def frames(page: Page, limit_ms: int, act: Callable[[], object] = lambda: None) -> list[float]:
    """Return the milliseconds between the frames of a page, from just before `act` until `limit_ms` later."""
    page.evaluate(_RECORD_FRAMES, limit_ms)
    act()
    intervals: list[float] = page.evaluate("window.intervals")
    return intervals


def as_json(report: PageReport) -> str:
    return json.dumps(asdict(report))


def lines(report: PageReport) -> list[str]:
    """Return the report as text."""
    return [
        f"first view: {report.bytes:,} bytes over the wire in {report.requests} requests, header fields included",
        f"interactive after {report.ready_ms:.0f} ms; a bare page is loaded after {report.bare_ms:.0f} ms "
        f"({report.ready_ms / report.bare_ms:.1f} times)",
    ]
