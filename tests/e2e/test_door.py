"""A server for accounts only: the page stays outside, says so, and lets people in who register or sign in."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cornered.cli.screenshots import running_server as one_server
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


def test_who_is_banned_is_told_why_and_the_page_stops_trying(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CORNERED_GUESTS", raising=False)
    # The command needs the data of a single server.
    with one_server("--no-bots", "--data", str(tmp_path)) as address, browser.new_context(locale="en-US") as context:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.goto(address)
        page.wait_for_selector(".lobby.ready")
        name = page.get_by_text(re.compile(r"^Guest \d{4}$")).first.inner_text()
        command = [sys.executable, "-m", "cornered", "admin", "moderation", "ban", name, "Insults"]
        subprocess.run([*command, "--data", str(tmp_path)], check=True, capture_output=True, timeout=TIMEOUT_MS / 1000)
        expect(page.get_by_role("heading", name="You cannot come in")).to_be_visible()
        expect(page.get_by_text("You are banned here: Insults")).to_be_visible()
        sockets: list[str] = []
        page.on("websocket", lambda socket: sockets.append(socket.url))
        page.wait_for_timeout(2_000)
        assert sockets == []
