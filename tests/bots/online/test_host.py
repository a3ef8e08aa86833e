"""Who the bots of a house are."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from logging.handlers import QueueHandler
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from cornered import engine
from cornered.bots.online.host import MAX_NAME_LENGTH, BotHost, HostConfig, HostedBot, player_name
from cornered.bots.pool.pool import Pool
from cornered.bots.roster import bots, create
from cornered.clients.sdk import TokenStore
from cornered.protocol.commands import AskGames, Declare, Hello, OfferAnalysis
from cornered.protocol.messages import Games
from cornered.protocol.values import Name
from tests.clients.sdk.scripted import Wire, scripted


@pytest.fixture
def warnings() -> Iterator[asyncio.Queue[logging.LogRecord]]:
    """Return the queue of the bots' warnings."""
    queue: asyncio.Queue[logging.LogRecord] = asyncio.Queue()
    handler = QueueHandler(queue)
    handler.setLevel(logging.WARNING)
    log = logging.getLogger("cornered.bots")
    log.addHandler(handler)
    yield queue
    log.removeHandler(handler)


def test_every_bot_has_a_name_that_the_server_takes_whatever_its_settings(subtests: pytest.Subtests) -> None:
    for kind in bots():
        with subtests.test(kind.name):
            settings = ",".join(f"{setting.name}={setting.default}" for setting in kind.SETTINGS)
            for spec in (kind.name, f"{kind.name}:{settings}" if settings else kind.name):
                name = player_name(create(spec))
                assert TypeAdapter(Name).validate_python(name) == name
                assert len(name) <= MAX_NAME_LENGTH


def test_long_names_keep_the_settings_that_tell_bots_apart() -> None:
    names = {player_name(create(f"level:level={level}")) for level in (1, 10)}
    assert names == {"level-1", "level-10"}
    bot = create("random")
    bot.label = "random" + "-a-very-long-setting-indeed-7"
    assert player_name(bot).endswith("-indeed-7")
    assert len(player_name(bot)) <= MAX_NAME_LENGTH


def test_two_bots_of_one_name_are_an_error() -> None:
    assert [guest.name for guest in HostedBot.all_of(["random", "greedy"])] == ["random", "greedy"]
    with pytest.raises(ValueError, match="two bots would be called 'random'"):
        HostedBot.all_of(["random", "greedy", "random"])
    with pytest.raises(ValueError, match="there is no bot 'nobody'"):
        HostedBot.all_of(["nobody"])


async def test_house_bots_show_the_key_that_they_are_given(tmp_path: Path) -> None:
    hellos: asyncio.Queue[Hello] = asyncio.Queue()

    async def script(wire: Wire) -> None:
        hellos.put_nowait(await wire.welcome())
        await wire.stay()

    (guest,) = HostedBot.all_of(["random"])
    store = TokenStore(tmp_path / "tokens.json")
    async with asyncio.timeout(60), scripted(script, script) as server, Pool.open(1) as pool:
        for key in (None, "the-key-of-the-operator"):
            async with asyncio.TaskGroup() as tasks:
                house = BotHost([guest], pool, HostConfig(analyst_key=key))
                hosting = tasks.create_task(house.host(guest, tasks, server.url, None, store))
                said = await hellos.get()
                hosting.cancel()
            assert (said.name, said.kind, said.key) == ("random", "bot", key)


async def test_an_answer_of_a_later_protocol_costs_a_bot_its_offer_of_analysis_and_no_match(
    tmp_path: Path, warnings: asyncio.Queue[logging.LogRecord]
) -> None:
    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.acknowledge(await wire.hear(Declare))
        for _ in range(2):
            await wire.say(Games(id=(await wire.hear(AskGames)).id, games=(), max_plies=2_000))
        await wire.answer_in_a_later_version(await wire.hear(OfferAnalysis))
        await wire.stay()

    (guest,) = HostedBot.all_of(["random"])
    store = TokenStore(tmp_path / "tokens.json")
    async with asyncio.timeout(120), scripted(script) as server, Pool.open(1) as pool, asyncio.TaskGroup() as tasks:
        house = BotHost([guest], pool, HostConfig(analyse="random"))
        for game in engine.games():
            await house.prepare(game.name)
        hosting = tasks.create_task(house.host(guest, tasks, server.url, None, store))
        warning = asyncio.create_task(warnings.get())
        await asyncio.wait({warning, hosting}, return_when=asyncio.FIRST_COMPLETED)
        assert "studies no positions" in warning.result().getMessage()
        assert list(house.clients) == [guest.name]
        hosting.cancel()
