"""Matches of all nodes in the lists of each node."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from cornered.protocol.commands import AskLobby, Command, CreateSeek, JoinSeek, Play, Resign, WatchLobby
from cornered.protocol.values import GameSpec, SeekSettings
from cornered.server.cluster.messages import Summaries
from cornered.server.cluster.slots import slot_of
from cornered.server.runtime import match_summaries
from cornered.server.runtime.match_summaries import SEND_INTERVAL_S
from tests.server.lobby_nodes import Client, Cluster, cluster
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

SMALL = GameSpec(name="trapgrid", options={"size": 3})


async def pair(one: Client, other: Client, **settings: Any) -> str:
    """Open a match in which `one` has the first move; return its id."""
    seek = await one.ask(CreateSeek, settings=SeekSettings(game=SMALL, seat=0, **settings))
    match: str = await other.ask(JoinSeek, seek=seek)
    await after(1)
    return match


async def act(client: Client, match: str, command: Command) -> None:
    room = await client.node.registry.find(match)
    assert isinstance(command, Play | Resign)
    room.submit(client.connection, command, 0.0)
    await after(2)


def listed(made: Cluster, name: str) -> list[str]:
    page = made[name].service.lobby_page(AskLobby(id="page", section="matches"))
    assert page.total == len(page.matches)
    return [match.id for match in page.matches]


class Spy:
    """The summaries that a node gets, with their times."""

    def __init__(self, made: Cluster, name: str) -> None:
        self.told: list[tuple[float, str, Summaries]] = []
        summaries = made[name].service.summaries
        received = summaries.received

        def record(node: str, told: Summaries) -> None:
            self.told.append((made.now() / 1000, node, told))
            received(node, told)

        summaries.received = record  # type: ignore[method-assign]


async def test_a_watcher_sees_a_match_of_another_node_move_and_end(two: Cluster) -> None:
    watcher = await two["b"].come("cas")
    await watcher.tell(WatchLobby(id="watch"))
    ann, ben = await two["a"].come("ann"), await two["a"].come("ben")
    match = await pair(ann, ben)
    began = [one for told in watcher.line.of("lobby_changed") for one in told["matches"]]
    assert [(one["id"], one["ply"]) for one in began] == [(match, 0)]
    late = await two["b"].come("dan")
    await late.tell(WatchLobby(id="watch"))
    assert [one["id"] for one in late.line.of("lobby")[-1]["matches"]] == [match]
    await act(ann, match, Play(id="play", match=match, ply=0, move="a2"))
    moved = [one for told in watcher.line.of("lobby_changed") for one in told["moved"]]
    shown = two["a"].service.summaries.of(match)
    assert shown is not None
    assert [(one["ply"], one["position"]) for one in moved] == [(1, shown.position)]
    await act(ben, match, Resign(id="resign", match=match))
    assert [one for told in watcher.line.of("lobby_changed") for one in told["matches_gone"]] == [match]
    assert listed(two, "a") == listed(two, "b") == []
    assert not len(two["b"].service.summaries)


async def test_a_players_page_has_the_own_match_of_another_node(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["b"].come("ben")
    match = await pair(ann, ben)
    two["b"].service._watch._updates.lists.matches.remove(match)
    await ben.tell(WatchLobby(id="watch"))
    assert [one["id"] for one in ben.line.of("lobby")[-1]["matches"]] == [match]


async def test_a_private_match_stays_on_its_node(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["a"].come("ben")
    spy = Spy(two, "b")
    match = await pair(ann, ben, private=True)
    await act(ann, match, Play(id="play", match=match, ply=0, move="a2"))
    two["a"].service.summaries.link_restored("b")
    await after(1)
    assert spy.told
    assert all(not told.changed for _, _, told in spy.told)


async def test_changes_are_told_four_times_a_second_at_most_and_once(two: Cluster) -> None:
    ann, ben = await two["a"].come("ann"), await two["a"].come("ben")
    matches = [await pair(ann, ben) for _ in range(3)]
    spy = Spy(two, "b")
    summaries = two["a"].service.summaries
    for _ in range(100):
        task = two["a"].registry.owned(matches[0])
        assert task is not None
        summaries.moved(task)
        await after(0.01)
    await after(1)
    times = [at for at, _, _ in spy.told]
    assert 3 <= len(times) <= 5
    assert all(later - one >= SEND_INTERVAL_S - 0.01 for one, later in itertools.pairwise(times))
    assert [[one.id for one in told.changed] for _, _, told in spy.told] == [[matches[0]]] * len(times)


async def test_what_was_lost_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_summaries, "MAX_CHANGED", 2)
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        ended = await pair(ann, ben)
        made.network.cut_both("a", "b")
        await act(ann, ended, Resign(id="resign", match=ended))
        matches = [await pair(ann, ben) for _ in range(5)]
        assert listed(made, "b") == [ended]
        made.network.mend("a", "b")
        await after(3)
        assert sorted(listed(made, "b")) == sorted(matches)


async def test_a_new_node_is_told_all_matches() -> None:
    async with cluster("a") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        matches = [await pair(ann, ben) for _ in range(3)]
        await made.add("b")
        await after(3)
        assert sorted(listed(made, "b")) == sorted(matches)


async def test_matches_of_a_dead_node_come_back_with_their_heir() -> None:
    async with cluster("a", "b", "c", lobby="b") as made:
        ann, ben = await made["b"].come("ann"), await made["b"].come("ben")
        match = await pair(ann, ben)
        made["a"].kill()
        dead = made.nodes.pop("a")
        dead.ownership.die()
        made["b"].ownership.learn_all()
        await after(0.1)
        assert listed(made, "b") == listed(made, "c") == []
        made["b"].ownership.take([slot for slot, (owner, _) in made.table.owners.items() if owner == "a"])
        await after(2)
        assert made["b"].registry.owned(match) is not None
        assert listed(made, "b") == listed(made, "c") == [match]


async def test_a_match_that_changes_its_node_stays_listed_once(three: Cluster) -> None:
    ann, ben = await three["a"].come("ann"), await three["b"].come("ben")
    match = await pair(ann, ben)
    await three["a"].ownership.give([slot_of(match)], "b")
    await after(2)
    assert three["b"].registry.owned(match) is not None
    assert [listed(three, name) for name in "abc"] == [[match]] * 3
    await act(ben, match, Resign(id="resign", match=match))
    assert [listed(three, name) for name in "abc"] == [[]] * 3


async def test_matches_of_one_node_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_summaries, "MAX_SHOWN", 2)
    async with cluster("a", "b") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        matches = [await pair(ann, ben) for _ in range(3)]
        assert sorted(listed(made, "b")) == sorted(matches[:2])
        await act(ann, matches[0], Resign(id="resign", match=matches[0]))
        assert listed(made, "b") == [matches[1]]


async def test_a_node_alone_keeps_nothing_to_tell() -> None:
    async with cluster("a") as made:
        ann, ben = await made["a"].come("ann"), await made["a"].come("ben")
        match = await pair(ann, ben)
        await act(ann, match, Resign(id="resign", match=match))
        summaries = made["a"].service.summaries
        assert (summaries._new, summaries._moved, summaries._ended) == ({}, {}, {})
