"""`/metrics` of one node and of two: what each owns, hears and waits for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornered.protocol.commands import AcceptChallenge, Challenge, Play
from cornered.server import VERSION
from cornered.server.cluster.slots import ALL_SLOTS
from tests.conftest import Mosquitto, Postgres
from tests.server.conftest import SMALL, TIMEOUT_S, Pair, Running, Start

GAUGES = ("slots", "nodes", "links", "mirrors", "forwards_waiting", "journal_waiting", "lease_age_seconds")


async def sums_become(expected: dict[str, float], *servers: Running) -> None:
    """Return as soon as the sums of the metrics of `servers` are so."""
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            found = [await server.metrics() for server in servers]
            if {name: sum(metrics[name] for metrics in found) for name in expected} == expected:
                return


async def test_a_node_that_is_alone_owns_everything_and_waits_for_none(start: Start, pair: Pair) -> None:
    async with start(node="home") as server, server.client("Ann") as ann, server.client("Ben") as ben:
        await pair(ann, ben)
        metrics = await server.metrics()
    assert metrics[f'cornered_node_info{{node="home",version="{VERSION}"}}'] == 1
    found = [metrics[f"cornered_{name}"] for name in GAUGES]
    assert found == [len(ALL_SLOTS), 1, 0, 0, 0, 0, 0]


@pytest.mark.mqtt
@pytest.mark.postgres
async def test_two_nodes_tell_what_each_owns_and_which_matches_each_mirrors(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    shared = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    async with (
        start(**shared, node="one", data=tmp_path / "one") as one,
        start(**shared, node="two", data=tmp_path / "two") as two,
    ):
        other = await two.metrics_once(lambda found: found["cornered_links"] == 1 and found["cornered_slots"] > 0)
        share = await one.metrics_once(lambda found: found["cornered_slots"] < len(ALL_SLOTS))
        assert share["cornered_slots"] + other["cornered_slots"] == len(ALL_SLOTS)
        assert abs(share["cornered_slots"] - other["cornered_slots"]) <= 1
        assert share["cornered_nodes"] == other["cornered_nodes"] == 2
        assert 0 <= share["cornered_lease_age_seconds"] < TIMEOUT_S
        async with one.client("Ann") as ann, two.client("Ben") as ben:
            sent = await ann.do(Challenge, to=ben.player.id, game=SMALL, seat=0)
            match = (await ben.do(AcceptChallenge, challenge=sent.ref)).ref
            assert match is not None
            for client in (ann, ben):
                await client.join(match)
            await ann.do(Play, match=match, ply=0, move="a2")
            found = [await server.metrics() for server in (one, two)]
            # One of them decides the match, and the other mirrors it.
            assert sorted(metrics["cornered_mirrors"] for metrics in found) == [0, 1]
            assert sum(metrics["cornered_match_tasks"] for metrics in found) == 1
            assert [metrics["cornered_forwards_waiting"] for metrics in found] == [0, 0]
            assert all(metrics["cornered_node_messages_sent_total"] > 0 for metrics in found)


@pytest.mark.mqtt
@pytest.mark.postgres
async def test_a_player_who_is_connected_to_two_nodes_counts_once_in_the_sum_of_both(
    start: Start, postgres: Postgres, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    shared = {"database": postgres.new_database(), "mqtt": mosquitto.url}
    async with start(**shared, node="two", data=tmp_path / "two") as two, two.client("Ann") as ann:
        async with (
            start(**shared, node="one", data=tmp_path / "one") as one,
            one.client("Ann", token=ann.welcome.token),
            one.client("Ben"),
        ):
            await sums_become({"cornered_players": 2, "cornered_node_players": 3}, one, two)
        # The node that is left has the lobby, if it did not have it before.
        await sums_become({"cornered_players": 1, "cornered_node_players": 1}, two)
