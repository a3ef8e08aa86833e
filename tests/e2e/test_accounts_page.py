"""Accounts in the page: registration, codes shown once, sign-in, recovery, the account's own sheets, and its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.accounts import PASSWORD, fill_in, register, sheet, sign_in
from tests.e2e.window import DESK, PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser

# Each window has a size, so that it is not one of an earlier test, which is signed in.
OTHER = "eight louder herons"


def open_account(window: Window, line: str) -> None:
    """Open the sheet of the account, and a line of it."""
    window.page.get_by_role("button", name="Your account").click()
    sheet(window, "Your account").get_by_role("button", name=line).click()


def test_axe_finds_nothing_in_the_ways_in_and_the_sheets_of_an_account(open_window: OpenWindow, axe: str) -> None:
    window = open_window(size=DESK)
    page = window.page
    page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    fill_in(window, "Sign in", "Sign in", username="Nobody", password="wrong")
    expect(page.locator("[aria-invalid]")).to_have_count(1)
    assert window.violations(axe) == []
    page.get_by_role("button", name="Forgotten the password?").click()
    assert window.violations(axe) == []
    page.keyboard.press("Escape")
    page.locator(".me").click()
    assert window.violations(axe) == []
    page.get_by_role("button", name="Create an account").click()
    assert window.violations(axe) == []
    fill_in(window, "Create an account", "Create it", username="Auk", new_password=PASSWORD)
    expect(page.locator(".code-list code")).to_have_count(10)
    assert window.violations(axe) == []
    page.get_by_label("I have kept them").check()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Your account").click()
    expect(sheet(window, "Your account")).to_be_visible()
    assert window.violations(axe) == []
    for line in ("Name", "Password", "Recovery codes", "Signed-in devices", "Personal tokens", "Delete my account"):
        sheet(window, "Your account").get_by_role("button", name=line).click()
        expect(page.locator("dialog")).to_have_count(2)
        expect(page.locator("dialog").last).not_to_contain_text("Loading")
        assert window.violations(axe) == [], line
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Personal tokens").click()
    page.get_by_role("button", name="New token").click()
    assert window.violations(axe) == []


def test_a_guest_becomes_an_account_and_is_the_same_player_on_a_second_device(open_window: OpenWindow) -> None:
    first, second = open_window(size=DESK), open_window(size=PHONE)
    me = first.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)")
    tab = first.context.new_page()
    tab.goto(first.page.url)
    expect(tab.locator(".lobby.ready")).to_be_visible()
    register(first, "Avocet")
    # The guest's token has ended: this tab and the other one go on with that of the account.
    expect(tab.locator(".me")).to_have_text("Avocet")
    expect(tab.get_by_text("You were signed out")).to_have_count(0)
    tab.close()
    first.page.reload()
    expect(first.page.locator(".me")).to_have_text("Avocet")
    expect(first.page.locator(".lobby.ready")).to_be_visible()
    assert first.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)") == me
    expect(first.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_have_count(0)
    # On a phone the way in is the sheet of the name.
    second.page.locator(".me").click()
    second.page.get_by_role("button", name="Sign in").click()
    fill_in(second, "Sign in", "Sign in", username="avocet", password=PASSWORD)
    expect(second.page.locator(".me")).to_have_text("Avocet")
    assert second.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)") == me
    second.page.reload()
    expect(second.page.locator(".me")).to_have_text("Avocet")


def test_what_is_refused_is_said_beside_its_field_and_fields_are_named_for_password_managers(
    open_window: OpenWindow,
) -> None:
    first, second = open_window(size=DESK), open_window(size=DESK)
    register(first, "Bittern")
    second.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    fields = sheet(second, "Sign in").locator("input")
    expect(fields).to_have_count(2)
    assert fields.evaluate_all("all => all.map(one => [one.autocomplete, one.type])") == [
        ["username", "text"],
        ["current-password", "password"],
    ]
    show = second.page.get_by_role("button", name="Show the password")
    show.click()
    expect(show).to_have_attribute("aria-pressed", "true")
    expect(fields.nth(1)).to_have_attribute("type", "text")
    second.page.get_by_role("button", name="Create an account").click()
    form = sheet(second, "Create an account")
    expect(form).to_be_visible()
    assert form.locator("input").evaluate_all("all => all.map(one => one.autocomplete)") == [
        "username",
        "new-password",
    ]
    name, password = form.get_by_label("Name"), form.get_by_label("Password", exact=True)
    fill_in(second, "Create an account", "Create it")
    expect(form.get_by_role("alert").filter(has_text="This is needed.")).to_have_count(2)
    expect(name).to_be_focused()
    fill_in(second, "Create an account", "Create it", username="Bittern", new_password="short")
    expect(form.get_by_role("alert").filter(has_text="At least 8 characters.")).to_be_visible()
    expect(password).to_be_focused()
    fill_in(second, "Create an account", "Create it", new_password=PASSWORD)
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_be_focused()
    name.fill("Bunting")
    expect(name).not_to_have_attribute("aria-invalid", "true")
    second.page.keyboard.press("Escape")
    sign_in(second, "Bittern", "not the password")
    expect(sheet(second, "Sign in").get_by_label("Password", exact=True)).to_have_attribute("aria-invalid", "true")
    expect(sheet(second, "Sign in")).to_be_visible()


def test_recovery_codes_are_not_lost_by_a_slip_and_each_sets_a_password_once(open_window: OpenWindow) -> None:
    window, other = open_window(size=DESK), open_window(size=DESK)
    window.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    window.page.get_by_role("button", name="Create an account").click()
    fill_in(window, "Create an account", "Create it", username="Crake", new_password=PASSWORD)
    codes = sheet(window, "Keep your recovery codes")
    expect(codes.get_by_role("button", name="Done")).to_be_disabled()
    window.page.keyboard.press("Escape")
    expect(codes).to_be_visible()
    with window.page.expect_download() as download:
        codes.get_by_role("link", name="Save as a file").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    shown = codes.locator("code").all_inner_texts()
    assert [line for line in saved.splitlines() if line in shown] == shown
    codes.get_by_label("I have kept them").check()
    codes.get_by_role("button", name="Done").click()
    for attempt in range(2):
        other.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
        other.page.get_by_role("button", name="Forgotten the password?").click()
        fill_in(other, "Recover your account", "Set the password", username="Crake", code=shown[0], new_password=OTHER)
        if attempt == 0:
            expect(other.page.locator(".me")).to_have_text("Crake")
            other.page.get_by_role("button", name="Your account").click()
            expect(sheet(other, "Your account")).to_contain_text("9 left")
            other.page.get_by_role("button", name="Sign out", exact=True).click()
            expect(other.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()
    expect(sheet(other, "Recover your account").get_by_label("Recovery code")).to_have_attribute("aria-invalid", "true")
    # The recovery has ended the first device's session.
    expect(window.page.locator(".toast")).to_contain_text("signed out here")
    window.errors.clear()


def test_name_and_password_are_changed_and_another_device_is_listed_and_signed_out(open_window: OpenWindow) -> None:
    first, second = open_window(size=DESK), open_window(size=DESK)
    register(first, "Egret")
    open_account(first, "Name")
    fill_in(first, "Change your name", "Use this name", name="Little Egret")
    expect(first.page.locator(".me")).to_have_text("Little Egret")
    account = sheet(first, "Your account")
    expect(account).to_contain_text("Little Egret")
    account.get_by_role("button", name="Password").click()
    fill_in(first, "Change your password", "Change it", password="not it", new_password=OTHER)
    expect(sheet(first, "Change your password").get_by_label("Present password")).to_be_focused()
    fill_in(first, "Change your password", "Change it", password=PASSWORD)
    expect(sheet(first, "Change your password")).to_have_count(0)
    sign_in(second, "Little Egret", OTHER)
    expect(second.page.locator(".me")).to_have_text("Little Egret")
    account.get_by_role("button", name="Signed-in devices").click()
    devices = sheet(first, "Signed-in devices")
    expect(devices.locator(".line")).to_have_count(2)
    expect(devices.locator(".line", has_text="(this device)")).to_have_count(1)
    devices.get_by_role("button", name="Sign out Chrome, Linux").click()
    expect(devices.locator(".line")).to_have_count(1)
    expect(second.page.locator(".toast")).to_contain_text("signed out here")
    expect(second.page.locator(".me")).not_to_have_text("Little Egret")
    second.errors.clear()


def test_a_token_is_shown_once_and_revoked(open_window: OpenWindow) -> None:
    window = open_window(size=DESK)
    register(window, "Fulmar")
    open_account(window, "Personal tokens")
    tokens = sheet(window, "Personal tokens")
    tokens.get_by_role("button", name="New token").click()
    sheet(window, "New token").get_by_label("read:").uncheck()
    fill_in(window, "New token", "Create it", label="Evening bot", password=PASSWORD)
    expect(sheet(window, "New token").get_by_role("alert").last).to_contain_text("Choose at least one")
    sheet(window, "New token").get_by_label("bot:").check()
    fill_in(window, "New token", "Create it")
    secret = sheet(window, "Your new token").get_by_label("Token", exact=True).input_value()
    assert len(secret) >= 20
    window.page.get_by_role("button", name="Done").click()
    expect(tokens.locator(".line")).to_contain_text("Evening bot")
    expect(tokens.locator(".line")).to_contain_text("bot · 90 days left")
    assert secret not in window.page.content()
    tokens.get_by_role("button", name="Revoke Evening bot").click()
    expect(tokens).to_contain_text("You have no tokens.")


def test_ones_data_are_saved_and_one_is_deleted_by_a_second_press(open_window: OpenWindow) -> None:
    window, other = open_window(size=DESK), open_window(size=DESK)
    register(window, "Garganey")
    open_account(window, "Save my data")
    with window.page.expect_download() as download:
        sheet(window, "Save my data").get_by_role("link", name="Save the file").click()
    lines = [json.loads(line) for line in Path(download.value.path()).read_text(encoding="utf-8").splitlines()]
    assert "Garganey" in json.dumps(lines)
    assert PASSWORD not in json.dumps(lines)
    window.page.keyboard.press("Escape")
    sheet(window, "Your account").get_by_role("button", name="Delete my account").click()
    fill_in(window, "Delete my account", "Delete me", password=PASSWORD)
    expect(window.page.locator(".me")).to_have_text("Garganey")
    sheet(window, "Delete my account").get_by_role("button", name="Really delete me?").click()
    expect(window.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()
    expect(window.page.locator(".me")).not_to_have_text("Garganey")
    sign_in(other, "Garganey")
    expect(sheet(other, "Sign in").get_by_label("Password", exact=True)).to_have_attribute("aria-invalid", "true")
    window.errors.clear()


def test_a_guest_sees_what_is_stored_and_is_deleted(open_window: OpenWindow) -> None:
    window = open_window(size=DESK)
    window.take_name("Passing Swift")
    window.page.locator(".me").click()
    window.page.get_by_role("button", name="Your data").click()
    sheet(window, "Your data").get_by_role("button", name="Save my data").click()
    with window.page.expect_download() as download:
        sheet(window, "Save my data").get_by_role("link", name="Save the file").click()
    assert "Passing Swift" in Path(download.value.path()).read_text(encoding="utf-8")
    window.page.keyboard.press("Escape")
    sheet(window, "Your data").get_by_role("button", name="Delete me").click()
    for label in ("Delete me", "Really delete me?"):
        sheet(window, "Delete me").get_by_role("button", name=label, exact=True).click()
    expect(window.page.locator(".me")).to_contain_text("Guest")
    window.errors.clear()


def test_a_refused_token_takes_none_away_that_another_tab_has_stored_since(open_window: OpenWindow) -> None:
    window = open_window(size=DESK)
    register(window, "Whinchat")
    token = window.page.evaluate("""async () => {
        const { page: { link } } = await import("./main.js");
        const token = localStorage.getItem("cornered.token");
        localStorage.setItem("cornered.token", "a token that has ended");
        link.open();
        // After the link's own listener, which sends the hello.
        await new Promise((done) => link.socket.addEventListener("open", done));
        localStorage.setItem("cornered.token", token);
        await new Promise((done) => link.addEventListener("online", done, { once: true }));
        return token;
    }""")
    assert window.page.evaluate("localStorage.getItem('cornered.token')") == token
    expect(window.page.locator(".me")).to_have_text("Whinchat")
    window.errors.clear()


def test_two_tabs_of_a_browser_are_one_player_after_a_sign_in(open_window: OpenWindow) -> None:
    """The token of before is a guest's for good: the tab that still has it is no account, until it is loaded again."""
    owner, window = open_window(size=DESK), open_window(size=DESK)
    register(owner, "Fieldfare")
    token = window.page.evaluate("localStorage.getItem('cornered.token')")
    tab = window.context.new_page()
    tab.goto(window.address)
    tab.wait_for_selector(".lobby.ready")
    guest = tab.locator(".me").inner_text()
    window.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    fill_in(window, "Sign in", "Sign in", username="Fieldfare", password=PASSWORD)
    expect(window.page.locator(".me")).to_have_text("Fieldfare")
    assert window.page.evaluate("localStorage.getItem('cornered.token')") != token
    expect(tab.locator(".me")).to_have_text(guest)
    tab.reload()
    expect(tab.locator(".me")).to_have_text("Fieldfare")
    # Whoever knows the token of before has the guest, and nothing else.
    thief = open_window(size=DESK)
    thief.page.evaluate("token => localStorage.setItem('cornered.token', token)", token)
    thief.page.reload()
    expect(thief.page.locator(".me")).to_have_text(guest)
    expect(thief.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()
