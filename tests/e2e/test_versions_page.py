"""The version of a bot in the page: in the lobby, at the board, and in its profile, in a real browser."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest
from playwright.sync_api import expect

from cornered.clients.sdk import BotPlayer, Client
from cornered.protocol.messages import Paired
from cornered.protocol.values import Accepts
from tests.e2e.window import PHONE, Window

pytestmark = pytest.mark.browser

OpenWindow: TypeAlias = Callable[..., Window]
DEADLINE_S = 60.0


@contextlib.contextmanager
def rated_bot(address: str, version: str) -> Iterator[tuple[str, str]]:
    """Run a bot in a thread, and yield its id and a rated match that it has won."""
    told: list[tuple[str, str]] = []
    is_ready, loop, ends = threading.Event(), asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        async with (
            Client.connect(address, name="Versioned", kind="bot") as client,
            Client.connect(address, name="Ann") as ann,
            asyncio.TaskGroup() as tasks,
        ):
            bot = BotPlayer(
                client, lambda match, _: match.state.moves()[0], accepts=[Accepts(game="trapgrid")], version=version
            )
            await bot.declare()
            playing = tasks.create_task(bot.run())
            await ann.challenge(client.player.id, "trapgrid", rated=True, seat=0, size=3)
            match = await ann.join(await anext(news.match async for news in ann.news() if isinstance(news, Paired)))
            await match.play(match.state.moves()[0])
            while not match.my_turn:
                await match.changed(match.version)
            await match.resign()
            while match.rated is None:
                await match.changed(match.version)
            told.append((client.player.id, match.id))
            is_ready.set()
            await ends.wait()
            playing.cancel()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    assert is_ready.wait(DEADLINE_S)
    try:
        yield told[0]
    finally:
        loop.call_soon_threadsafe(ends.set)
        thread.join()
        loop.close()


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["desk", "phone"])
def test_the_page_shows_the_version_of_a_bot(size: tuple[int, int], open_window: OpenWindow, address: str) -> None:
    with rated_bot(address, "2.1-rc1") as (bot, match):
        window = open_window(size=size)
        page = window.page
        expect(page.locator(f".chip[data-key^='{bot}:']")).to_contain_text("2.1-rc1")
        page.goto(f"{address}/#/m/{match}")
        expect(page.locator(".bar", has_text="Versioned").locator(".bot")).to_have_text("bot 2.1-rc1")
        page.goto(f"{address}/#/player/{bot}")
        expect(page.get_by_role("heading", name="Versions")).to_be_visible()
        expect(page.locator(".versions li")).to_have_text(["2.1-rc1 1662 ± 290 · 1 game"])
