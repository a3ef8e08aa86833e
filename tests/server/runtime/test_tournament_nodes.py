"""Tournaments on several nodes: one drives, all answer, and a take-over in mid-round loses nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from cornered.protocol.commands import Resign
from cornered.protocol.messages import Acknowledged
from cornered.protocol.tournaments import (
    AskTournament,
    CreateTournament,
    JoinTournament,
    StartTournament,
    TellTournament,
    TournamentSettings,
    TournamentState,
    WatchTournament,
)
from cornered.protocol.values import Fischer, GameSpec
from cornered.server.cluster.slots import slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import Patience
from cornered.server.refusal import Refusal
from cornered.server.runtime.tournament_book import KIND
from cornered.server.tournament.events import TOURNAMENT_EVENT, Paired, Resulted
from tests.server import lobby_nodes
from tests.server.lobby_nodes import Client, Cluster, Node, cluster
from tests.virtual_time import after
from tests.waiting import until

pytestmark = pytest.mark.virtual_time

SETTINGS = TournamentSettings(
    name="Open",
    format="swiss",
    game=GameSpec(name="trapgrid", options={"size": 3}),
    clock=Fischer(initial=60),
    rounds=2,
    pause=0,
)


async def ask(client: Client, kind: type[Any], **fields: Any) -> Any:
    command = kind(id=f"c{next(client.node.cluster.numbers)}", **fields)
    return await client.node.service.tournaments.answer(command, client.connection)


async def shown(client: Client, tournament: str) -> TournamentState:
    answer = await ask(client, AskTournament, tournament=tournament)
    assert isinstance(answer, TournamentState)
    return answer


async def begun(made: Cluster, *clients: Client, **more: Any) -> str:
    """Return a tournament of the first client's, in which all take part, once all nodes know it."""
    settings = SETTINGS.model_copy(update=more)
    tournament = (await ask(clients[0], CreateTournament, settings=settings)).ref
    await after(1)
    for client in clients:
        await ask(client, JoinTournament, tournament=tournament)
    await ask(clients[0], StartTournament, tournament=tournament)
    await after(2)
    return str(tournament)


async def resign(node: Node, clients: dict[str, Client], match: str) -> None:
    """Have the player in seat 1 of a match resign it."""
    room = await node.registry.find(match)
    loser = clients[room.match.terms.players[1].id]
    room = await loser.node.registry.find(match)
    room.submit(loser.connection, Resign(id=f"resign-{match}", match=match), 0.0)
    await after(1)


async def stored(made: Cluster, tournament: str) -> list[Any]:
    events = await made.streams.read(KIND, tournament, 0, 1_000)
    return [TOURNAMENT_EVENT.validate_json(event.body) for event in events]


async def four(made: Cluster, *nodes: str) -> list[Client]:
    return [await made[nodes[number % len(nodes)]].come(f"p{number}") for number in range(4)]


async def play_to_the_end(node: Node, clients: list[Client], tournament: str) -> TournamentState:
    known = {client.player.id: client for client in clients}
    for _ in range(20):
        state = await shown(clients[0], tournament)
        if state.tournament.status == "finished":
            return state
        for one in state.pairings:
            if one.how == "pending" and one.match is not None:
                await resign(node, known, one.match)
        await after(1)
    raise AssertionError("the tournament does not end")


async def test_all_nodes_answer_about_a_tournament_that_one_of_them_drives(two: Cluster) -> None:
    clients = await four(two, "a", "b")
    tournament = await begun(two, *clients)
    first, second = await shown(clients[0], tournament), await shown(clients[1], tournament)
    assert first.tournament == second.tournament
    assert first.pairings == second.pairings
    assert len(first.pairings) == 2
    for client in clients:
        assert len(client.line.of("paired")) == 1
    final = await play_to_the_end(two["b"], clients, tournament)
    assert sum(row.points for row in final.standings) == 4
    assert (await shown(clients[1], tournament)).standings == final.standings


async def test_a_pairing_whose_matches_were_not_opened_is_opened_by_the_next_owner(three: Cluster) -> None:
    clients = await four(three, "b", "c")

    async def open_nothing(_: MatchMade) -> bool:
        raise Refusal("internal", "the node is about to die")

    three["a"].service.tournaments._lobby.open_match = open_nothing
    tournament = await begun(three, *clients)
    matches = [one.match for one in (await shown(clients[0], tournament)).pairings]
    assert len(matches) == 2
    assert not await three.store.live()
    await three.die("a", "b")
    await after(10)
    assert {started.match for started in await three.store.live()} == set(matches)
    assert all(client.line.of("paired") for client in clients)
    final = await play_to_the_end(three["b"], clients, tournament)
    assert sum(row.points for row in final.standings) == 4


