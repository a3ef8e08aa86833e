"""Tournaments on a running server, with clients that speak the protocol themselves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from cornered.protocol.commands import Join, Resign
from cornered.protocol.messages import Paired, Snapshot
from cornered.protocol.tournaments import (
    AskPairings,
    AskTournament,
    CreateTournament,
    JoinTournament,
    Pairings,
    StartTournament,
    TournamentSettings,
    TournamentState,
)
from cornered.protocol.values import Fischer
from tests.server.conftest import SMALL, TIMEOUT_S, Client, Running, Start

CLOCK = Fischer(initial=60, increment=1)
FREE: dict[str, Any] = {"message_rate": 100_000, "message_burst": 100_000}
"""Limits that a test which asks again and again does not reach."""


def settings(format: str = "swiss", **more: Any) -> TournamentSettings:
    given = {"name": "Spring open", "format": format, "game": SMALL, "clock": CLOCK, "pause": 0, **more}
    return TournamentSettings(**given)


async def create(organiser: Client, format: str = "swiss", **more: Any) -> str:
    ref = (await organiser.do(CreateTournament, settings=settings(format, **more))).ref
    assert ref is not None
    return ref


@contextlib.asynccontextmanager
async def crowd(server: Running, count: int) -> AsyncIterator[list[Client]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(server.client(f"Player {number}")) for number in range(count)]


async def resign_when_paired(client: Client, loses: Callable[[int], bool], until: Callable[[], bool]) -> None:
    """Resign each game in which the seat loses, until cancelled."""
    while not until():
        paired = await client.hear(Paired)
        if loses(paired.seat):
            await client.ask(Resign, match=paired.match)


@contextlib.asynccontextmanager
async def playing(
    clients: Sequence[Client], loses: Callable[[int], bool] = lambda seat: seat == 1
) -> AsyncIterator[None]:
    """Have clients end their games at once inside the block: seat 0 wins."""
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(resign_when_paired(client, loses, lambda: False)) for client in clients]
        try:
            yield
        finally:
            for task in running:
                task.cancel()


async def once(client: Client, tournament: str, is_so: Callable[[TournamentState], bool]) -> TournamentState:
    """Return a tournament as soon as it is so."""
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            state = await client.ask(AskTournament, tournament=tournament)
            assert isinstance(state, TournamentState), state
            if is_so(state):
                return state
            await asyncio.sleep(0)


def is_finished(state: TournamentState) -> bool:
    return state.tournament.status == "finished"


async def test_a_swiss_tournament_is_played_to_its_end(start: Start) -> None:
    async with (
        start(message_rate=100_000, message_burst=100_000) as server,
        crowd(server, 5) as players,
        server.client("Olga") as organiser,
    ):
        tournament = await create(organiser, rounds=3)
        for player in players:
            await player.do(JoinTournament, tournament=tournament)
        async with playing(players):
            await organiser.do(StartTournament, tournament=tournament)
            final = await once(organiser, tournament, is_finished)
        assert final.tournament.round == final.tournament.rounds == 3
        assert sum(row.points for row in final.standings) == 3 * 3
        assert final.tournament.winner == final.standings[0].player
        assert [row.rank for row in final.standings] == [1, 2, 3, 4, 5]
        for round_ in (1, 2, 3):
            page = await organiser.ask(AskPairings, tournament=tournament, round=round_)
            assert isinstance(page, Pairings)
            assert sorted(len(one.players) for one in page.pairings) == [1, 2, 2]
            for one in page.pairings:
                assert one.how == ("bye" if one.match is None else "played")
                if one.match is not None:
                    match = await organiser.ask(Join, match=one.match)
                    assert isinstance(match, Snapshot)
                    assert match.tournament == tournament


async def test_every_format_ends_with_a_winner(start: Start) -> None:
    async with (
        start(message_rate=100_000, message_burst=100_000) as server,
        crowd(server, 3) as players,
        server.client("Olga") as organiser,
    ):
        for format in ("round_robin", "knockout"):
            tournament = await create(organiser, format)
            for player in players:
                await player.do(JoinTournament, tournament=tournament)
            async with playing(players):
                await organiser.do(StartTournament, tournament=tournament)
                final = await once(organiser, tournament, is_finished)
            assert final.tournament.winner is not None
