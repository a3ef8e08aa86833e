"""Accounts of players in browser windows, made and entered by the page's sheets."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Locator, expect

from tests.e2e.window import Window

__all__ = ["PASSWORD", "fill_in", "register", "sheet", "sign_in"]

PASSWORD: Final = "seven quiet herons"


def sheet(window: Window, title: str) -> Locator:
    return window.page.get_by_role("dialog", name=title, exact=True)


def fill_in(window: Window, title: str, button: str, **fields: str) -> None:
    """Fill in a sheet's fields, by their names with dashes, and press its button."""
    for name, value in fields.items():
        sheet(window, title).locator(f"input[name={name.replace('_', '-')}]").fill(value)
    sheet(window, title).get_by_role("button", name=button, exact=True).click()


def register(window: Window, name: str, password: str = PASSWORD) -> list[str]:
    """Make an account of a guest, by the sheet of the name; return its recovery codes."""
    window.page.locator(".me").click()
    window.page.get_by_role("button", name="Create an account").click()
    fill_in(window, "Create an account", "Create it", username=name, new_password=password)
    codes = window.page.locator(".code-list code")
    expect(codes).to_have_count(10)
    found: list[str] = codes.all_inner_texts()
    window.page.get_by_label("I have kept them").check()
    window.page.get_by_role("button", name="Done").click()
    expect(window.page.locator(".me")).to_have_text(name)
    return found


def sign_in(window: Window, name: str, password: str = PASSWORD) -> None:
    window.page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    fill_in(window, "Sign in", "Sign in", username=name, password=password)
