"""The version of a bot in the page: in the lobby, at the board, and in its profile, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from cornered.clients.sdk import BotPlayer, Client
from cornered.protocol.messages import Paired
from cornered.protocol.values import Accepts
from tests.e2e.club import running_club
from tests.e2e.window import PHONE, OpenWindow

pytestmark = pytest.mark.browser


@pytest.fixture
def won(address: str) -> Iterator[tuple[str, str]]:
    """The id of a bot of version 2.1-rc1, and a rated match that it has won."""
    with running_club(address) as club:
        client = club.enter(Client.connect(club.address, name="Versioned", kind="bot"))
        club.admit("Anna")
        bot = BotPlayer(
            client, lambda match, _: match.state.moves()[0], accepts=[Accepts(game="trapgrid")], version="2.1-rc1"
        )
        club.do(bot.declare())
        with club.doing(bot.run()):
            yield client.player.id, club.do(lost(club.members["Anna"], client.player.id))


async def lost(person: Client, bot: str) -> str:
    """Play a rated match against a bot, and resign; return its id."""
    await person.challenge(bot, "trapgrid", rated=True, seat=0, size=3)
    match = await person.join(await anext(news.match async for news in person.news() if isinstance(news, Paired)))
    await match.play(match.state.moves()[0])
    while not match.my_turn:
        await match.changed(match.version)
    await match.resign()
    while match.rated is None:
        await match.changed(match.version)
    return match.id


def test_the_page_shows_the_version_of_a_bot(open_window: OpenWindow, address: str, won: tuple[str, str]) -> None:
    bot, match = won
    window = open_window(size=PHONE)
    page = window.page
    for width in (1280, PHONE[0]):
        page.set_viewport_size({"width": width, "height": 740})
        page.goto(f"{address}/#/")
        expect(page.locator(f".chip[data-key^='{bot}:']")).to_contain_text("2.1-rc1")
        page.goto(f"{address}/#/m/{match}")
        expect(page.locator(".bar", has_text="Versioned").locator(".bot")).to_have_text("bot 2.1-rc1")
        page.goto(f"{address}/#/player/{bot}")
        expect(page.get_by_role("heading", name="Versions")).to_be_visible()
        expect(page.locator(".versions li")).to_have_text(["2.1-rc1 1662 ± 290 · 1 game"])
