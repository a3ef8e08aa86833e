"""Signing in at a provider of identities in the page: there and back, a name that is taken, linking, and a refusal."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.accounts import PASSWORD, fill_in, register, sheet
from tests.e2e.servers import running_server
from tests.e2e.window import DESK, PHONE, OpenWindow, Window
from tests.server.oidc_provider import CLIENT, SECRET, Provider, provider

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def at() -> Iterator[Provider]:
    """A provider that signs in whoever comes, in a thread of its own."""
    made: list[Provider] = []
    ready, done = threading.Event(), threading.Event()

    async def run() -> None:
        async with provider() as one:
            made.append(one)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()), name="provider")
    thread.start()
    ready.wait()
    yield made[0]
    done.set()
    thread.join()


@pytest.fixture(scope="module")
def address(at: Provider) -> Iterator[str]:
    """The address of a server whose people sign in at the provider."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CORNERED_OIDC_ISSUER", at.issuer)
        environment.setenv("CORNERED_OIDC_CLIENT_ID", CLIENT)
        environment.setenv("CORNERED_OIDC_CLIENT_SECRET", SECRET)
        environment.setenv("CORNERED_OIDC_NAME", "Our school")
        with running_server("--no-bots") as address:
            yield address


def sign_in_there(window: Window) -> None:
    window.page.locator(".me").click()
    window.page.get_by_role("button", name="Sign in", exact=True).last.click()
    sheet(window, "Sign in").get_by_role("button", name="Sign in with Our school").click()


def player_of(window: Window) -> str:
    found: str = window.page.evaluate("import('./main.js').then(({ page }) => page.link.me.id)")
    return found


def test_a_guest_becomes_an_account_at_the_provider_and_is_the_same_player_elsewhere(
    at: Provider, open_window: OpenWindow
) -> None:
    at.claims = {"sub": "person-1", "preferred_username": "Pipit"}
    first, second = open_window(size=DESK), open_window(size=PHONE)
    me = player_of(first)
    sign_in_there(first)
    expect(first.page.locator(".me")).to_have_text("Pipit")
    assert player_of(first) == me
    assert first.page.evaluate("location.hash") in ("", "#/")
    sign_in_there(second)
    expect(second.page.locator(".me")).to_have_text("Pipit")
    assert player_of(second) == me
    assert second.page.evaluate("sessionStorage.length") == 0
    second.page.go_back()
    expect(second.page.locator(".me")).to_have_text("Pipit")
    second.errors.clear()


def test_where_the_name_is_taken_another_one_is_asked_for(at: Provider, open_window: OpenWindow) -> None:
    first, second = open_window(size=DESK), open_window(size=DESK)
    register(first, "Quail")
    at.claims = {"sub": "person-2", "name": "Quail"}
    sign_in_there(second)
    fill_in(second, "Choose a name", "Use this name", username="Quail")
    expect(sheet(second, "Choose a name").locator("[aria-invalid=true]")).to_have_count(1)
    fill_in(second, "Choose a name", "Use this name", username="Corncrake")
    expect(second.page.locator(".me")).to_have_text("Corncrake")


def test_an_account_is_linked_and_unlinked_in_its_sheet(at: Provider, open_window: OpenWindow, axe: str) -> None:
    window = open_window(size=DESK)
    register(window, "Redshank")
    at.claims = {"sub": "person-3"}
    window.page.get_by_role("button", name="Your account").click()
    line = sheet(window, "Your account").get_by_role("button", name="Our school")
    expect(line).to_contain_text("not linked")
    line.click()
    fill_in(window, "Our school", "Link it", password="not the password")
    expect(sheet(window, "Our school").locator("[aria-invalid=true]")).to_have_count(1)
    fill_in(window, "Our school", "Link it", password=PASSWORD)
    expect(window.page.locator(".toast")).to_contain_text("Your account is linked.")
    window.page.get_by_role("button", name="Your account").click()
    line.click()
    assert window.violations(axe) == []
    for label in ("Unlink it", "Really unlink it?"):
        sheet(window, "Our school").get_by_role("button", name=label).click()
    expect(line).to_contain_text("not linked")


def test_who_is_refused_there_is_told_so(at: Provider, open_window: OpenWindow) -> None:
    window = open_window(size=DESK)
    at.lie = lambda claims: {**claims, "aud": "another client"}
    try:
        sign_in_there(window)
        expect(window.page.locator(".toast")).to_contain_text("You were not signed in there.")
    finally:
        at.lie = lambda claims: claims
    expect(window.page.locator(".me")).to_contain_text("Guest")
    window.errors.clear()
