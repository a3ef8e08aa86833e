"""Tournaments on a running server, with clients that speak the protocol themselves."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest

from cornered.contests.trf import read
from cornered.protocol import tournaments as trn
from cornered.protocol.account import AskPolicies, Register
from cornered.protocol.commands import Abort, AskMyMatches, EnterPool, Join, Play, Rematch, RequestTakeback, Resign
from cornered.protocol.events import ClocksPaused, ClocksResumed, Ended
from cornered.protocol.messages import Happened, Paired, Refused, Snapshot, Waiting
from cornered.protocol.values import Fischer, Player
from cornered.server.moderation.events import Banned, Entry, seal_of
from cornered.server.runtime import tournament_service
from cornered.server.runtime.tallies import Allowance
from tests.server.conftest import SMALL, TIMEOUT_S, Client, Running, Start, Stores
from tests.server.scenes import DAY_MS, crowd, make_account

CLOCK = Fischer(initial=60, increment=1)
FREE: dict[str, Any] = {"message_rate": 100_000, "message_burst": 100_000}
"""Limits that a test which asks again and again does not reach."""


def settings(format: str = "swiss", **more: Any) -> trn.TournamentSettings:
    given = {"name": "Spring open", "format": format, "game": SMALL, "clock": CLOCK, "pause": 0, **more}
    return trn.TournamentSettings(**given)


async def create(organiser: Client, format: str = "swiss", **more: Any) -> str:
    ref = (await organiser.do(trn.CreateTournament, settings=settings(format, **more))).ref
    assert ref is not None
    return ref


@pytest.fixture
async def server(start: Start) -> AsyncIterator[Running]:
    async with start(**FREE) as server:
        yield server


@pytest.fixture
async def olga(server: Running) -> AsyncIterator[Client]:
    """An organiser."""
    async with server.client("Olga") as olga:
        yield olga


@pytest.fixture
async def players(server: Running) -> AsyncIterator[list[Client]]:
    async with crowd(server, 2) as players:
        yield players


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


async def once(client: Client, tournament: str, is_so: Callable[[trn.TournamentState], bool]) -> trn.TournamentState:
    """Return a tournament as soon as it is so."""
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            state = await client.ask(trn.AskTournament, tournament=tournament)
            assert isinstance(state, trn.TournamentState), state
            if is_so(state):
                return state
            await asyncio.sleep(0)


def is_finished(state: trn.TournamentState) -> bool:
    return state.tournament.status == "finished"


async def test_a_swiss_tournament_is_played_to_its_end(start: Start) -> None:
    async with (
        start(message_rate=100_000, message_burst=100_000) as server,
        crowd(server, 5) as players,
        server.client("Olga") as organiser,
    ):
        tournament = await create(organiser, rounds=3)
        for player in players:
            await player.do(trn.JoinTournament, tournament=tournament)
        async with playing(players):
            await organiser.do(trn.StartTournament, tournament=tournament)
            final = await once(organiser, tournament, is_finished)
        assert final.tournament.round == final.tournament.rounds == 3
        assert sum(row.points for row in final.standings) == 3 * 3
        assert final.tournament.winner == final.standings[0].player
        assert [row.rank for row in final.standings] == [1, 2, 3, 4, 5]
        for round_ in (1, 2, 3):
            page = await organiser.ask(trn.AskPairings, tournament=tournament, round=round_)
            assert isinstance(page, trn.Pairings)
            assert sorted(len(one.players) for one in page.pairings) == [1, 2, 2]
            for one in page.pairings:
                assert one.how == ("bye" if one.match is None else "played")
                if one.match is not None:
                    match = await organiser.ask(Join, match=one.match)
                    assert isinstance(match, Snapshot)
                    assert match.tournament == tournament


async def test_a_round_robin_and_a_knockout_end_with_a_winner(server: Running) -> None:
    async with crowd(server, 3) as players, server.client("Olga") as organiser:
        for format in ("round_robin", "knockout"):
            tournament = await create(organiser, format)
            for player in players:
                await player.do(trn.JoinTournament, tournament=tournament)
            async with playing(players):
                await organiser.do(trn.StartTournament, tournament=tournament)
                final = await once(organiser, tournament, is_finished)
            assert final.tournament.winner is not None


async def test_an_arena_pairs_who_is_connected(server: Running, players: list[Client], olga: Client) -> None:
    tournament = await create(olga, "arena", minutes=1)
    for player in players:
        await player.do(trn.JoinTournament, tournament=tournament)
    async with server.client("Guest") as guest:
        await guest.do(trn.JoinTournament, tournament=tournament)
    await olga.do(trn.StartTournament, tournament=tournament)
    state = await once(olga, tournament, lambda state: state.tournament.pending == 1)
    assert {player.id for player in state.pairings[0].players} == {player.player.id for player in players}
    await olga.do(trn.CancelTournament, tournament=tournament)


async def paired(organiser: Client, players: Sequence[Client], **more: Any) -> tuple[str, str, Client, Client]:
    """Return a tournament by hand of two players, its match, and the players by seat."""
    tournament = await create(organiser, "by_hand", **more)
    for player in players[:2]:
        await player.do(trn.JoinTournament, tournament=tournament)
    await organiser.do(trn.StartTournament, tournament=tournament)
    pair = (players[0].player.id, players[1].player.id)
    await organiser.do(trn.PairByHand, tournament=tournament, pairs=(pair,))
    match = (await players[0].hear(Paired)).match
    return tournament, match, players[0], players[1]


async def test_a_game_of_a_tournament_is_neither_aborted_nor_taken_back_and_has_no_rematch(
    players: list[Client], olga: Client
) -> None:
    _, match, first, second = await paired(olga, players)
    await first.join(match)
    assert await second.refused(Abort, match=match) == "not_allowed"
    await first.do(Play, match=match, ply=0, move="b3")
    assert await first.refused(RequestTakeback, match=match) == "not_allowed"
    await second.do(Resign, match=match)
    assert await first.refused(Rematch, match=match) == "not_allowed"


async def test_a_game_of_a_tournament_ends_the_wait_in_a_pool(players: list[Client], olga: Client) -> None:
    await players[0].do(EnterPool, pool="trapgrid-3-2")
    assert (await players[0].hear(Waiting)).pool is not None
    await paired(olga, players)
    assert (await players[0].hear(Waiting)).pool is None


async def test_a_pause_stops_the_clocks_of_all_games(server: Running, olga: Client) -> None:
    async with crowd(server, 4) as players:
        tournament = await create(olga, "by_hand")
        for player in players:
            await player.do(trn.JoinTournament, tournament=tournament)
        await olga.do(trn.StartTournament, tournament=tournament)
        first, second, third, fourth = (player.player.id for player in players)
        await olga.do(trn.PairByHand, tournament=tournament, pairs=((first, second), (third, fourth)))
        matches = [(await player.hear(Paired)).match for player in players]
        for player, match in zip(players, matches, strict=True):
            await player.join(match)
        await olga.do(trn.PauseTournament, tournament=tournament)
        for player in players:
            await player.hear(Happened, lambda said: isinstance(said.events[0], ClocksPaused))
        assert await players[0].refused(Play, match=matches[0], ply=0, move="b3") == "paused"
        await olga.do(trn.ResumeTournament, tournament=tournament)
        for player in players:
            await player.hear(Happened, lambda said: isinstance(said.events[0], ClocksResumed))
        await players[0].do(Play, match=matches[0], ply=0, move="b3")


async def test_the_clocks_of_a_tournament_that_is_cancelled_in_a_pause_go_on(
    players: list[Client], olga: Client
) -> None:
    tournament, match, first, _ = await paired(olga, players)
    await first.join(match)
    await olga.do(trn.PauseTournament, tournament=tournament)
    await first.hear(Happened, lambda said: isinstance(said.events[0], ClocksPaused))
    await olga.do(trn.CancelTournament, tournament=tournament)
    await first.hear(Happened, lambda said: isinstance(said.events[0], ClocksResumed))
    await first.do(Play, match=match, ply=0, move="b3")


async def test_watchers_get_changes_until_they_leave_and_participants_the_organisers_lines(
    players: list[Client], olga: Client
) -> None:
    tournament = await create(olga)
    state = await olga.ask(trn.WatchTournament, tournament=tournament)
    assert isinstance(state, trn.TournamentState)
    assert state.own is None
    await players[0].do(trn.JoinTournament, tournament=tournament)
    changed = await olga.hear(trn.TournamentChanged)
    assert [row.player.id for row in changed.standings] == [players[0].player.id]
    assert (await players[0].ask(trn.AskTournament, tournament=tournament)).own.rank == 1
    await olga.do(trn.LeaveTournament, tournament=tournament)
    await olga.do(trn.TellTournament, tournament=tournament, text="Welcome")
    told = await players[0].hear(trn.TournamentMessage)
    assert (told.text, told.by.name, told.name) == ("Welcome", "Olga", "Spring open")
    assert await players[1].refused(trn.TellTournament, tournament=tournament, text="Spam") == "not_yours"


async def test_a_table_of_a_tournament_escapes_what_a_spreadsheet_would_run_and_says_its_encoding(
    server: Running,
) -> None:
    async with server.client("=1+1") as eve, server.client("Zoë") as ben:
        tournament = await create(ben, "by_hand")
        for player in (eve, ben):
            await player.do(trn.JoinTournament, tournament=tournament)
        await ben.do(trn.StartTournament, tournament=tournament)
        await ben.do(trn.PairByHand, tournament=tournament, pairs=((eve.player.id, ben.player.id),))
        paired = await ben.hear(Paired)
        await ben.do(Resign, match=paired.match)
        await once(ben, tournament, lambda state: state.tournament.pending == 0)
        record = await server.fetch(f"/matches/{paired.match}.txt")
        assert f'[Tournament "{tournament}"]' in record.body
        answer = await server.fetch(f"/tournaments/{tournament}.csv")
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/csv")
        lines = answer.body.splitlines()
        assert lines[0].startswith("\ufeffrank,player,kind,rating,points,")
        assert lines[1].startswith("1,'=1+1,person,1500,1.0,")
        assert lines[-1] == f"1,1,'=1+1,Zoë,1.0,0.0,played,{paired.match}"
        report = await server.fetch(f"/tournaments/{tournament}.trf")
        assert report.headers["content-disposition"].endswith(f'"tournament-{tournament}.trf"')
        results = {player.name: player.rounds[0].result for player in read(report.body).players}
        assert results == {"=1+1": "1", "Zoë": "0"}
        knockout = await create(ben, "knockout")
        for path in ("nothing.csv", "nothing.trf", f"{knockout}.trf"):
            assert (await server.fetch(f"/tournaments/{path}")).status == 404


@pytest.mark.parametrize(("who", "code"), [("accounts", "no_account"), ("admins", "not_permitted")])
async def test_the_operator_says_who_creates_tournaments(start: Start, who: str, code: str) -> None:
    async with start(tournaments=who) as server, server.client("Ann") as ann:
        assert await ann.refused(trn.CreateTournament, settings=settings()) == code
        assert (await ann.ask(AskPolicies)).tournaments == who
        if who == "accounts":
            await ann.ask(Register, name="Anna", password="correct horse battery")
            await create(ann)


async def test_a_repeated_creation_makes_one_tournament_and_an_organiser_has_a_bounded_number(
    server: Running, ann: Client
) -> None:
    first = await ann.do(trn.CreateTournament, id="once", settings=settings())
    second = await ann.do(trn.CreateTournament, id="once", settings=settings())
    assert first.ref == second.ref
    assert await ann.refused(trn.CreateTournament, id="once", settings=settings(name="Another")) == "id_reused"
    for _ in range(4):
        await create(ann)
    assert await ann.refused(trn.CreateTournament, settings=settings()) == "busy"
    page = await ann.ask(trn.AskTournaments)
    assert isinstance(page, trn.Tournaments)
    assert len(page.tournaments) == 5
    assert page.more is None
    await ann.do(trn.CancelTournament, tournament=first.ref)
    over = await ann.ask(trn.AskTournaments, over=True)
    assert [one.id for one in over.tournaments] == [first.ref]
    assert (await ann.do(trn.CreateTournament, id="once", settings=settings())).ref == first.ref
    assert await ann.refused(trn.CreateTournament, id="once", settings=settings(name="Another")) == "id_reused"
    metrics = await server.metrics()
    assert metrics["cornered_tournaments"] == 4


async def test_who_creates_and_cancels_tournaments_again_and_again_has_to_wait(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_service, "CREATED_BY_PLAYER", Allowance(3, 1 / 3_600))
    monkeypatch.setattr(tournament_service, "CREATED_FROM_ADDRESS", Allowance(5, 1 / 3_600))
    async with start(**FREE) as server, server.client("Ann") as ann, server.client("Ben") as ben:
        for client, most in ((ann, 3), (ben, 2)):
            for _ in range(most):
                await client.do(trn.CancelTournament, tournament=await create(client))
            answer = await client.ask(trn.CreateTournament, settings=settings())
            assert isinstance(answer, Refused)
            assert answer.code == "too_fast"
            assert (answer.retry_after or 0) > 60_000


async def test_an_address_has_a_bounded_number_of_tournaments(
    ann: Client, ben: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_service, "MAX_LIVE_OF_ADDRESS", 2)
    first = await create(ann)
    await create(ben)
    assert await ben.refused(trn.CreateTournament, settings=settings()) == "server_full"
    await ann.do(trn.CancelTournament, tournament=first)
    await create(ben)


async def test_a_player_takes_part_in_a_bounded_number_of_tournaments(
    ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_service, "MAX_ENTERED", 2)
    first, second, third = [await create(ann) for _ in range(3)]
    for tournament in (first, second, second):
        await ann.do(trn.JoinTournament, tournament=tournament)
    assert await ann.refused(trn.JoinTournament, tournament=third) == "busy"
    await ann.do(trn.WithdrawFromTournament, tournament=first)
    await ann.do(trn.JoinTournament, tournament=third)


async def test_an_administrators_token_to_play_has_no_power_over_tournaments(
    running_server: Start, stores: Stores
) -> None:
    player, session, token = await make_account(stores, "admin")
    now = stores.now()
    _, plays = await stores.accounts.create_token(player, session, "", ("play", "read"), now, now + DAY_MS)
    async with running_server() as server, server.client("Ann") as ann:
        tournament = await create(ann)
        async with server.client(token=plays) as program:
            assert await program.refused(trn.CancelTournament, tournament=tournament) == "not_yours"
        async with server.client(token=token) as admin:
            await admin.do(trn.CancelTournament, tournament=tournament)


async def test_a_page_or_round_that_no_store_could_hold_is_refused(ann: Client) -> None:
    tournament = await create(ann)
    for command in (
        f'{{"type": "ask_tournaments", "id": "a", "over": true, "after": {2**63}}}',
        f'{{"type": "ask_pairings", "id": "b", "tournament": "{tournament}", "round": {2**64}}}',
    ):
        await ann.socket.send(command)
        assert (await ann.hear(Refused)).code == "malformed"
    await ann.ask(trn.AskTournament, tournament=tournament)


async def test_a_tournament_of_an_unknown_group_is_refused(ann: Client) -> None:
    assert await ann.refused(trn.CreateTournament, settings=settings(group="7b")) == "unknown_group"
    assert await ann.refused(trn.AskTournaments, group="7b") == "unknown_group"
    assert await ann.refused(trn.AskTournament, tournament="nothing") == "unknown_tournament"


async def test_a_muted_player_creates_no_tournament_and_sends_no_lines(running_server: Start, stores: Stores) -> None:
    async with running_server(**FREE) as server, server.client("Ann") as ann:
        tournament = await create(ann)
        await stores.moderation_log.append(muted(ann.player))
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                answer = await ann.ask(trn.TellTournament, tournament=tournament, text="Hello")
                # Until the mute is read the line is sent, or comes too soon after the one before.
                if isinstance(answer, Refused) and answer.code != "busy":
                    break
                await asyncio.sleep(0)
        assert answer.code == "muted"
        assert await ann.refused(trn.CreateTournament, settings=settings()) == "muted"


def muted(player: Player) -> Entry:
    event = Banned(player.id, "mute", None, "Insults")
    return Entry(1, 1, "operator", event, seal_of("", 1, 1, "operator", event))


async def test_a_tournament_goes_on_after_a_restart_and_a_missed_result_is_counted(
    running_server: Start, stores: Stores
) -> None:
    async with running_server(**FREE) as server, crowd(server, 2) as players, server.client("Olga") as organiser:
        tournament, match, first, _ = await paired(organiser, players)
        await first.do(Resign, match=match)
        tokens = organiser.welcome.token
    events = await stores.streams.read("tournament", tournament, 0, 100)
    assert tokens is not None
    async with running_server(**FREE) as server, server.client("Olga", token=tokens) as organiser:
        state = await once(organiser, tournament, lambda state: state.tournament.pending == 0)
        assert state.pairings[0].points == (0.0, 1.0)
        await organiser.do(trn.FinishTournament, tournament=tournament)
    assert len(await stores.streams.read("tournament", tournament, 0, 100)) >= len(events)


async def test_a_game_ends_on_the_board_when_the_organiser_takes_a_player_out(
    players: list[Client], olga: Client
) -> None:
    tournament, match, first, second = await paired(olga, players)
    await first.join(match)
    await olga.do(trn.ForfeitPlayer, tournament=tournament, player=second.player.id)
    happened = await first.hear(Happened)
    (ended,) = happened.events
    assert isinstance(ended, Ended)
    assert (ended.reason, ended.winner) == ("gone", 0)
    # The result was there already, and is counted once.
    standings = await olga.ask(trn.AskStandings, tournament=tournament)
    assert sorted(row.points for row in standings.standings) == [0.0, 1.0]
    assert (await first.ask(AskMyMatches)).live == ()


async def test_a_player_who_makes_no_first_move_loses_by_forfeit(start: Start) -> None:
    settings = {**FREE, "first_move_seconds": 1}
    async with start(**settings) as server, crowd(server, 2) as players, server.client("Olga") as organiser:
        tournament, _, first, second = await paired(organiser, players)
        state = await once(organiser, tournament, lambda state: state.tournament.pending == 0)
        assert (state.pairings[0].how, state.pairings[0].points) == ("forfeit", (0.0, 1.0))
        standings = await organiser.ask(trn.AskStandings, tournament=tournament)
        assert isinstance(standings, trn.Standings)
        assert [row.games for row in standings.standings] == [0, 0]
        await organiser.do(trn.ForfeitPlayer, tournament=tournament, player=second.player.id)
        await first.do(trn.WithdrawFromTournament, tournament=tournament)
