"""A server for accounts only: the page stays outside, says so, and lets people in who register or sign in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.accounts import PASSWORD
from tests.e2e.servers import running_server
from tests.e2e.window import TIMEOUT_MS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def closed() -> Iterator[str]:
    """The address of a server without guests."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CORNERED_GUESTS", "false")
        with running_server("--no-bots") as address:
            yield address


def test_the_door_lets_in_who_registers_and_who_signs_in(browser: Browser, closed: str) -> None:
    with browser.new_context(locale="en-US") as context, browser.new_context(locale="en-US") as other:
        pages = context.new_page(), other.new_page()
        for page in pages:
            page.set_default_timeout(TIMEOUT_MS)
            page.goto(f"{closed}/#/learn")
            expect(page.get_by_role("heading", name="This server is for accounts")).to_be_visible()
        first, second = pages
        first.get_by_role("main").get_by_role("button", name="Create an account").click()
        form = first.get_by_role("dialog", name="Create an account")
        form.get_by_label("Name").fill("Sanderling")
        form.get_by_label("Password", exact=True).fill(PASSWORD)
        form.get_by_role("button", name="Create it").click()
        expect(first.locator(".code-list code")).to_have_count(10)
        first.get_by_label("I have kept them").check()
        first.get_by_role("button", name="Done").click()
        # The page that was asked for.
        expect(first.locator(".learn h1")).to_be_visible()
        expect(first.locator(".me")).to_have_text("Sanderling")
        second.get_by_role("main").get_by_role("button", name="Sign in").click()
        form = second.get_by_role("dialog", name="Sign in")
        form.get_by_label("Name").fill("Sanderling")
        form.get_by_label("Password", exact=True).fill("not the password")
        form.get_by_role("button", name="Sign in", exact=True).click()
        expect(form.get_by_label("Password", exact=True)).to_have_attribute("aria-invalid", "true")
        form.get_by_label("Password", exact=True).fill(PASSWORD)
        form.get_by_role("button", name="Sign in", exact=True).click()
        expect(second.locator(".me")).to_have_text("Sanderling")
        # Signed out, one is outside again.
        second.get_by_role("button", name="Your account").click()
        second.get_by_role("button", name="Sign out", exact=True).click()
        expect(second.get_by_role("heading", name="This server is for accounts")).to_be_visible()
