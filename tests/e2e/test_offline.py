"""The page on a network that goes away: what both players see, and how soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.network import Network
from tests.e2e.window import Window, begin

pytestmark = pytest.mark.browser

OpenWindow = Callable[..., Window]
HALF_OPEN_MS = 25_000
"""Milliseconds in which a silent network has to be noticed: about 10 s, and as much again for a busy machine."""


@pytest.fixture
def network(address: str) -> Iterator[Network]:
    with Network.before(address) as network:
        yield network


@pytest.mark.core
def test_a_device_that_goes_offline_says_so_at_once_and_sends_the_move_later(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    first.await_turn()
    first.unplug()
    began = time.monotonic()
    banner = first.page.locator("#banner")
    expect(banner).to_have_text("Your device is offline. Reconnecting…")
    assert time.monotonic() - began < HALF_OPEN_MS / 5000
    first.click("b5")
    expect(first.page.locator(".ghost.unsent")).to_be_visible()
    expect(first.page.locator(".explanation")).to_contain_text("b5 is not sent yet")
    assert second.moves == []
    first.mend()
    expect(second.page.locator(".movelist .move")).to_have_text(["b5"])
    expect(banner).to_have_text("Connected again.")
    expect(first.page.locator(".ghost")).to_have_count(0)
    assert len(set(first.plays)) == 1


def test_a_move_that_the_network_swallows_shows_as_unsent_within_seconds(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    first.await_turn()
    first.lose("everything")
    first.click("b5")
    expect(first.page.locator(".ghost.sent")).to_be_visible()
    # The browser keeps the socket open: only the silence tells.
    first.refuse_sockets()
    expect(first.page.locator(".ghost.unsent")).to_be_visible(timeout=HALF_OPEN_MS)
    expect(first.page.locator("#banner")).to_have_text("Connection lost. Reconnecting…")
    first.mend()
    expect(second.page.locator(".movelist .move")).to_have_text(["b5"])
    expect(first.page.locator(".ghost")).to_have_count(0)


def test_a_message_that_cannot_be_read_costs_a_connection_and_nothing_else(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    first.await_turn()
    # The answer to this move, or the move itself, is cut off.
    first.spoil()
    first.make("b5")
    second.await_turn()
    second.make("d1")
    first.await_turn()
    assert first.moves == ["b5", "d1"]
    assert len(set(first.plays)) == 1


def test_an_opponent_whose_network_goes_is_shown_as_away_within_seconds(
    open_window: OpenWindow, network: Network
) -> None:
    first, second = open_window(address=network.address), open_window()
    begin(first, second, "TrapGrid", size=5)
    first.await_turn()
    expect(second.page.locator(".far .presence.away")).to_have_count(0)
    network.stall()
    expect(second.page.locator(".far .presence.away")).to_be_visible(timeout=HALF_OPEN_MS)
    network.mend()
    expect(second.page.locator(".far .presence.away")).to_have_count(0)
    first.await_turn()
    first.make("b5")
    second.await_turn()
    # The browser tells of a request that the stall caught, such as that for a sound.
    first.errors[:] = [error for error in first.errors if "net::ERR_" not in error]
