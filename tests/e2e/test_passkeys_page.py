"""Passkeys in the page, by the virtual authenticator of Chromium; and the password where there are none."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import CDPSession, expect

from tests.e2e.accounts import PASSWORD, fill_in, register, sheet
from tests.e2e.window import DESK, PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser


class Key:
    """An authenticator with a person who unlocks it at once, which is plugged into one window at a time."""

    def __init__(self) -> None:
        self._options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        self._session: CDPSession | None = None
        self._id: dict[str, str] = {}

    def plug_into(self, window: Window) -> None:
        credentials: list[dict[str, Any]] = []
        if self._session is not None:
            credentials = self._session.send("WebAuthn.getCredentials", self._id)["credentials"]
            self._session.send("WebAuthn.removeVirtualAuthenticator", self._id)
        self._session = window.context.new_cdp_session(window.page)
        self._session.send("WebAuthn.enable")
        added = self._session.send("WebAuthn.addVirtualAuthenticator", {"options": self._options})
        self._id = {"authenticatorId": added["authenticatorId"]}
        for credential in credentials:
            self._session.send("WebAuthn.addCredential", {**self._id, "credential": credential})


def at_localhost(address: str) -> str:
    return address.replace("127.0.0.1", "localhost")


def register_by_passkey(window: Window, name: str) -> None:
    window.page.locator(".me").click()
    window.page.get_by_role("button", name="Create an account").click()
    fill_in(window, "Create an account", "Create it with a passkey", username=name)
    expect(window.page.locator(".code-list code")).to_have_count(10)
    window.page.get_by_label("I have kept them").check()
    window.page.get_by_role("button", name="Done").click()
    expect(window.page.locator(".me")).to_have_text(name)


def test_a_guest_becomes_an_account_with_a_passkey_signs_in_elsewhere_and_removes_it(
    address: str, open_window: OpenWindow, axe: str
) -> None:
    here = at_localhost(address)
    first, second = open_window(address=here, size=DESK), open_window(address=here, size=PHONE)
    key = Key()
    key.plug_into(first)
    me = first.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)")
    register_by_passkey(first, "Nuthatch")
    assert first.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)") == me
    key.plug_into(second)
    second.page.locator(".me").click()
    second.page.get_by_role("button", name="Sign in").click()
    expect(sheet(second, "Sign in").get_by_role("button", name="Sign in with a passkey")).to_be_visible()
    assert second.violations(axe) == []
    sheet(second, "Sign in").get_by_role("button", name="Sign in with a passkey").click()
    expect(second.page.locator(".me")).to_have_text("Nuthatch")
    assert second.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)") == me
    second.page.get_by_role("button", name="Your account").click()
    account = sheet(second, "Your account")
    account.get_by_role("button", name="Passkeys").click()
    passkeys = sheet(second, "Passkeys")
    expect(passkeys.locator(".line")).to_have_count(1)
    expect(passkeys.locator(".line")).to_contain_text("Chrome, Linux")
    assert second.violations(axe) == []
    for label in ("Remove", "Really remove it?"):
        passkeys.get_by_role("button").filter(has_text=label).click()
    expect(second.page.locator(".toast")).to_contain_text("last way to sign in")
    expect(passkeys.locator(".line")).to_have_count(1)
    second.page.keyboard.press("Escape")
    account.get_by_role("button", name="Password").click()
    fill_in(second, "Set a password", "Set the password", new_password=PASSWORD)
    expect(sheet(second, "Set a password")).to_have_count(0)
    account.get_by_role("button", name="Passkeys").click()
    for label in ("Remove", "Really remove it?"):
        passkeys.get_by_role("button").filter(has_text=label).click()
    expect(passkeys).to_contain_text("You have no passkeys.")
    # The new password has ended the first device's session, and the passkey opens nothing any more.
    expect(first.page.locator(".toast")).to_contain_text("signed out here")
    key.plug_into(first)
    first.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    sheet(first, "Sign in").get_by_role("button", name="Sign in with a passkey").click()
    expect(sheet(first, "Sign in").get_by_role("alert").filter(has_text="not known here")).to_be_visible()
    fill_in(first, "Sign in", "Sign in", username="Nuthatch", password=PASSWORD)
    expect(first.page.locator(".me")).to_have_text("Nuthatch")
    first.errors.clear()


def test_an_account_with_a_password_gets_a_passkey(address: str, open_window: OpenWindow) -> None:
    window = open_window(address=at_localhost(address), size=DESK)
    Key().plug_into(window)
    window.page.locator(".me").click()
    window.page.get_by_role("button", name="Create an account").click()
    window.page.get_by_role("button", name="Use a password").click()
    fill_in(window, "Create an account", "Create it", username="Ouzel", new_password=PASSWORD)
    window.page.get_by_label("I have kept them").check()
    window.page.get_by_role("button", name="Done").click()
    window.page.get_by_role("button", name="Your account").click()
    account = sheet(window, "Your account")
    account.get_by_role("button", name="Passkeys").click()
    expect(sheet(window, "Passkeys")).to_contain_text("You have no passkeys.")
    sheet(window, "Passkeys").get_by_role("button", name="New passkey").click()
    fill_in(window, "New passkey", "Make it", label="A key for the drawer", password=PASSWORD)
    expect(sheet(window, "Passkeys").locator(".line")).to_contain_text("A key for the drawer")
    window.page.keyboard.press("Escape")
    expect(account.get_by_role("button", name="Passkeys")).to_contain_text("1")


def test_an_account_with_a_passkey_alone_is_deleted_with_it(address: str, open_window: OpenWindow) -> None:
    window = open_window(address=at_localhost(address), size=DESK)
    Key().plug_into(window)
    register_by_passkey(window, "Ptarmigan")
    window.page.get_by_role("button", name="Your account").click()
    sheet(window, "Your account").get_by_role("button", name="Delete my account").click()
    for label in ("Delete me", "Really delete me?"):
        sheet(window, "Delete my account").get_by_role("button", name=label, exact=True).click()
    expect(window.page.get_by_role("banner").get_by_role("button", name="Sign in")).to_be_visible()
    window.errors.clear()


def test_at_an_address_without_passkeys_the_page_says_so_and_offers_the_password(open_window: OpenWindow) -> None:
    window = open_window(size=DESK)
    window.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    expect(sheet(window, "Sign in")).to_contain_text("Passkeys work by https and on localhost only")
    expect(sheet(window, "Sign in").get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
    window.page.get_by_role("button", name="Create an account").click()
    expect(sheet(window, "Create an account")).to_contain_text("Passkeys work by https and on localhost only")
    expect(sheet(window, "Create an account").get_by_label("Password", exact=True)).to_be_visible()


def test_a_second_device_is_signed_in_by_a_link_after_a_press(open_window: OpenWindow, axe: str) -> None:
    first, second = open_window(size=DESK), open_window(size=PHONE)
    register(first, "Sandgrouse")
    first.page.get_by_role("button", name="Your account").click()
    sheet(first, "Your account").get_by_role("button", name="Signed-in devices").click()
    sheet(first, "Signed-in devices").get_by_role("button", name="Sign in another device").click()
    fill_in(first, "Sign in another device", "Show the link", password=PASSWORD)
    shown = sheet(first, "Sign in another device")
    expect(shown.get_by_role("img", name="QR code of the link")).to_be_visible()
    assert first.violations(axe) == []
    link = shown.get_by_label("Link", exact=True).input_value()
    second.page.goto(link)
    expect(second.page.get_by_role("heading", name="Sign in on this device")).to_be_visible()
    assert second.violations(axe) == []
    assert link not in second.page.evaluate("location.href"), "the address does not keep it"
    second.page.get_by_role("button", name="Sign in here").click()
    expect(second.page.locator(".me")).to_have_text("Sandgrouse")
    second.errors.clear()
