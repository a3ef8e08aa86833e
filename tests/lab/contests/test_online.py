"""Fixtures on a real server: the same records as in process, clocks, and failures of bots and servers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pickle
import re
import threading
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import pytest

from cornered.bots.bot import Proven, Thought
from cornered.clients.sdk import Client, ClientError, Unreachable
from cornered.engine import State
from cornered.engine.records.record import from_json, to_json
from cornered.lab.contests import arena, online
from cornered.lab.contests.arena import play
from cornered.lab.contests.journal import from_record, to_record
from cornered.lab.contests.online import play_online, player_of
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.protocol.values import Accepts
from cornered.server.app import run
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.lab.contests.puppets import first_move, stage


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the tokens."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "cornered" / "lab"


@pytest.fixture
async def address(tmp_path: Path, compiled: None) -> AsyncIterator[str]:
    async with run(Settings(port=0, database=MEMORY_DATABASE, data=tmp_path, log_level="error")) as address:
        yield address


def crash(state: State) -> Thought:
    raise RuntimeError("the puppet is broken")


def small(address: str | None, **further: object) -> ContestTerms:
    terms: dict[str, object] = {"depth": 2, "server": address, **further}
    return ContestTerms.of("trapgrid", {"size": 4}, **terms)


async def played_on(terms: ContestTerms, *fixtures: Fixture) -> list[PlayedGame]:
    return [await asyncio.to_thread(play_online, terms, fixture) for fixture in fixtures]


def tokens(home: Path) -> dict[str, str]:
    """Return the stored tokens, by the players' names."""
    files = [json.loads(path.read_text()) for path in home.glob("*/*.json")]
    return {name: token for file in files for names in file.values() for name, token in names.items()}


def players(home: Path) -> int:
    return len(list(home.glob("*/*.json")))


def without_times(played: PlayedGame) -> tuple[object, ...]:
    efforts = [(effort.moves, effort.nodes, effort.depths) for effort in played.efforts]
    return played.fixture, played.moves, played.winner, played.ending, efforts, played.fault


async def test_the_games_are_those_that_are_played_in_process(address: str, subtests: pytest.Subtests) -> None:
    fixtures = [
        Fixture(0, ("greedy", "minimax"), ("b4", "d2")),
        Fixture(1, ("minimax", "greedy"), ("b4", "d2")),
        Fixture(2, ("random", "random"), (), pair=1),
    ]
    offline = [play(small(None), fixture) for fixture in fixtures]
    for clock in (None, "5+3", "20/move"):
        with subtests.test(clock=clock):
            terms = small(address, clock=clock)
            games = await played_on(terms, *fixtures)
            for played, alike in zip(games, offline, strict=True):
                assert played.ending == "rules"
                assert all(effort.seconds >= effort.slowest > 0 for effort in played.efforts)
                assert from_record(from_json(to_json(to_record(terms, played)))).moves == played.moves
                if alike.fixture.players != ("random", "random"):
                    assert without_times(played) == without_times(alike)
            assert games[0].fixture.players[games[0].winner or 0] in {"greedy", "minimax"}


async def test_dice_are_the_servers_own(address: str) -> None:
    terms = ContestTerms.of("isolation", {"width": 4, "height": 4, "dice": True}, server=address)
    (played,) = await played_on(terms, Fixture(0, ("greedy", "random")))
    assert played.ending == "rules"
    assert from_record(from_json(to_json(to_record(terms, played)))).moves == played.moves
    opening = played.moves[:4]
    with pytest.raises(ValueError, match="--plies 0"):
        await played_on(terms, Fixture(0, ("greedy", "random"), opening))


