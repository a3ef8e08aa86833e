"""The invite link of an open table and its QR code, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.window import DESK, HOST_NAME, PHONE, OpenWindow

pytestmark = pytest.mark.browser


@pytest.fixture
def named_address(address: str) -> str:
    """The page's address as on a network; a phone could not open an address of this machine."""
    return address.replace("127.0.0.1", HOST_NAME)


def test_an_open_table_shows_its_link_and_the_links_code(named_address: str, open_window: OpenWindow, axe: str) -> None:
    host = open_window(address=named_address, size=PHONE)
    host.open_table("TrapGrid")
    card = host.page.locator(".call.waiting")
    link = card.locator(".address").inner_text()
    assert link.startswith(named_address + "/#/s/")
    code = card.get_by_role("img", name="QR code of the invite link")
    for width, height in (PHONE, DESK):
        host.page.set_viewport_size({"width": width, "height": height})
        code.scroll_into_view_if_needed()
        expect(code).to_have_js_property("naturalWidth", 150)
        assert host.violations(axe) == []
    guest = host.context.new_page()
    guest.goto(link)
    expect(guest.locator(".call").first).to_be_visible()
    host.page.route("**/qr.svg*", lambda route: route.abort())
    host.page.reload()
    # A code that does not come leaves the link.
    expect(card.locator(".address")).to_be_visible()
    expect(card.locator("img")).to_have_count(0)
    host.errors.clear()


def test_this_machines_own_address_is_no_invitation(open_window: OpenWindow) -> None:
    host = open_window()
    host.open_table("TrapGrid")
    expect(host.page.locator(".call.waiting")).to_contain_text("works on this machine only")
    expect(host.page.locator(".call.waiting img")).to_have_count(0)
