"""A visitor whose socket is refused sees the reason, and is admitted automatically when there is room."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Route, expect
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from cornered import clients
from cornered.protocol.codec import JSON
from tests.e2e.servers import nodes, running_server

pytestmark = pytest.mark.browser


WEB = Path(clients.__file__).parent / "web"


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The page of a server that lets one address have a single connection."""
    monkeypatch.setenv("CORNERED_MAX_PER_ADDRESS", "1")
    with running_server("--no-bots") as address:
        yield address


def serve_files(route: Route) -> None:
    """Serve the page's files in the server's place, since the address has no connection left; let /visit through."""
    path = urlsplit(route.request.url).path
    if path == "/visit":
        route.continue_()
    else:
        route.fulfill(path=WEB / (path.lstrip("/") or "index.html"))


def wait_until(address: str, *, has_room: bool) -> None:
    """Wait until every node admits a connection, or none does: nodes tell each other once a second what they count.

    The balancer gives each request to the next node.
    """
    until, in_a_row = time.monotonic() + 20, 0
    while in_a_row < nodes():
        assert time.monotonic() < until, "the server counts no connection" if not has_room else "the server stays full"
        try:
            with urlopen(f"{address}/visit"):
                is_admitted = True
        except HTTPError:
            is_admitted = False
        in_a_row = in_a_row + 1 if is_admitted is has_room else 0
        if not in_a_row:
            time.sleep(0.1)


def test_the_page_says_why_no_socket_opens_and_connects_when_one_may(browser: Browser, crowded: str) -> None:
    # Files that the test serves have no address, so to Chromium this server is on another network.
    context = browser.new_context(permissions=["local-network-access"])
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.clock.install()
    page.route("**/*", serve_files)
    with connect(f"{crowded.replace('http', 'ws', 1)}/ws", subprotocols=[Subprotocol(JSON.subprotocol)]):
        wait_until(crowded, has_room=False)
        page.goto(crowded)
        page.clock.run_for(400)
        reason = "Too many connections from this address; close one, or try again in 30 s."
        expect(page.locator("#banner")).to_have_text(reason, timeout=20_000)
        # "Connection lost" does not replace the reason, and no attempt is made before its time.
        attempts: list[str] = []
        page.on("websocket", lambda socket: attempts.append(socket.url))
        page.clock.run_for(25_000)
        expect(page.locator("#banner")).to_have_text(reason)
        assert attempts == []
    wait_until(crowded, has_room=True)
    # The connection of the last request ends a moment after it, of which other nodes learn within a second.
    time.sleep(0.5 if nodes() == 1 else 1.5)
    page.clock.run_for(15_000)
    expect(page.locator("#banner")).to_have_text("Connected again.", timeout=20_000)
    context.close()
