"""The page on a network that goes away: what both players see, and how soon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.network import Network
from tests.e2e.window import OpenWindow, begin

pytestmark = pytest.mark.browser

HALF_OPEN_MS = 25_000
"""Milliseconds in which a silent network has to be noticed: about 10 s, and as much again for a busy machine."""


@pytest.fixture
def network(address: str) -> Iterator[Network]:
    with Network.before(address) as network:
        yield network


def test_moves_made_without_a_connection_are_sent_once(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    banner, said = first.page.locator("#banner"), first.page.locator(".explanation")
    made: list[str] = []
    # The server closes the socket, then the device loses its network.
    for leave, words, move, reply in (
        (first.cut, "Connection lost. Reconnecting…", "b5", "d1"),
        (first.unplug, "Your device is offline. Reconnecting…", "c5", "c1"),
    ):
        first.await_turn()
        leave()
        # At once: long before the silence of a network tells.
        expect(banner).to_have_text(words, timeout=HALF_OPEN_MS / 5)
        first.click(move)
        expect(first.page.locator(".ghost.unsent")).to_be_visible()
        expect(said).to_contain_text(f"{move} is not sent yet")
        assert second.moves == made
        first.mend()
        made += [move]
        expect(second.page.locator(".movelist .move")).to_have_text(made)
        expect(banner).to_have_text("Connected again.")
        expect(first.page.locator(".ghost")).to_have_count(0)
        expect(said).to_be_empty()
        second.await_turn()
        second.make(reply)
        made += [reply]
        expect(first.page.locator(".movelist .move")).to_have_text(made)
    assert len(set(first.plays)) == 2


def test_a_move_that_meets_a_restart_is_sent_again_under_its_id(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    first.await_turn()
    first.meet_a_restart()
    first.click("b5")
    expect(first.page.locator(".ghost.sent")).to_be_visible()
    first.cut()
    expect(first.page.locator(".ghost.unsent")).to_be_visible()
    first.mend()
    expect(second.page.locator(".movelist .move")).to_have_text(["b5"])
    expect(first.page.locator(".ghost")).to_have_count(0)
    expect(first.page.locator(".toast")).to_have_count(0)
    assert len(first.plays) == 2
    assert len(set(first.plays)) == 1


def test_a_move_lost_on_its_way_is_made_once(open_window: OpenWindow) -> None:
    first, second = open_window(cuttable=True), open_window()
    begin(first, second, "TrapGrid", size=5)
    made: list[str] = []
    # The command is lost, then the answer of another one.
    for lost, move, reply in (("commands", "b5", "d1"), ("answers", "c5", "c1")):
        first.await_turn()
        first.lose(lost)  # type: ignore[arg-type]
        first.click(move)
        expect(first.page.locator(".ghost.sent")).to_be_visible()
        if lost == "answers":
            second.await_turn()
        first.cut()
        first.mend()
        made += [move]
        for window in (first, second):
            expect(window.page.locator(".movelist .move")).to_have_text(made)
        expect(first.page.locator(".ghost")).to_have_count(0)
        second.await_turn()
        second.make(reply)
        made += [reply]
        expect(first.page.locator(".movelist .move")).to_have_text(made)


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
