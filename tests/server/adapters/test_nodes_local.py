"""The bus between nodes within one process: delays, stalls and a full backlog, on a virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from cornered.server.adapters.nodes_local import SingleNodeBus
from cornered.server.cluster.envelope import encode_message, route_bytes, seal_batch
from cornered.server.cluster.messages import NotOwned, OpenedMatch
from tests.server.adapters.node_network import KEY, Cluster, LocalCarrier
from tests.virtual_time import VirtualTimeLoop, after

pytestmark = pytest.mark.virtual_time


@pytest.fixture
async def carrier() -> LocalCarrier:
    return LocalCarrier()


@pytest.fixture
async def cluster(carrier: LocalCarrier) -> AsyncIterator[Cluster]:
    cluster = Cluster(carrier)
    yield cluster
    await cluster.stop()


async def test_a_shorter_delay_overtakes_nothing(cluster: Cluster, carrier: LocalCarrier) -> None:
    one, two = await cluster.pair()
    for number, delay in enumerate((1.0, 0.2, 0.0)):
        carrier.network.delay("one", "two", delay)
        one.bus.send("two", NotOwned(match=f"m{number}"))
        await after(0.01)
    await after(1.5)
    assert two.receiver.messages("one") == [NotOwned(match=f"m{number}") for number in range(3)]
    assert two.receiver.links("one") == ["restored"]


async def test_a_cut_in_one_direction_is_a_loss_for_its_receiver(cluster: Cluster, carrier: LocalCarrier) -> None:
    one, two = await cluster.pair()
    carrier.network.cut("one", "two")
    await after(3)
    assert two.receiver.links("one") == ["restored", "lost"]
    assert one.bus.is_linked("two")
    carrier.network.mend("one", "two")
    await after(1.5)
    assert two.receiver.links("one")[2] == one.receiver.links("two")[-1] == "restored"


async def test_a_process_that_stalls_takes_no_other_for_silent(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    loop._clock.now += 30
    await after(5)
    assert one.receiver.links("two") == two.receiver.links("one") == ["restored"]


async def test_a_full_backlog_drops_batches_and_restores_the_link(cluster: Cluster, carrier: LocalCarrier) -> None:
    one, two = await cluster.pair()
    text = encode_message(OpenedMatch(match="m", text="x" * 1_000_000))
    for number in range(50):
        carrier.network.inject("two", seal_batch(KEY, route_bytes(one.node, two.node), 1000 + number, 0, [text]))
    assert 10 < two.refused("backlog") < 20
    await after(0.1)
    assert len(two.receiver.messages("one")) == 50 - two.refused("backlog")


async def test_a_single_node_has_no_other() -> None:
    bus = SingleNodeBus()
    assert not bus.is_linked("two")
    with pytest.raises(ValueError, match="no node 'two'"):
        bus.send("two", NotOwned(match="m"))
