"""Order in the page: a player reports, an administrator reads, bans and lifts, and the banned one sees why."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from cornered.cli import screenshots
from cornered.clients import sdk
from tests.e2e.accounts import PASSWORD, fill_in, register, sheet, sign_in
from tests.e2e.installation import administer
from tests.e2e.window import DESK, PHONE, OpenWindow, Window, begin

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cornered-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def address(data: Path, compiled: None) -> Iterator[str]:
    """The address of a server whose store is in `data`."""
    with screenshots.running_server("--no-bots", "--data", str(data)) as address:
        yield address


@pytest.fixture(scope="module")
def warden(address: str, data: Path) -> str:
    """The name of an administrator."""
    # The browser's own loop runs in this thread.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, sdk.register(address.replace("http", "ws", 1), "Warden", PASSWORD)).result()
    administer("accounts", "grant", "Warden", "admin", CORNERED_DATA=str(data))
    return "Warden"


def administration(open_window: OpenWindow, warden: str) -> Window:
    """Return a window of the administrator, in the administration."""
    window = open_window(size=DESK)
    sign_in(window, warden)
    expect(window.page.locator(".me")).to_have_text(warden)
    window.page.get_by_role("button", name="Your account").click()
    sheet(window, "Your account").get_by_role("link", name="Administration").click()
    expect(window.page.get_by_role("heading", name="Administration")).to_be_visible()
    return window


def part(window: Window, name: str) -> Locator:
    """Open a part of the administration."""
    window.page.get_by_role("navigation", name="Administration").get_by_role("link", name=name).click()
    place = window.page.locator(".admin-part")
    expect(place).not_to_have_attribute("aria-busy", "true")
    return place


def test_a_player_reports_and_an_administrator_reads_bans_and_lifts(
    open_window: OpenWindow, warden: str, axe: str
) -> None:
    ann, ben = open_window(size=DESK), open_window(size=DESK)
    ann.take_name("Ann")
    ben.take_name("Ben")
    begin(ann, ben, "trapgrid", size=5)
    ben.page.get_by_label("Message").fill("You never learn it")
    ben.page.get_by_role("button", name="Send").click()
    ann.page.get_by_role("log").get_by_role("button", name="Ben").click()
    sheet(ann, "Ben").get_by_role("button", name="Report").click()
    expect(sheet(ann, "Report Ben")).to_contain_text("The game is attached")
    assert ann.violations(axe) == []
    fill_in(ann, "Report Ben", "Send the report")
    expect(sheet(ann, "Report Ben").get_by_role("alert").first).to_have_text("This is needed.")
    fill_in(ann, "Report Ben", "Send the report", grounds="Insults in the chat")
    expect(ann.page.locator(".toast")).to_contain_text("Your report was received")

    office = administration(open_window, warden)
    report = office.page.get_by_role("article", name="Report 1")
    expect(report).to_contain_text("Insults in the chat")
    expect(report.get_by_role("link", name="The game")).to_have_attribute("href", f"#/m/{ann.page.url.split('/')[-1]}")
    report.get_by_role("button", name="The chat").click()
    expect(report.locator(".reported-chat")).to_contain_text("You never learn it")
    assert office.violations(axe) == []

    report.get_by_role("button", name="Ban or mute").click()
    sheet(office, "Ban or mute Ben").get_by_label("How long").select_option(label="1 week")
    assert office.violations(axe) == []
    fill_in(office, "Ban or mute Ben", "Decide", grounds="Be kind")
    expect(ben.page.get_by_role("heading", name="You cannot come in")).to_be_visible()
    expect(ben.page.locator("#view")).to_contain_text("Be kind")

    report.get_by_role("button", name="Close…").click()
    fill_in(office, "Close report 1", "Close the report", grounds="Banned for a week")
    expect(office.page.locator(".admin-part")).to_contain_text("No report is open.")
    expect(ann.page.locator(".toast", has_text="looked at your report")).to_be_visible()

    bans = part(office, "Bans and mutes")
    expect(bans.get_by_role("row", name="Ben")).to_contain_text("Be kind")
    assert office.violations(axe) == []
    bans.get_by_role("button", name="Lift number 2").click()
    fill_in(office, "Lift the ban of Ben", "Lift it", grounds="Said sorry")
    expect(bans).to_contain_text("Nobody is banned or muted.")
    ben.page.reload()
    expect(ben.page.locator(".me")).to_have_text("Ben")

    log = part(office, "Log")
    expect(log).to_contain_text("Verified")
    expect(log.get_by_role("row")).to_have_count(5)
    expect(log).to_contain_text("ban 2 is lifted: Said sorry")
    assert office.violations(axe) == []
    ben.errors.clear()


def test_accounts_are_found_and_invited_by_administrators_alone(open_window: OpenWindow, warden: str, axe: str) -> None:
    other = open_window(size=PHONE)
    register(other, "Wallcreeper")
    office = administration(open_window, warden)
    accounts = part(office, "Accounts")
    expect(accounts.get_by_role("row")).to_have_count(3)
    accounts.get_by_role("searchbox").fill("wall")
    expect(accounts.get_by_role("row")).to_have_count(2)
    expect(accounts.get_by_role("row", name="Wallcreeper")).to_contain_text("just now")
    assert office.violations(axe) == []
    accounts.get_by_role("searchbox").fill("nobody has this name")
    expect(accounts).to_contain_text("Nobody was found.")
    invitations = part(office, "Invitations")
    invitations.get_by_role("button", name="Make an invitation").click()
    expect(invitations).to_contain_text("For 30 accounts")
    assert office.violations(axe) == []
    # Nobody else sees the administration.
    other.page.get_by_role("button", name="Your account").click()
    expect(sheet(other, "Your account").get_by_role("button", name="Signed-in devices")).to_be_visible()
    expect(sheet(other, "Your account").get_by_role("link", name="Administration")).to_have_count(0)
    other.page.goto(other.address + "/#/admin")
    other.page.reload()
    expect(other.page.locator(".admin-part")).to_contain_text("This page is for administrators")
