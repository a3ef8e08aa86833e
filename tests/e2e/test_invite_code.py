"""The invite link of an open table and its QR code, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from cornered.cli.screenshots import FLAGS
from tests.e2e.servers import running_server
from tests.e2e.window import PHONE, Window

pytestmark = pytest.mark.browser

NAME = "games.example"


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    """A browser for which the server has a name, as on a network; a phone could not open an address of this machine."""
    with sync_playwright() as playwright:
        resolver = f"--host-resolver-rules=MAP {NAME} 127.0.0.1"
        browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS, resolver])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CORNERED_HOSTS", NAME)
        with running_server("--no-bots") as address:
            yield address


@pytest.mark.parametrize("size", [PHONE, (1200, 800)], ids=str)
def test_an_open_table_shows_its_link_and_the_links_code(size: tuple[int, int], browser: Browser, address: str) -> None:
    host = Window(browser, address.replace("127.0.0.1", NAME), size=size)
    host.open_table("TrapGrid")
    card = host.page.locator(".call.waiting")
    link = card.locator(".address").inner_text()
    assert link.startswith(address.replace("127.0.0.1", NAME) + "/#/s/")
    code = card.get_by_role("img", name="QR code of the invite link")
    code.scroll_into_view_if_needed()
    expect(code).to_have_js_property("naturalWidth", 150)
    guest = host.context.new_page()
    guest.goto(link)
    expect(guest.locator(".call").first).to_be_visible()
    host.close()


def test_a_code_that_does_not_come_leaves_the_link(browser: Browser, address: str) -> None:
    host = Window(browser, address.replace("127.0.0.1", NAME))
    host.page.route("**/qr.svg*", lambda route: route.abort())
    host.open_table("TrapGrid")
    expect(host.page.locator(".call.waiting .address")).to_be_visible()
    expect(host.page.locator(".call.waiting img")).to_have_count(0)
    host.close()


def test_this_machines_own_address_is_no_invitation(open_window: Callable[..., Window]) -> None:
    host = open_window()
    host.open_table("TrapGrid")
    expect(host.page.locator(".call.waiting")).to_contain_text("works on this machine only")
    expect(host.page.locator(".call.waiting img")).to_have_count(0)
