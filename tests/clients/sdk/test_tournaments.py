"""Tournaments in the client kit, against a server: joining, games that begin by themselves, standings, bots."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cornered.clients.sdk import BotPlayer, Client, Closed, CommandRefused
from cornered.protocol.tournaments import TournamentSettings
from cornered.protocol.values import Accepts, Fischer, GameSpec
from tests.clients.sdk.test_own_account import url

__all__ = ["url"]

SMALL = GameSpec(name="trapgrid", options={"size": 3})
TIMEOUT_S = 60.0


def settings(name: str = "Cup", **fields: Any) -> TournamentSettings:
    return TournamentSettings(
        **{"name": name, "format": "round_robin", "game": SMALL, "clock": Fischer(initial=60), "pause": 0, **fields}
    )


def bot(client: Client, tournament: str, version: str | None = None) -> BotPlayer:
    return BotPlayer(
        client,
        lambda match, _: match.state.moves()[0],
        accepts=[Accepts(game="trapgrid")],
        version=version,
        tournament=tournament,
    )


async def test_bots_enter_a_tournament_and_play_it_to_its_end(url: str) -> None:
    async with (
        Client.connect(url, name="Ann") as ann,
        Client.connect(url, name="One", kind="bot") as one,
        Client.connect(url, name="Two", kind="bot") as two,
        Client.connect(url, name="Three", kind="bot") as three,
        asyncio.timeout(TIMEOUT_S),
        asyncio.TaskGroup() as tasks,
    ):
        cup = await ann.tournaments.create(settings(entrants="bots"))
        with pytest.raises(CommandRefused, match="bots only"):
            await ann.tournaments.join(cup)
        view = await ann.tournaments.watch(cup)
        playing = []
        for client, version in ((one, "1.0"), (two, None), (three, None)):
            player = bot(client, cup, version)
            await player.declare()
            playing.append(tasks.create_task(player.run()))
        while view.info.players < 3:
            await view.changed(view.version)
        await ann.tournaments.start(cup)
        while not view.is_over:
            await view.changed(view.version)
        for each in playing:
            each.cancel()
        standings = [standing async for standing in ann.tournaments.standings(cup)]
        assert [standing.rank for standing in standings] == [1, 2, 3]
        assert sum(standing.points for standing in standings) == 3.0
        assert all(standing.games == 2 for standing in standings)
        assert view.info.winner == standings[0].player
        games = [pairing for round in (1, 2, 3) async for pairing in ann.tournaments.pairings(cup, round)]
        assert [game.how for game in games] == ["played"] * 3
        match = await ann.join(next(game.match for game in games if one.player in game.players) or "")
        versions = {seat.player.name: seat.version for seat in match.snapshot.seats}
        assert versions.pop("One") == "1.0"
        assert set(versions.values()) == {None}
        assert [one.id async for one in ann.tournaments.list(over=True)] == [cup]
        assert [one.id async for one in ann.tournaments.list()] == []


async def test_a_person_joins_sees_the_standing_and_withdraws(url: str) -> None:
    async with Client.connect(url, name="Ann") as ann, Client.connect(url, name="Ben") as ben:
        cup = await ann.tournaments.create(settings("Friday", format="swiss", rounds=2))
        (listed,) = [one async for one in ben.tournaments.list()]
        assert (listed.id, listed.settings.name, listed.status, listed.players) == (cup, "Friday", "open", 0)
        await ben.tournaments.join(cup)
        about = await ben.tournaments.about(cup)
        assert about.own is not None
        assert about.own.player == ben.player
        assert [standing.player.name async for standing in ben.tournaments.standings(cup)] == ["Ben"]
        await ben.tournaments.withdraw(cup)
        assert (await ben.tournaments.about(cup)).own is None
        with pytest.raises(CommandRefused, match="organiser"):
            await ben.tournaments.start(cup)
        await ann.tournaments.cancel(cup)
        with pytest.raises(CommandRefused, match="over"):
            await ben.tournaments.join(cup)
        with pytest.raises(CommandRefused, match="no such tournament"):
            await ben.tournaments.about("nosuch")


async def test_a_pair_that_is_made_by_hand_begins_its_game(url: str) -> None:
    async with (
        Client.connect(url, name="Ann") as ann,
        Client.connect(url, name="Ben") as ben,
        asyncio.timeout(TIMEOUT_S),
    ):
        cup = await ann.tournaments.create(settings(format="by_hand", pause=None))
        for client in (ann, ben):
            await client.tournaments.join(cup)
        view = await ann.tournaments.watch(cup)
        await ann.tournaments.start(cup)
        await ann.tournaments.pair(cup, [(ben.player.id, ann.player.id)])
        while not view.pairings:
            await view.changed(view.version)
        (pairing,) = view.pairings
        assert [player.name for player in pairing.players] == ["Ben", "Ann"]
    with pytest.raises(Closed):
        await view.changed(view.version)
