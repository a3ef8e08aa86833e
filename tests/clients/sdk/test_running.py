"""`play_bot` against a server: a bot that asks for its own games, its log, and one player for each server."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cornered.clients.sdk import AlreadyPlaying, BotFailed, BotPlayer, Client, NoOpponent, TokenStore, run_bot
from cornered.clients.sdk import running as running_bots
from cornered.clients.sdk.bot_word import ChooseState
from cornered.clients.sdk.running import BotSettings, play_bot
from cornered.clients.sdk.worker_main import given
from cornered.engine.game import State
from cornered.engine.limit import Limit
from cornered.protocol.values import Accepts, Fischer
from tests.clients.sdk.test_own_account import url

__all__ = ["url"]

TIMEOUT_S = 60.0


def first(state: State, limit: Limit) -> str:
    return state.moves()[0]


@asynccontextmanager
async def opponent(url: str, name: str = "Rival", **fields: Any) -> AsyncIterator[Client]:
    """Run a bot that takes challenges to TrapGrid inside the block."""
    async with Client.connect(url, name=name, kind="bot") as client:
        bot = BotPlayer(client, lambda match, _: match.state.moves()[-1], accepts=[Accepts(game="trapgrid")], **fields)
        await bot.declare()
        playing = asyncio.ensure_future(bot.run())
        try:
            yield client
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


async def play(url: str, tmp_path: Path, choose: ChooseState = first, **fields: Any) -> None:
    store = TokenStore(tmp_path / "tokens.json")
    async with asyncio.timeout(TIMEOUT_S):
        settings = BotSettings(**{"thinks_in": "thread"} | fields)
        await play_bot("Mine", partial(given, choose), settings, server=url, store=store)


def told(caplog: pytest.LogCaptureFixture, word: str) -> list[str]:
    return [record.getMessage() for record in caplog.records if word in record.getMessage()]


async def test_a_bot_challenges_its_opponent_again_after_each_game_until_it_has_its_games(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opponent(url) as other, Client.connect(url, name="Ann") as ann:
        lobby, accepts = await ann.lobby(), set[tuple[Accepts, ...]]()

        is_seen = threading.Event()

        async def watch() -> None:
            while True:
                accepts.update(one.accepts for one in lobby.players.values() if one.player.name == "Mine")
                if accepts:
                    is_seen.set()
                await lobby.changed(lobby.version)

        def choose(state: State, limit: Limit) -> str:
            # The lobby is told a few times a second, and a game is over sooner.
            assert is_seen.wait(TIMEOUT_S)
            return first(state, limit)

        with caplog.at_level("INFO", "cornered.bot"):
            watching = asyncio.ensure_future(watch())
            await play(url, tmp_path, choose, play="RIVAL", games=3, clock="1+0", rated=True)
            watching.cancel()
        matches = (await other.my_matches()).finished
    assert accepts == {()}, "it is challenged by nobody"
    assert len(matches) == 3
    assert {match.game.name for match in matches} == {"trapgrid"}
    assert {match.clock for match in matches} == {Fischer(initial=60)}
    begun, ended = ([line for line in told(caplog, word) if "against Rival" in line] for word in (" begins", " ends"))
    assert len(begun) == len(ended) == 3
    assert "against Rival, 1 min, rated" in begun[0]
    assert "against Rival, 1 min" in ended[0]
    assert re.search(
        r"; (won \(rules: Rival has|lost \(rules: You have) no cell left to step to\), [\d.]+ s for \d+ moves$",
        ended[0],
    )
    assert " s for " in ended[0]


async def test_a_bot_that_another_program_plays_already_asks_for_no_games(url: str, tmp_path: Path) -> None:
    store = TokenStore(tmp_path / "tokens.json")
    async with opponent(url), Client.connect(url, name="Mine", kind="bot") as other:
        store.put(url, "Mine", other.token)
        settings = BotSettings(play="Rival", games=1, clock="1+0", thinks_in="thread")
        said = (
            "another program plays as Mine already, .*: stop that one, or give this one a name of its own with --name"
        )
        async with asyncio.timeout(TIMEOUT_S):
            with pytest.raises(AlreadyPlaying, match=said):
                await play_bot("Mine", partial(given, first), settings, server=url, store=store)
        assert (await other.my_matches()).finished == (await other.my_matches()).live == ()


async def test_a_bot_that_asks_for_games_leaves_those_of_a_later_program_alone(url: str, tmp_path: Path) -> None:
    store = TokenStore(tmp_path / "tokens.json")
    began, has_other = asyncio.Event(), asyncio.Event()

    async def waiting(state: State, limit: Limit) -> str:
        began.set()
        await has_other.wait()
        return state.moves()[0]

    async with opponent(url) as rival, Client.connect(url, name="Ann") as ann:
        settings = BotSettings(play="Rival", games=2, clock="1+0")
        playing = asyncio.ensure_future(play_bot("Mine", partial(given, waiting), settings, server=url, store=store))
        async with asyncio.timeout(TIMEOUT_S):
            await began.wait()
            token = store.get(url, "Mine")
            async with Client.connect(url, token=token, kind="bot") as later:
                await later.declare([Accepts(game="isolation")], 4)
                await ann.challenge(later.player.id, "isolation", seat=1)
                challenge = await anext(new.challenge async for new in later.news() if new.type == "challenged")
                await later.accept(challenge)
                match = await ann.join(await anext(new.match async for new in ann.news() if new.type == "paired"))
                has_other.set()
                await playing
                assert (match.ply, match.over) == (0, False)
            mine = (await rival.my_matches()).finished
    assert [one.game.name for one in mine] == ["trapgrid"] * 2


async def test_a_bot_that_asks_for_games_plays_on_those_of_an_earlier_run_which_do_not_count(
    url: str, tmp_path: Path
) -> None:
    store = TokenStore(tmp_path / "tokens.json")
    async with opponent(url, concurrency=2) as rival, Client.connect(url, name="Ann") as ann:
        async with Client.connect(url, name="Mine", kind="bot") as before:
            store.put(url, "Mine", before.token)
            await before.declare([Accepts(game="isolation")], 4)
            await before.challenge(rival.player.id, "trapgrid", clock=Fischer(initial=60))
            await ann.challenge(before.player.id, "isolation", seat=1)
            await before.accept(
                await anext(
                    new.challenge
                    async for new in before.news()
                    if new.type == "challenged" and new.to.id == before.player.id
                )
            )
            match = await ann.join(await anext(new.match async for new in ann.news() if new.type == "paired"))
        settings = BotSettings(play="Rival", games=1, clock="1+0", thinks_in="thread", accepts=["trapgrid"])
        async with asyncio.timeout(TIMEOUT_S):
            await play_bot("Mine", partial(given, first), settings, server=url, store=store)
        assert (match.ply, match.over) == (0, False)
        assert len((await rival.my_matches()).finished) == 2


async def test_an_opponent_who_is_not_there_is_named_with_those_who_are(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.clients.sdk.asking.BOT_TIMEOUT_S", 0.3)
    async with opponent(url), opponent(url, "Zoe"):
        with pytest.raises(NoOpponent) as error:
            await play(url, tmp_path, play="rivl", games=1, accepts=["trapgrid"])
    said = "no player 'rivl' plays trapgrid here; did you mean Rival? There are Rival, Zoe"
    assert str(error.value) == said


async def test_a_person_who_declines_is_not_asked_again(url: str, tmp_path: Path) -> None:
    async with Client.connect(url, name="Ann") as ann:
        playing = asyncio.ensure_future(play(url, tmp_path, play="Ann", accepts=["trapgrid"]))
        async for news in ann.news():
            if news.type == "challenged":
                await ann.decline(news.challenge, "not today")
                break
        with pytest.raises(NoOpponent, match="Ann does not play: not today"):
            await playing


async def test_a_bot_that_seeks_opens_a_table_again_after_each_game(url: str, tmp_path: Path) -> None:
    async with Client.connect(url, name="Ann") as ann:
        lobby, seen = await ann.lobby(), set[str]()
        playing = asyncio.ensure_future(play(url, tmp_path, seek=True, games=2, clock="2+1", accepts=["trapgrid"]))
        for _ in range(2):
            while not lobby.seeks.keys() - seen:
                await lobby.changed(lobby.version)
            (seek,) = (one for one in lobby.seeks.values() if one.id not in seen)
            seen.add(seek.id)
            assert seek.settings.clock == Fischer(initial=120, increment=1)
            await ann.join_seek(seek.id)
            news = ann.news()
            match = await ann.join(await anext(new.match async for new in news if new.type == "paired"))
            await match.resign()
            assert (await match.ended()).reason == "resignation"
        await playing


async def test_a_bot_ends_with_the_error_where_it_raises_one(url: str, tmp_path: Path) -> None:
    def fails(state: State, limit: Limit) -> str:
        raise KeyError("a fault")

    async with opponent(url):
        with pytest.raises(BotFailed, match=r"of trapgrid at ply .*choose raised KeyError") as error:
            await play(url, tmp_path, fails, play="Rival", clock="1+0", on_error="raise")
    assert isinstance(error.value.__cause__, KeyError)


async def test_a_bot_makes_random_moves_in_place_of_wrong_ones(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def nothing(state: State, limit: Limit) -> Any:
        return None

    with caplog.at_level("INFO", "cornered.bot"):
        async with opponent(url):
            await play(url, tmp_path, nothing, play="Rival", games=1, clock="1+0", on_error="random")
    assert all("(rules: " in line for line in told(caplog, " ends: "))
    assert all(line.startswith("Mine (") for line in told(caplog, ") makes a random move in match"))
    assert told(caplog, ") makes a random move in match")
    assert not told(caplog, "resigns")


async def test_a_game_that_the_server_does_not_have_is_named(url: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the server has no game 'chess'; it has"):
        await play(url, tmp_path, accepts=["chess"])


def test_settings_that_do_not_go_together_are_refused(subtests: pytest.Subtests) -> None:
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"play": "Ann", "seek": True}, "plays no others"),
        ({"play": "Ann", "ladder": 1}, "plays no others"),
        ({"rated": True}, "name an opponent, or let it seek"),
        ({"clock": "1+0"}, "name an opponent, or let it seek"),
        ({"seek": True, "clock": "soon"}, r"a clock is 5\+3"),
        ({"games": 0}, "1 game or more"),
        ({"concurrency": 0}, "1 game at once or more"),
        ({"on_error": "ignore"}, "resign, random or raise"),
        ({"thinks_in": "cloud"}, "a process or a thread"),
        ({"version": "no version!"}, "is no version"),
    )
    for fields, said in refused:
        with subtests.test(**fields), pytest.raises(ValueError, match=said):
            BotSettings(**fields)


def test_run_bot_takes_server_and_token_from_the_environment_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, Any] = {}

    async def play(name: str, choose: ChooseState, settings: BotSettings, **where: Any) -> None:
        called.update(where)

    monkeypatch.setattr(running_bots, "play_bot", play)
    here = {"server": "ws://here:1", "token": "a-token-of-twenty-characters"}
    monkeypatch.setenv("CORNERED_SERVER", here["server"])
    monkeypatch.setenv("CORNERED_TOKEN", here["token"])
    run_bot("Mine", first)
    assert called == here
    there = {"server": "ws://there:2", "token": "another-token-of-this-length"}
    run_bot("Mine", first, server=there["server"], token=there["token"])
    assert called == there


async def test_a_bot_runs_beside_an_event_loop_as_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def play(*arguments: Any, **named: Any) -> None:
        loops.append(asyncio.get_running_loop())

    monkeypatch.setattr(running_bots, "play_bot", play)
    run_bot("Mine", first)
    assert loops != [asyncio.get_running_loop()]
    assert len(loops) == 1


async def test_a_bot_whose_process_dies_loses_no_other_game(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    died = tmp_path / "died"

    def dies_once(state: State, limit: Limit) -> str:
        if not died.exists():
            died.touch()
            os._exit(7)
        return state.moves()[0]

    with caplog.at_level("INFO", "cornered.bot"):
        async with opponent(url):
            await play(url, tmp_path, dies_once, play="Rival", games=2, clock="1+0", thinks_in="process", concurrency=1)
    assert [line.count("(resignation)") for line in told(caplog, "against Rival") if " ends: " in line] == [1, 0]
    assert any("died with exit code 7" in line for line in told(caplog, "resigns"))


@pytest.mark.parametrize("thinks_in", ["thread", "process"])
async def test_a_bot_has_loaded_the_rules_before_it_takes_games(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thinks_in: str
) -> None:
    order, has_declared = list[object](), asyncio.Event()

    async def declare(player: BotPlayer) -> None:
        order.append("declared")
        has_declared.set()

    monkeypatch.setattr(running_bots, "prepare", order.append)
    monkeypatch.setattr(BotPlayer, "declare", declare)
    playing = asyncio.ensure_future(play(url, tmp_path, accepts=["trapgrid"], thinks_in=thinks_in, concurrency=1))
    declared = asyncio.ensure_future(has_declared.wait())
    await asyncio.wait([playing, declared], return_when=asyncio.FIRST_COMPLETED)
    for task in (playing, declared):
        task.cancel()
    await asyncio.gather(playing, declared, return_exceptions=True)
    assert order == [["trapgrid"], "declared"]
