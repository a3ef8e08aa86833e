"""What the lobby lists and in which order, and its line about bots that are not ready, in a real browser."""

from __future__ import annotations

import re
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.e2e.window import OpenWindow, begin

pytestmark = pytest.mark.browser

GAMES: Final = ["TrapGrid", "Isolation", "Bamboo", "Quoridor"]


@pytest.fixture(scope="module")
def address(own_address: str) -> str:
    """The address of a server on which no other games are played."""
    return own_address


WARMING: Final = """async (steps) => {
  const { warmingLine } = await import("./opponents.js");
  const games = ["trapgrid", "isolation", "bamboo", "quoridor"].map((name) => ({ name }));
  const store = Object.assign(new EventTarget(), { games, players: new Map() });
  const leaves = new AbortController();
  const line = warmingLine({ store }, leaves.signal);
  const told = [line.hidden ? null : line.textContent];
  for (const bots of steps) {
    store.players = new Map(bots.map(({ name, plays, free = 1, playing = 0, kind = "bot" }) => {
      const accepts = plays.map((count) => ({ game: games[count].name }));
      return [name, { player: { id: name, name, kind }, free, playing, accepts }];
    }));
    store.dispatchEvent(new Event("change"));
    told.push(line.hidden ? null : line.textContent);
  }
  leaves.abort();
  store.players = new Map();
  store.dispatchEvent(new Event("change"));
  return [...told, line.hidden];
}"""
"""The line's text at first and after each step, null where it is hidden; and whether it still follows a view that is
closed."""


def warming(ready: int, easy: str = "") -> str:
    words = f"The bots are warming up, once on this machine: {ready} of 4 games are ready."
    return f"{words} The easy levels play {easy}" if easy else words


def test_the_line_about_warming_bots_tells_what_they_play_already(open_window: OpenWindow) -> None:
    every = [0, 1, 2, 3]
    steps = [
        [{"name": "level-1", "plays": []}, {"name": "champion", "plays": []}],
        [{"name": "level-1", "plays": [0, 1]}, {"name": "champion", "plays": []}],
        [{"name": "level-1", "plays": every}, {"name": "champion", "plays": [0]}],
        [{"name": "level-1", "plays": every}, {"name": "champion", "plays": [0], "free": 0, "playing": 1}],
        # The others do not count: a bot of the ladder that takes no game, another bot, and a person.
        [
            {"name": "level-1", "plays": every},
            {"name": "level-2", "plays": [], "free": 0},
            {"name": "greedy", "plays": [1]},
            {"name": "level-3", "plays": [], "kind": "person"},
        ],
        [{"name": "level-1", "plays": []}],
    ]
    assert open_window().page.evaluate(WARMING, steps) == [
        None,
        warming(0),
        warming(0, "2 of them already."),
        warming(1, "already."),
        warming(1, "already."),
        None,
        warming(0),
        False,
    ]


def test_games_have_one_order_in_the_lobby_and_in_both_forms(open_window: OpenWindow) -> None:
    page = open_window().page
    tiles = page.locator(".tile-card")
    expect(tiles.locator("h2")).to_have_text(GAMES)
    forms = (
        tiles.last.get_by_role("button", name="Play someone"),
        tiles.last.get_by_label("Choose bot, board and clock for Quoridor"),
    )
    for opens in forms:
        opens.click()
        choices = page.get_by_role("dialog").get_by_role("navigation", name="Game").get_by_role("button")
        expect(choices).to_have_text(GAMES)
        expect(choices.last).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_live_games_are_filtered_by_game_where_there_are_several(open_window: OpenWindow) -> None:
    first, second, other = open_window(), open_window(), open_window()
    cards = other.page.locator(".of-live .card")
    choices = other.page.get_by_role("group", name="Live games of")
    begin(first, second, "Bamboo", radius=1)
    expect(cards).to_have_text([re.compile("Bamboo")])
    expect(choices).to_be_hidden()
    begin(first, second, "TrapGrid", size=4)
    expect(cards).to_have_count(2)
    expect(choices.get_by_role("button")).to_have_text(["All", "TrapGrid", "Bamboo"])
    choices.get_by_role("button", name="TrapGrid").click()
    expect(cards).to_have_text([re.compile("TrapGrid")])
    expect(choices.get_by_role("button", name="TrapGrid")).to_have_attribute("aria-pressed", "true")
    choices.get_by_role("button", name="All").click()
    expect(cards).to_have_count(2)
    choices.get_by_role("button", name="TrapGrid").click()
    expect(cards).to_have_count(1)
    second.resign()
    # The game that was chosen has no live games any more.
    expect(cards).to_have_text([re.compile("Bamboo")])
    expect(choices).to_be_hidden()


FINISHED: Final = """async (pages) => {
  const { page } = await import("./main.js");
  const ask = page.link.ask.bind(page.link);
  const { start: position } = page.store.offered("trapgrid");
  const players = ["Ada", "Ben"].map((name) => ({ id: name, name, kind: "person" }));
  const game = { name: "trapgrid", options: {} };
  const result = { over: true, winner: 0, reason: "rules", watchers: 0, rated: false, ratings: [] };
  const same = { game, players, position, clock: { kind: "none" }, ...result };
  page.link.ask = (what, how) => {
    if (what.type !== "ask_my_matches") return ask(what, how);
    const { ids, more } = pages[what.after ?? ""];
    return Promise.resolve({ live: [], more, finished: ids.map((id) => ({ ...same, id, started: page.link.now() })) });
  };
}"""
"""Answers for the games of mine, by the last one before them."""


def test_earlier_games_come_page_by_page_until_the_last(open_window: OpenWindow) -> None:
    page = open_window().page
    ids = [f"game-{number}" for number in range(21)]
    pages = {"": {"ids": ids[:10], "more": "game-9"}, "game-9": {"ids": ids[10:], "more": None}}
    page.evaluate(FINISHED, pages)
    page.get_by_role("link", name="Learn", exact=True).click()
    page.wait_for_url(re.compile("#/learn$"))
    page.locator(".brand").click()
    cards, earlier = page.locator(".of-mine .card"), page.get_by_role("button", name="Earlier games")
    for count in (8, 16):
        expect(cards).to_have_count(count)
        earlier.click()
    expect(cards).to_have_count(21)
    expect(earlier).to_be_hidden()
    assert cards.evaluate_all("cards => cards.map(card => card.getAttribute('href'))") == [f"#/m/{id}" for id in ids]
