"""Quick pairing in the lobby: one press waits, seen by others, with a way out; then the board, or a bot."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, WebSocketRoute, expect

from tests.e2e.window import OpenWindow, Window

pytestmark = pytest.mark.browser

NARROW = (320, 568)


def pool(window: Window, name: str) -> Locator:
    """The button of a pool, by its game and clock."""
    return window.page.locator(".pools").get_by_role("button", name=name)


def waiting(window: Window) -> Locator:
    return window.page.locator(".call.in-pool")


def test_a_press_waits_with_the_time_and_a_way_out_also_after_a_reload(open_window: OpenWindow, axe: str) -> None:
    window, other = open_window(size=NARROW), open_window()
    pool(window, "Isolation, 3 min + 2 s").click()
    call = waiting(window)
    expect(call).to_contain_text("Isolation · 3 min + 2 s")
    expect(call).to_contain_text("within")
    expect(call.get_by_role("timer")).not_to_have_text("0:00")
    expect(pool(window, "Isolation, 3 min + 2 s 1 waits")).to_have_attribute("aria-pressed", "true")
    expect(pool(other, "Isolation, 3 min + 2 s 1 waits")).to_have_attribute("aria-pressed", "false")
    assert window.violations(axe) == []
    window.page.reload()
    window.page.wait_for_selector(".lobby.ready")
    expect(call.get_by_role("timer")).not_to_have_text("0:00")
    assert not window.is_too_wide()
    # Who waits may read on, and finds the way back.
    back = window.page.get_by_role("link", name="You wait for an opponent")
    expect(back).to_have_count(0)
    window.page.get_by_role("link", name="Learn", exact=True).click()
    back.click()
    call.get_by_role("button", name="Cancel").click()
    expect(call).to_have_count(0)
    expect(pool(other, "Isolation, 3 min + 2 s 1 waits")).to_have_count(0)
    window.page.get_by_role("link", name="Learn", exact=True).click()
    expect(window.page.locator(".learn h1")).to_be_visible()
    expect(back).to_have_count(0)


def test_another_pool_takes_the_place_of_the_first_and_a_second_press_leaves(open_window: OpenWindow) -> None:
    window = open_window()
    pool(window, "Quoridor, 1 min + 1 s").click()
    expect(waiting(window)).to_contain_text("Quoridor · 1 min + 1 s")
    pool(window, "Bamboo, 10 min + 5 s").click()
    expect(waiting(window)).to_contain_text("Bamboo · 10 min + 5 s")
    expect(waiting(window)).to_have_count(1)
    pool(window, "Bamboo, 10 min + 5 s").click()
    expect(waiting(window)).to_have_count(0)


def test_two_who_wait_for_the_same_meet_at_the_board(open_window: OpenWindow) -> None:
    windows = open_window(), open_window()
    for window in windows:
        pool(window, "TrapGrid, 3 min + 2 s").click()
    for window in windows:
        window.in_match()
        expect(window.page.locator(".info")).to_contain_text("3 min + 2 s")
    assert windows[0].page.evaluate("location.hash") == windows[1].page.evaluate("location.hash")
    windows[0].to_lobby()
    expect(waiting(windows[0])).to_have_count(0)


def test_the_rules_are_shown_before_the_first_game_of_a_kind(open_window: OpenWindow) -> None:
    window = open_window(knows_rules=False)
    pool(window, "TrapGrid, 1 min + 1 s").click()
    expect(window.page.locator("dialog .board")).to_be_visible()
    expect(waiting(window)).to_have_count(0)
    window.page.keyboard.press("Escape")
    expect(waiting(window)).to_be_visible()


def test_a_bot_of_the_same_strength_is_offered_and_marked(open_window: OpenWindow) -> None:
    window = open_window(locale="en-US")
    sent: list[dict[str, object]] = []

    def connect(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def send(message: str | bytes) -> None:
            command = json.loads(message)
            if command["type"] == "challenge":
                sent.append(command)
            server.send(message)

        def hear(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] == "waiting" and told["pool"]:
                told["bot"] = {"id": "b0t", "name": "level-4", "kind": "bot"}
            route.send(json.dumps(told))

        route.on_message(send)
        server.on_message(hear)

    window.page.route_web_socket("**/ws", connect)
    window.page.reload()
    window.page.wait_for_selector(".lobby.ready")
    pool(window, "TrapGrid, 1 min + 1 s").click()
    call = waiting(window)
    expect(call).to_contain_text("level-4bot is about as strong as you, and free now.")
    call.get_by_role("button", name="Play level-4").click()
    expect(window.page.locator(".toast")).to_be_visible()
    assert [(command["to"], command["clock"], command["rated"]) for command in sent] == [
        ("b0t", {"kind": "fischer", "initial": 60, "increment": 1}, True)
    ]
    call.get_by_role("button", name="Cancel").click()
    expect(call).to_have_count(0)
