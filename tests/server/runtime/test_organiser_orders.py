"""Organisers' orders reach a match on whatever node owns it, and are stored before they are answered."""

from __future__ import annotations

import asyncio

import pytest

from cornered.protocol.events import ClocksPaused, ClocksResumed, Ended
from cornered.protocol.values import Fischer
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.refusal import Refusal
from cornered.server.runtime.organiser_orders import MAX_WAITING, ORDER_SECONDS
from tests.server.runtime.test_match_mirror import SOON, Cluster, cluster, refusals
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

CLOCK = Fischer(initial=60)


async def begun(made: Cluster) -> str:
    """Return a match that `a` owns, whose clock runs."""
    match = await made.open(clock=CLOCK)
    a = made.nodes["a"]
    for ply, player in enumerate(("ann", "ben")):
        client, _ = a.client(player)
        await made.do(a, client, made.play(match, ply))
    await after(SOON)
    return match


async def kinds(made: Cluster, match: str) -> list[type]:
    return [type(event) for event in await made.stored(match) if isinstance(event, ClocksPaused | ClocksResumed)]


@pytest.mark.parametrize("name", ["a", "b"])
async def test_an_order_of_any_node_pauses_a_match_and_has_it_go_on(name: str) -> None:
    async with cluster("a", "b") as made:
        match = await begun(made)
        _, at_b = await made.join(made.nodes["b"], "ben", match)
        orders = made.nodes[name].organiser_orders
        await orders.pause(match, 600)
        assert await kinds(made, match) == [ClocksPaused]
        await after(120)
        ann, at_a = await made.join(made.nodes["a"], "ann", match)
        assert at_a.of("snapshot")[-1]["paused_until"] is not None
        await made.do(made.nodes["a"], ann, made.play(match, 2))
        await after(SOON)
        assert refusals(at_a) == [("p2", "paused")]
        await orders.resume(match)
        await made.do(made.nodes["a"], ann, made.play(match, 2))
        await after(SOON)
        assert await kinds(made, match) == [ClocksPaused, ClocksResumed]
        assert [event["type"] for happened in at_b.of("happened") for event in happened["events"]] == [
            "clocks_paused",
            "clocks_resumed",
            "played",
        ]


@pytest.mark.parametrize("name", ["a", "b"])
async def test_a_player_is_taken_out_of_a_match_of_any_node_once_also_when_it_is_paused(name: str) -> None:
    async with cluster("a", "b") as made:
        match = await begun(made)
        orders = made.nodes[name].organiser_orders
        await orders.pause(match, 600)
        for _ in range(2):
            await orders.take_out(match, 1)
        *_, ended = await made.stored(match)
        assert isinstance(ended, Ended)
        assert (ended.reason, ended.winner, ended.cause) == ("gone", 0, None)


async def test_a_pause_outlives_a_change_of_owners_and_ends_at_its_time() -> None:
    async with cluster("a", "b") as made:
        match = await begun(made)
        await made.nodes["a"].organiser_orders.pause(match, 300)
        made.nodes["b"].ownership.take(ALL_SLOTS)
        await after(200)
        b = made.nodes["b"]
        room = await b.registry.find(match)
        assert room.match.pause is not None
        await after(101)
        assert room.match.pause is None
        assert room.match.timer.left_at(made.now())[0] in range(58_000, 60_001)


async def test_an_order_whose_message_is_lost_is_sent_again() -> None:
    async with cluster("a", "b") as made:
        match = await begun(made)
        made.network.cut_both("a", "b")
        order = asyncio.ensure_future(made.nodes["b"].organiser_orders.pause(match, 60))
        await after(2.5)
        assert not order.done()
        made.network.mend("a", "b")
        await asyncio.wait_for(order, 5)
        assert await kinds(made, match) == [ClocksPaused]


async def test_an_order_that_reaches_nobody_is_refused_after_a_while() -> None:
    async with cluster("a", "b") as made:
        match = await begun(made)
        made.network.cut_both("a", "b")
        before = asyncio.get_running_loop().time()
        with pytest.raises(Refusal) as caught:
            await made.nodes["b"].organiser_orders.pause(match, 60)
        assert caught.value.code == "internal"
        assert asyncio.get_running_loop().time() - before < ORDER_SECONDS + 1
        assert await kinds(made, match) == []


@pytest.mark.parametrize("name", ["a", "b"])
async def test_the_reason_of_a_refused_order_is_told_on_any_node(name: str) -> None:
    async with cluster("a", "b") as made:
        orders = made.nodes[name].organiser_orders
        with pytest.raises(Refusal) as caught:
            await orders.pause("nothing", 60)
        assert caught.value.code == "unknown_match"


async def test_orders_that_wait_for_another_node_are_bounded() -> None:
    async with cluster("a", "b") as made:
        made.network.cut_both("a", "b")
        orders = made.nodes["b"].organiser_orders
        waiting = [asyncio.ensure_future(orders.pause(f"m{number}", 60)) for number in range(MAX_WAITING)]
        await after(0.1)
        with pytest.raises(Refusal) as caught:
            await orders.pause("one more", 60)
        assert caught.value.code == "busy"
        await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(one.exception(), Refusal) for one in waiting)
