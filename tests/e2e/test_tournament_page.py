"""Tournaments in the page: made, joined, played to the end, and led by their organiser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from cornered.protocol.commands import Command
from cornered.protocol.messages import Acknowledged
from cornered.protocol.tournaments import (
    CreateTournament,
    JoinTournament,
    StartTournament,
    TournamentFormat,
    TournamentSettings,
)
from cornered.protocol.values import Fischer, GameSpec
from tests.e2e.club import Club, running_club
from tests.e2e.window import DESK, PHONE, OpenWindow, Window

pytestmark = pytest.mark.browser

SMALL = GameSpec(name="trapgrid", options={"size": 3})


@pytest.fixture(scope="module")
def club(address: str) -> Iterator[Club]:
    with running_club(address) as club:
        club.admit("Olga", "Curlew", "Sandpiper", "Turnstone", "Dunlin")
        yield club


def order(club: Club, name: str, kind: type[Command], **fields: object) -> str:
    """Send a member's command and return what it made."""
    client = club.members[name]
    return club.do(client.ask(kind(id=client.new_id(), **fields), Acknowledged)).ref or ""


def hold(club: Club, name: str, players: tuple[str, ...], format: TournamentFormat = "swiss") -> str:
    """Start a tournament of Olga's."""
    clock = Fischer(initial=600, increment=5)
    settings = TournamentSettings(name=name, format=format, game=SMALL, clock=clock, pause=0)
    tournament = order(club, "Olga", CreateTournament, settings=settings)
    for player in players:
        order(club, player, JoinTournament, tournament=tournament)
    order(club, "Olga", StartTournament, tournament=tournament)
    return tournament


def to(window: Window, route: str) -> None:
    window.page.evaluate("route => { location.hash = route }", route)


def test_a_tournament_is_made_joined_and_played_and_each_game_opens_by_itself(
    open_window: OpenWindow, club: Club, axe: str
) -> None:
    organiser, player = open_window(size=DESK), open_window(size=PHONE, dark=True)
    page = organiser.page
    page.get_by_role("link", name="Tournaments").click()
    page.get_by_role("button", name="New tournament").click()
    assert organiser.violations(axe) == []
    sheet = page.get_by_role("dialog", name="New tournament")
    sheet.get_by_role("textbox", name="Name").fill("Evening cup")
    sheet.get_by_role("combobox", name="Format").select_option("round_robin")
    sheet.get_by_text("Board and rules").click()
    sheet.get_by_role("combobox", name="Board size").select_option("3")
    sheet.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("heading", name="Evening cup")).to_be_visible()
    page.get_by_role("button", name="Join", exact=True).click()
    expect(page.get_by_role("button", name="Withdraw")).to_be_visible()
    to(player, "#/tournaments")
    player.page.get_by_role("link", name="Evening cup").click()
    player.page.get_by_role("button", name="Join", exact=True).click()
    expect(page.locator(".standings tbody tr")).to_have_count(2)
    page.get_by_role("button", name="Start", exact=True).click()
    # The board opens by itself, and after the end there is a way back.
    for window in (organiser, player):
        window.in_match()
    for label in ("Resign", "Really resign?"):
        page.get_by_role("button", name=label).click()
    for window in (organiser, player):
        expect(window.page.locator(".match.over")).to_be_visible()
        expect(window.page.get_by_role("link", name="Back to the tournament")).to_be_visible()
    player.page.get_by_role("link", name="Back to the tournament").click()
    expect(player.page.get_by_role("status").filter(has_text="won by")).to_be_visible()
    expect(player.page.locator(".pairing .contestant.won")).to_have_count(1)


