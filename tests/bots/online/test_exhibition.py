"""When the house bots show a game: whenever there is none that a visitor could follow."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from websockets.exceptions import ConnectionClosed

from cornered.bots.online.exhibition import exhibit, until_inactive
from cornered.clients.sdk import Client, LobbyView
from cornered.engine import Game
from cornered.protocol.codec import MSGPACK
from cornered.protocol.commands import Challenge, Ping, WatchLobby
from cornered.protocol.messages import LobbyChanged, LobbyState, Pong
from cornered.protocol.values import NO_CLOCK, GameSpec, MatchSummary, Player
from tests.clients.sdk.scripted import Wire, connected, scripted
from tests.virtual_time import after
from tests.waiting import until

PLAYERS = (Player(id="ann", name="Ann", kind="person"), Player(id="bob", name="Bob", kind="person"))
FOREVER = 3600.0


def match(ply: int) -> MatchSummary:
    return MatchSummary(
        id="m",
        game=GameSpec(name="trapgrid"),
        clock=NO_CLOCK,
        players=PLAYERS,
        ply=ply,
        position="0../.../..1 0",
        watchers=0,
        started=1,
    )


def lobby(*matches: MatchSummary) -> LobbyView:
    view = LobbyView()
    view.reset(LobbyState(id="x", seeks=(), matches=matches, players=()))
    return view


def now() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.virtual_time
async def test_an_empty_lobby_is_still_at_once_and_an_abandoned_match_keeps_no_visitor_from_a_game() -> None:
    began = now()
    await until_inactive(lobby(), still=FOREVER, pause=FOREVER)
    assert now() - began < 1
    await until_inactive(lobby(match(2)), still=30, pause=FOREVER)
    assert now() - began == pytest.approx(30, abs=1)


@pytest.mark.virtual_time
async def test_a_match_in_which_something_moves_is_not_disturbed() -> None:
    view = lobby(match(0))
    waiting = asyncio.ensure_future(until_inactive(view, still=30, pause=0.0))
    for ply in range(1, 9):
        await after(29)
        view.change(LobbyChanged(matches=(match(ply),)))
        assert not waiting.done()
    await after(29)
    assert not waiting.done()
    await after(2)
    assert waiting.done()


@pytest.mark.virtual_time
async def test_news_that_are_no_moves_do_not_make_a_match_move() -> None:
    view = lobby(match(3))
    waiting = asyncio.ensure_future(until_inactive(view, still=30, pause=FOREVER))
    for _ in range(29):
        await after(1)
        view.change(LobbyChanged(players_gone=("zoe",)))
        assert not waiting.done()
    await after(2)
    assert waiting.done()


@pytest.mark.virtual_time
async def test_after_a_match_there_is_time_to_see_how_it_ended() -> None:
    view = lobby(match(3))
    waiting = asyncio.ensure_future(until_inactive(view, still=FOREVER, pause=8))
    await after(1)
    view.change(LobbyChanged(matches_gone=("m",)))
    await after(7)
    assert not waiting.done()
    await after(2)
    assert waiting.done()


@dataclass
class TwoBots:
    """Two bots over one connection that can always play."""

    clients: Mapping[str, Client]

    def able(self, game: Game) -> Sequence[str]:
        return list(self.clients)

    async def changed(self) -> None:
        raise AssertionError("the bots are able at once")


async def test_a_game_that_only_one_nodes_lobby_shows_yet_is_not_doubled() -> None:
    challengers: list[Wire] = []

    async def script(wire: Wire) -> None:
        await wire.welcome()
        with contextlib.suppress(ConnectionClosed):
            while True:
                match MSGPACK.decode_command(await wire.socket.recv(decode=False)):
                    case WatchLobby() as watch:
                        await wire.say(LobbyState(id=watch.id, seeks=(), matches=(), players=()))
                    case Challenge() as challenge:
                        challengers.append(wire)
                        await wire.acknowledge(challenge, ref="c")
                        await wire.say(LobbyChanged(matches=(match(0),)))
                    case Ping() as ping:
                        await wire.say(Pong(id=ping.id, sent=ping.sent, now=1))
                    case other:
                        raise AssertionError(other)

    async with scripted(script, script) as server, connected(server) as one, connected(server) as two:
        showing = asyncio.create_task(exhibit(TwoBots({"a": one, "b": two}), pause=0.0))
        for games in range(1, 9):
            await until(lambda games=games: len(challengers) == games)  # type: ignore[misc]
            # Another challenge would be on its way by now.
            for client in (one, two) * 3:
                await client.ask(Ping(id=client.new_id(), sent=1), Pong)
            assert len(challengers) == games
            await challengers[-1].say(LobbyChanged(matches_gone=("m",)))
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)


async def test_an_answer_of_a_later_protocol_does_not_end_the_exhibition() -> None:
    asked_again = asyncio.Event()

    async def script(wire: Wire) -> None:
        await wire.welcome()
        await wire.answer_in_a_later_version(await wire.hear(WatchLobby))
        await wire.hear(WatchLobby)
        asked_again.set()
        await wire.stay()

    async with scripted(script) as server, connected(server) as client:
        showing = asyncio.create_task(exhibit(TwoBots({"a": client, "b": client}), pause=0.0))
        waiting = asyncio.create_task(asked_again.wait())
        await asyncio.wait({showing, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=60)
        for task in (showing, waiting):
            task.cancel()
        await asyncio.gather(showing, waiting, return_exceptions=True)
    assert asked_again.is_set()