async def test_a_bot_that_fails_loses_its_game_and_no_other(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stage(monkeypatch, broken=crash, puppet=first_move, cheat=lambda state: Thought("d4"))
    games = await played_on(
        small(address),
        Fixture(0, ("broken", "puppet")),
        Fixture(1, ("puppet", "broken"), ("b4",)),
        Fixture(2, ("cheat", "puppet")),
        Fixture(3, ("puppet", "greedy")),
    )
    assert [(game.winner, game.ending) for game in games[:2]] == [(1, "crashed"), (0, "crashed")]
    for game in games[:2]:
        assert re.fullmatch(r"broken: test_online\.py, line \d+: RuntimeError: the puppet is broken", game.fault)
    assert (games[2].winner, games[2].ending, games[2].moves) == (1, "illegal", ())
    assert games[2].fault.startswith("cheat: ")
    assert games[3].ending == "rules"
    assert (games[3].efforts[0].nodes, games[3].efforts[0].depths) == (
        5 * games[3].efforts[0].moves,
        3 * games[3].efforts[0].moves,
    )
    assert games[1].moves == ("b4",)


async def test_a_bot_that_cannot_even_be_made_loses_without_the_server() -> None:
    played = play_online(small("ws://127.0.0.1:1"), Fixture(0, ("minimax:depth=0", "greedy"), ("b4",)))
    assert (played.winner, played.ending, played.moves) == (1, "crashed", ("b4",))


async def test_a_bot_thinks_within_the_terms_and_within_what_its_clock_leaves(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = stage(monkeypatch, puppet=first_move)
    fixture = Fixture(0, ("puppet", "puppet"))
    await played_on(small(address, time=700, nodes=9), fixture)
    assert {(limit.time, limit.depth, limit.nodes) for limit in limits} == {(700, 2, 9)}
    limits.clear()
    await played_on(small(address, clock="2/move", nodes=9), fixture)
    assert {(limit.depth, limit.nodes) for limit in limits} == {(2, 9)}
    assert all(limit.time is not None and 500 < limit.time < 2000 for limit in limits)
    limits.clear()
    await played_on(small(address, clock="2/move", time=40), fixture)
    assert all(limit.time == 40 for limit in limits)


@contextlib.asynccontextmanager
async def match_over(address: str) -> AsyncIterator[threading.Event]:
    """Yield what is set when the next match on the server is over."""

    async def watch() -> None:
        async with asyncio.timeout(60), Client.connect(address, name="Ann") as ann:
            lobby = await ann.lobby()
            while not lobby.matches:
                await lobby.changed(lobby.version)
            while lobby.matches:
                await lobby.changed(lobby.version)

    is_over = threading.Event()
    watching = asyncio.create_task(watch())
    watching.add_done_callback(lambda _: is_over.set())
    yield is_over
    await watching


async def test_who_thinks_past_the_flag_loses_on_time(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Clocks run once both players have moved.
    terms = small(address, clock="1/move")
    async with match_over(address) as is_over:

        def think_past_the_flag(state: State) -> Thought:
            is_over.wait()
            return first_move(state)

        stage(monkeypatch, dreamer=think_past_the_flag, puppet=first_move)
        (played,) = await played_on(terms, Fixture(0, ("dreamer", "puppet"), ("b4", "d2")))
    assert (played.winner, played.ending, played.fault) == (1, "time", "dreamer lost on time")
    assert played.moves == ("b4", "d2")
    assert played.efforts[0].slowest >= 1


async def test_who_thinks_longer_than_the_terms_allow_loses_on_time(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def dream(state: State) -> Thought:
        nonlocal now
        now += 1.3
        return first_move(state)

    monkeypatch.setattr(arena, "perf_counter", lambda: now)
    stage(monkeypatch, dreamer=dream, puppet=first_move)
    (late,) = await played_on(small(address, time=100), Fixture(1, ("puppet", "dreamer")))
    assert (late.winner, late.ending) == (0, "time")
    assert late.fault.startswith("dreamer took 1.")


async def test_games_end_early_where_the_terms_say_so(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def sure(proven: Proven) -> Callable[[State], Thought]:
        return lambda state: Thought(state.moves()[0], score=100.0 if proven == "win" else -100.0, proven=proven)

    stage(monkeypatch, winner=sure("win"), loser=sure("loss"), puppet=first_move)
    (sealed,) = await played_on(small(address, adjudicates=True), Fixture(0, ("loser", "winner")))
    assert (sealed.winner, sealed.ending, len(sealed.moves)) == (1, "adjudicated", 2)
    (long,) = await played_on(small(address, longest=3), Fixture(1, ("puppet", "puppet")))
    assert (long.winner, long.ending, len(long.moves)) == (None, "length", 3)
    quoridor = ContestTerms.of("quoridor", {"size": 3}, longest=3, server=address)
    (drawn,) = await played_on(quoridor, Fixture(2, ("puppet", "puppet")))
    assert (drawn.winner, drawn.ending, len(drawn.moves)) == (None, "length", 3)
    async with Client.connect(address, name="Ann") as ann:
        assert not (await ann.lobby()).matches


async def test_a_contest_makes_a_few_players_and_not_two_for_each_game(address: str, home: Path) -> None:
    fixtures = [Fixture(number, ("greedy", "greedy"), ("b4",)) for number in range(3)]
    await played_on(small(address), *fixtures)
    assert players(home) == 2
    # Concurrent games need players of their own, but no more than that.
    for _ in range(2):
        await asyncio.gather(*(played_on(small(address), fixture) for fixture in fixtures))
    assert 4 <= players(home) <= 6


async def test_what_a_killed_process_left_behind_is_given_up(address: str, home: Path) -> None:
    terms = small(address)
    await played_on(terms, Fixture(0, ("greedy", "minimax")))
    async with (
        Client.connect(address, token=tokens(home)["greedy"], kind="bot") as greedy,
        Client.connect(address, token=tokens(home)["minimax"], kind="bot") as minimax,
    ):
        await minimax.declare([Accepts(game="trapgrid")], 1)
        await minimax.accept(await greedy.challenge(minimax.player.id, "trapgrid", size=4))
    (played,) = await played_on(terms, Fixture(1, ("greedy", "minimax")))
    assert played.ending == "rules"


async def test_a_server_that_goes_away_is_an_error_and_the_contest_goes_on_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online, "SERVER_TIMEOUT_S", 0.6)
    is_thinking, is_away = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def dawdle(state: State) -> Thought:
        loop.call_soon_threadsafe(is_thinking.set)
        is_away.wait()
        return first_move(state)

    stage(monkeypatch, slow=dawdle)
    settings = Settings(port=0, data=tmp_path / "server", log_level="error")
    fixture = Fixture(0, ("slow", "greedy"))
    async with run(settings) as address:
        game = asyncio.ensure_future(played_on(small(address), fixture))
        await is_thinking.wait()
    is_away.set()
    with pytest.raises(Unreachable, match="went away in the middle of a game"):
        await game
    with pytest.raises(Unreachable, match="no server answers"):
        await played_on(small(address), fixture)
    again = settings.model_copy(update={"port": int(address.rpartition(":")[2])})
    async with run(again) as address:
        (played,) = await played_on(small(address), fixture)
    assert played.ending == "rules"


async def test_a_first_move_that_never_comes_loses_on_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: None
) -> None:
    settings = Settings(port=0, database=MEMORY_DATABASE, data=tmp_path, log_level="error", first_move_seconds=1)
    async with run(settings) as address, match_over(address) as is_over:

        def dream(state: State) -> Thought:
            is_over.wait()
            return first_move(state)

        stage(monkeypatch, dreamer=dream)
        (played,) = await played_on(small(address, clock="5+3"), Fixture(0, ("greedy", "dreamer")))
    assert (played.winner, played.ending, len(played.moves)) == (0, "time", 1)
    assert played.fault == "dreamer took too long for its first move"


async def test_a_game_that_is_called_off_is_no_game(address: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def call_off() -> None:
        async with Client.connect(address, token=tokens(home)["greedy"], kind="bot") as client:
            await (await client.join(client.live_matches[0])).abort()

    def act(state: State) -> Thought:
        asyncio.run(call_off())
        return first_move(state)

    stage(monkeypatch, puppet=act)
    with pytest.raises(ClientError, match="game 7 came to no end on the server: aborted"):
        await played_on(small(address), Fixture(7, ("greedy", "puppet")))


async def test_what_the_server_refuses_is_an_error_that_survives_pickling(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online, "Accepts", lambda game: Accepts(game=game, options={"size": (7,)}))
    with pytest.raises(ClientError, match=r"refuses game 3: .* does not play TrapGrid") as caught:
        await played_on(small(address), Fixture(3, ("greedy", "minimax")))
    assert caught.value.__context__ is None
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_server_decides_who_plays() -> None:
    assert player_of(small(None)) is play
    there = small("ws://127.0.0.1:8420")
    assert player_of(there) is play_online
    assert pickle.loads(pickle.dumps(partial(player_of(there), there))).args == (there,)
    with pytest.raises(ValueError, match="no server"):
        play_online(small(None), Fixture(0, ("greedy", "greedy")))