def test_the_organiser_pauses_tells_and_takes_players_out(open_window: OpenWindow, club: Club) -> None:
    window, watcher = open_window(size=DESK), open_window(size=DESK)
    page = window.page
    page.evaluate(
        """async () => {
            const { page } = await import('./main.js');
            const clock = { kind: 'fischer', initial: 600, increment: 5 };
            const game = { name: 'trapgrid', options: { size: 3 } };
            const settings = { name: 'By hand', format: 'by_hand', game, clock };
            const { ref } = await page.link.ask({ type: 'create_tournament', settings });
            location.hash = `#/tournament/${ref}`;
        }"""
    )
    expect(page.get_by_role("heading", name="By hand")).to_be_visible()
    tournament = page.url.rsplit("/", 1)[1]
    for name in ("Curlew", "Sandpiper", "Turnstone"):
        order(club, name, JoinTournament, tournament=tournament)
    to(watcher, f"#/tournament/{tournament}")
    watcher.page.get_by_role("button", name="Join", exact=True).click()
    expect(page.locator(".standings tbody tr")).to_have_count(4)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("button", name="Pair by hand").click()
    pairs = page.get_by_role("dialog", name="Pair by hand")
    for name in ("Curlew", "Turnstone"):
        pairs.get_by_role("button", name=name).click()
    pairs.get_by_role("button", name="Start the games").click()
    expect(page.locator(".pairing .contestant bdi")).to_have_text(["Curlew", "Turnstone"])
    # The wall shows the boards of this round.
    expect(page.locator(".tournament .card")).to_have_count(1)
    page.get_by_role("button", name="Pause all clocks").click()
    expect(watcher.page.get_by_role("status").filter(has_text="all clocks stand still")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(watcher.page.get_by_role("status").filter(has_text="round 1")).to_be_visible()
    page.get_by_role("button", name="Message", exact=True).click()
    page.get_by_role("textbox", name="Message to all").fill("Tea is served.")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(watcher.page.locator(".toast")).to_contain_text("Tea is served.")
    page.get_by_role("combobox", name="Player to take out").select_option(label="Turnstone")
    for label in ("Forfeit", "Really take out?"):
        page.get_by_role("button", name=label).click()
    expect(watcher.page.locator(".pairing .contestant.won bdi")).to_have_text("Curlew")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the table (CSV)").click()
    assert download.value.suggested_filename.endswith(".csv")
    for label in ("End it", "Really end it?"):
        page.get_by_role("button", name=label).click()
    expect(watcher.page.get_by_role("status").filter(has_text="won by Curlew")).to_be_visible()


def test_a_knockout_has_a_bracket_and_axe_finds_nothing(open_window: OpenWindow, axe: str, club: Club) -> None:
    tournament = hold(club, "Cup", ("Curlew", "Sandpiper", "Turnstone", "Dunlin"), "knockout")
    window = open_window(size=PHONE)
    page = window.page
    to(window, f"#/tournament/{tournament}")
    expect(page.locator(".bracket-round")).to_have_count(2)
    expect(page.locator(".bracket-round h3")).to_have_text(["Semifinals", "Final"])
    expect(page.locator(".tournament .card")).to_have_count(2)
    for width in (1200, PHONE[0]):
        page.set_viewport_size({"width": width, "height": 740})
        assert window.violations(axe) == [], width
        assert not window.is_too_wide(), width
    to(window, "#/tournaments")
    expect(page.get_by_role("link", name="Cup Knockout")).to_be_visible()
    assert window.violations(axe) == []


def test_results_on_paper_have_whole_names_and_no_controls(open_window: OpenWindow, club: Club) -> None:
    names = ("Wandering-Tattler-Of-AK-", "Western-Yellow-Legged-Gu")
    club.admit(*names)
    tournament = hold(club, "Long names", names)
    window = open_window(size=(700, 990), dark=True)
    page = window.page
    to(window, f"#/tournament/{tournament}")
    expect(page.locator(".standings tbody tr")).to_have_count(2)
    page.emulate_media(media="print")
    expect(page.get_by_role("link", name="Save the table (CSV)")).to_be_hidden()
    expect(page.locator("#top")).to_be_hidden()
    cut = page.evaluate(
        """[...document.querySelectorAll(".tournament :is(bdi, td, th, .sideways)")].filter((one) =>
        one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1 && one.clientWidth)
        .map((one) => one.textContent)"""
    )
    assert cut == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for name in names:
        assert (
            page.locator(".standings bdi", has_text=name).evaluate("one => getComputedStyle(one).color")
            == "rgb(0, 0, 0)"
        )