async def test_results_of_matches_that_ended_while_nobody_drove_are_counted_after_a_take_over(three: Cluster) -> None:
    clients = await four(three, "b", "c")
    tournament = await begun(three, *clients)
    matches = [one.match for one in (await shown(clients[0], tournament)).pairings]
    three.table.assign([slot_of(str(match)) for match in matches], "c")
    for node in three.nodes.values():
        node.ownership.learn()
    await after(3)
    # From here on the node that decides for the lobby drives nothing.
    three["a"].service.tournaments._driver._lobby.is_deciding = lambda: False
    known = {client.player.id: client for client in clients}
    for match in matches:
        await resign(three["c"], known, str(match))
    assert (await shown(clients[0], tournament)).tournament.pending == 2
    await three.die("a", "b")
    await after(10)
    assert (await shown(clients[0], tournament)).tournament.round == 2
    results = [one for event in await stored(three, tournament) if isinstance(event, Resulted) for one in event.results]
    assert sorted(result.match for result in results) == sorted(map(str, matches))


async def test_two_nodes_that_take_themselves_for_the_owner_pair_each_round_and_count_each_result_once(
    two: Cluster,
) -> None:
    two["b"].service.tournaments._driver._lobby.is_deciding = lambda: True
    clients = await four(two, "a", "b")
    tournament = await begun(two, *clients)
    await play_to_the_end(two["a"], clients, tournament)
    events = await stored(two, tournament)
    assert [event.round for event in events if isinstance(event, Paired)] == [1, 2]
    results = [one.match for event in events if isinstance(event, Resulted) for one in event.results]
    assert len(results) == len(set(results)) == 4
    assert len(await two.store.finished(None, 10)) == 4


@pytest.fixture
async def hasty(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Cluster]:
    """Two nodes on which the first moves are due in five seconds."""
    monkeypatch.setattr(lobby_nodes, "Patience", partial(Patience, first_move=5_000))
    async with cluster("a", "b") as made:
        yield made


async def test_players_who_went_offline_win_nothing_and_are_taken_out(hasty: Cluster) -> None:
    clients = await four(hasty, "a", "b")
    watcher = await hasty["b"].come("watcher")
    tournament = await begun(hasty, *clients, rounds=3, pause=2)
    for client in clients:
        client.leave()
    await after(20)
    state = await shown(watcher, tournament)
    assert state.tournament.status == "finished"
    assert state.tournament.winner is None
    assert [(row.points, row.is_absent) for row in state.standings] == [(0.0, True)] * 4


async def test_a_player_who_waits_at_the_board_wins_against_one_who_is_offline(hasty: Cluster) -> None:
    clients = await four(hasty, "a", "b")
    tournament = await begun(hasty, *clients, rounds=1)
    (one, *_) = (await shown(clients[0], tournament)).pairings
    # The player in seat 0 has the first move.
    waiting = one.players[1].id
    for client in clients:
        if client.player.id != waiting:
            client.leave()
    watcher = await hasty["b"].come("watcher")
    await after(8)
    state = await shown(watcher, tournament)
    assert {row.player.id: row.points for row in state.standings} == {
        client.player.id: float(client.player.id == waiting) for client in clients
    }


async def test_watchers_get_one_update_a_second_and_participants_the_organisers_lines_on_every_node(
    two: Cluster,
) -> None:
    clients = await four(two, "a", "b")
    tournament = await begun(two, *clients)
    watcher = await two["b"].come("watcher")
    await ask(watcher, WatchTournament, tournament=tournament)
    began = two.now()
    await play_to_the_end(two["a"], clients, tournament)
    await after(2)
    updates = watcher.line.of("tournament_changed")
    assert updates[-1]["tournament"]["status"] == "finished"
    assert len(updates) <= 1 + (two.now() - began) / 1000
    other = await begun(two, *clients)
    assert isinstance(await ask(clients[0], TellTournament, tournament=other, text="Lunch"), Acknowledged)
    await after(1)
    for client in clients:
        assert [line["text"] for line in client.line.of("tournament_message")] == ["Lunch"]
    assert not watcher.line.of("tournament_message")


async def test_a_node_that_starts_reads_what_is_open_and_finds_what_is_over(two: Cluster) -> None:
    clients = await four(two, "a", "b")
    over = await begun(two, *clients)
    await play_to_the_end(two["a"], clients, over)
    open_ = await begun(two, *clients)
    node = await two.add("c")
    newcomer = await node.come("newcomer")
    assert (await shown(newcomer, open_)).tournament == (await shown(clients[0], open_)).tournament
    await until(lambda: node.service.tournaments.live == 1)
    assert (await shown(newcomer, over)).tournament.status == "finished"


async def test_a_damaged_tournament_harms_no_other_one(two: Cluster) -> None:
    await two.streams.append(KIND, "damaged", 0, ["{}"])
    clients = await four(two, "a", "b")
    tournament = await begun(two, *clients)
    await two.streams.append(KIND, "damaged", 1, ['{"type": "nothing"}'])
    await play_to_the_end(two["a"], clients, tournament)
    node = await two.add("c")
    with pytest.raises(Refusal):
        await node.service.tournaments._book.find("damaged")
    assert node.service.tournaments.live == 0
