"""A bot's page for its owner: its figures, its failures, and the requests that it saves, in a real browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView
from cornered.clients.sdk.request_file import read_requests
from cornered.protocol.messages import Paired
from cornered.protocol.values import Accepts, Fischer
from tests.e2e.club import running_club
from tests.e2e.window import PHONE, OpenWindow

pytestmark = pytest.mark.browser

DEADLINE_S = 60.0


class Fault(Exception):
    """What the bot under test raises."""


async def failing_bot(address: str) -> str:
    """Let a bot win one game and crash in another; return the code of a link to its page."""

    def choose(match: MatchView, limit: Limit) -> str:
        if match.players[0].name == "Bob" and match.ply > 2:
            raise Fault("<b>no</b> idea")
        return match.state.moves()[0]

    async with (
        asyncio.timeout(DEADLINE_S),
        Client.connect(address, name="Crusher", kind="bot") as client,
        asyncio.TaskGroup() as tasks,
    ):
        bot = BotPlayer(client, choose, accepts=[Accepts(game="trapgrid")], games=2)
        await bot.declare()
        playing = tasks.create_task(bot.run())
        for name, moves in (("Ann", 1), ("Bob", 10)):
            async with Client.connect(address, name=name) as person:
                clock = Fischer(initial=60, increment=1)
                await person.challenge(client.player.id, "trapgrid", clock=clock, seat=0, size=3)
                news = (one.match async for one in person.news() if isinstance(one, Paired))
                match = await person.join(await anext(news))
                for _ in range(moves):
                    while not match.my_turn and not match.over:
                        await match.changed(match.version)
                    if not match.over:
                        await match.play(match.state.moves()[0])
                if not match.over:
                    await match.resign()
        await playing
        return (await client.bot_reports.link()).code


@pytest.fixture(scope="module")
def code(address: str) -> Iterator[str]:
    """The code of a link to the page of a bot that has won once and crashed once."""
    with running_club(address) as club:
        yield club.do(failing_bot(club.address))


def test_the_owner_reads_what_went_wrong_and_saves_the_requests(
    open_window: OpenWindow, address: str, code: str, tmp_path: Path
) -> None:
    page = open_window().page
    page.goto(f"{address}/#/bot/{code}")
    expect(page.get_by_role("heading", name="Crusher")).to_be_visible()
    crash = page.locator(".incident.crash")
    expect(crash).to_contain_text("Fault: <b>no</b> idea")
    expect(crash.locator("b")).to_have_count(0)
    crash.locator("summary").click()
    expect(crash.locator("pre")).to_contain_text("test_bot_page.py, line")
    expect(page.locator(".bot-games tbody tr")).to_have_count(2)
    expect(page.locator(".bot-games .win")).to_contain_text("Won")
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download the requests").first.click()
    saved = tmp_path / "requests.jsonl"
    downloading.value.save_as(saved)
    requests = read_requests(saved)
    assert [request.answer is None for request in requests] == [False, True]
    expect(page.get_by_text("cornered replay", exact=False)).to_contain_text(downloading.value.suggested_filename)
    assert json.loads(saved.read_text().splitlines()[-1])["failure"].endswith("Fault: <b>no</b> idea")


def test_a_link_that_is_not_valid_says_what_to_do(open_window: OpenWindow, address: str) -> None:
    page = open_window().page
    page.goto(f"{address}/#/bot/nonsense.link")
    expect(page.get_by_text("This link is not valid any more")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)


def test_axe_finds_nothing_in_it_and_it_fits_a_phone(
    open_window: OpenWindow, address: str, code: str, axe: str
) -> None:
    window = open_window(locale="de-DE", size=PHONE)
    window.page.goto(f"{address}/#/bot/{code}")
    expect(window.page.get_by_role("heading", name="Crusher")).to_be_visible()
    expect(window.page.get_by_role("heading", name="Was schiefging")).to_be_visible()
    for width in (1280, PHONE[0]):
        window.page.set_viewport_size({"width": width, "height": 740})
        assert window.violations(axe) == [], width
        assert not window.is_too_wide(), width
