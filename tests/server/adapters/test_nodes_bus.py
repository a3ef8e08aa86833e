"""The contract of buses between nodes, applied to the one in the process and to a real Mosquitto."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import structlog

from cornered.server.cluster.envelope import (
    MAX_BATCH_BYTES,
    MAX_MESSAGE_BYTES,
    encode_message,
    open_batch,
    route_bytes,
    seal_batch,
)
from cornered.server.cluster.messages import NodeMessage, NotOwned, OpenedMatch
from cornered.server.cluster.ports import Node
from tests.conftest import Mosquitto
from tests.server.adapters.node_network import (
    KEY,
    Cluster,
    LocalCarrier,
    Member,
    MqttCarrier,
    RecordingReceiver,
    linked,
)
from tests.waiting import until


@pytest.fixture(
    params=[pytest.param("local", marks=pytest.mark.virtual_time), pytest.param("mqtt", marks=pytest.mark.mqtt)]
)
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    if request.param == "local":
        cluster = Cluster(LocalCarrier())
        yield cluster
        await cluster.stop()
        return
    mosquitto: Mosquitto = request.getfixturevalue("mosquitto")
    async with MqttCarrier.connected(mosquitto.url) as carrier:
        cluster = Cluster(carrier)
        yield cluster
        await cluster.stop()


def about(number: int) -> NodeMessage:
    return NotOwned(match=f"match-{number}")


def long(number: int, size: int = 100_000) -> NodeMessage:
    return OpenedMatch(match=f"match-{number}", text="x" * size)


async def pass_a_marker(sender: Member, receiver: Member, name: str = "marker") -> None:
    """Return when a message that is sent now has come, with everything that was sent to its node before."""
    marker = NotOwned(match=name)
    sender.bus.send(receiver.node.name, marker)
    await receiver.receiver.until(lambda: marker in receiver.receiver.messages(sender.node.name))


async def test_messages_come_in_order_in_both_directions_and_those_of_one_turn_as_one_batch(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    sent = [about(number) for number in range(500)]
    for number, message in enumerate(sent):
        one.bus.send("two", message)
        two.bus.send("one", message)
        if number % 50 == 0:
            await asyncio.sleep(0)
    for here, there in ((one, "two"), (two, "one")):
        await here.receiver.until(lambda here=here, there=there: len(here.receiver.messages(there)) == 500)  # type: ignore[misc]
        assert here.receiver.messages(there) == sent
    before, messages = one.counts.node_batches_sent, one.counts.node_messages_sent
    for message in sent[:100]:
        one.bus.send("two", message)
    await two.receiver.until(lambda: len(two.receiver.messages("one")) == 600)
    assert one.counts.node_batches_sent - before <= 5, "one batch, and heartbeats"
    assert one.counts.node_messages_sent - messages == 100
    assert two.counts.node_messages_received == 600


async def test_a_node_is_linked_before_its_first_message_and_refused_until_it_is_known(cluster: Cluster) -> None:
    one, three = cluster.start("one"), cluster.start("three", is_living=False)
    cluster.living["two"] = Node("two", "first", "")
    assert not one.bus.is_linked("two")
    two = cluster.start("two")
    for number in range(10):
        one.bus.send("two", about(number))
    await linked(one, two)
    await pass_a_marker(one, two)
    assert two.receiver.told[0] == ("one", "restored")
    await until_refused(two, "unknown", 1)
    assert two.receiver.links("three") == []
    cluster.living["three"] = three.node
    await linked(two, three)
    await pass_a_marker(three, two)
    assert two.receiver.links("three") == ["restored"]


async def test_dropped_messages_restore_the_link_at_both_ends(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    one.receiver.told.clear()
    two.receiver.told.clear()
    sent = [long(number) for number in range(100)]
    for message in sent:
        one.bus.send("two", message)
    await two.receiver.until(lambda: sent[-1] in two.receiver.messages("one"))
    assert two.receiver.told[0] == ("one", "restored")
    came = two.receiver.messages("one")
    assert came == sent[-len(came) :]
    assert 50 < len(came) < 100
    assert one.counts.node_messages_dropped == 100 - len(came)
    await one.receiver.until(lambda: one.receiver.links("two"))
    assert set(one.receiver.links("two")) == {"restored"}


async def test_a_node_that_stops_is_lost_after_a_silence_and_its_next_start_restores_the_link(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    began = asyncio.get_running_loop().time()
    await one.stop()
    await two.receiver.until(lambda: two.receiver.links("one")[-1] == "lost")
    assert not two.bus.is_linked("one")
    assert 1.4 < asyncio.get_running_loop().time() - began < 4
    assert two.counts.links_lost == 1
    two.receiver.told.clear()
    again = cluster.start("one", incarnation="second")
    again.bus.send("two", about(1))
    await pass_a_marker(again, two)
    assert two.receiver.told[0] == ("one", "restored")


async def test_a_node_that_is_not_living_any_more_is_lost_at_once(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    began = asyncio.get_running_loop().time()
    del cluster.living["one"]
    await two.receiver.until(lambda: two.receiver.links("one")[-1] == "lost")
    assert asyncio.get_running_loop().time() - began < 1.5
    dropped = two.counts.node_messages_dropped
    two.bus.send("one", about(1))
    assert two.counts.node_messages_dropped == dropped + 1
    assert one.receiver.messages("two") == []


async def test_batches_that_are_forged_foreign_replayed_or_oversized_are_refused_and_counted(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    three = cluster.start("three")
    await linked(one, two, three)
    await pass_a_marker(one, two, "first")
    route = route_bytes(one.node, two.node)
    genuine = seal_batch(KEY, route, 1_000_000, 0, [encode_message(about(2))])
    forged = seal_batch(b"other" * 8, route, 1_000_000, 0, [encode_message(about(1))])
    changed = genuine[:-1] + bytes([genuine[-1] ^ 1])
    for raw in (b"", b"\x00" * 31, forged, changed, genuine[32:]):
        await cluster.carrier.inject("two", raw)
    await until_refused(two, "forged", 5)

    recorded = [raw for receiver, raw in list(cluster.carrier.carried) if receiver == "two" and raw]
    recorded = [raw for raw in recorded if len(raw) > 31 and raw not in (forged, changed, genuine[32:])]
    of_one = [raw for raw in recorded if open_batch(KEY, two.node, raw).sender == "one"]
    assert of_one
    for raw in recorded:
        await cluster.carrier.inject("three", raw)
    await until_refused(three, "foreign", len(recorded))
    assert three.receiver.messages("one") == []

    before = two.refused("replayed")
    for raw in of_one:
        await cluster.carrier.inject("two", raw)
    await until_refused(two, "replayed", before + len(of_one))

    # The broker withholds what is larger still.
    sizes = (MAX_BATCH_BYTES, 2 * MAX_BATCH_BYTES)
    for size in sizes:
        whole = seal_batch(KEY, route, 1_000_000, 0, [encode_message(long(1, size))])
        await cluster.carrier.inject("two", whole)
    await until_refused(two, "oversized", 1)
    await pass_a_marker(one, two, "last")
    assert two.refused("oversized") == (len(sizes) if isinstance(cluster.carrier, LocalCarrier) else 1)

    texts = [b'{"type": "of a later version"}', b"no json", encode_message(about(1))]
    await cluster.carrier.inject("two", seal_batch(KEY, route, 2_000_000, 0, texts))
    await two.receiver.until(lambda: about(1) in two.receiver.messages("one"))
    assert two.refused("malformed") == 2, "what cannot be parsed is left out alone"
    assert two.receiver.messages("one") == [NotOwned(match="first"), NotOwned(match="last"), about(1)]
    assert set(two.receiver.links("one")) == {"restored"}


async def test_a_batch_of_a_node_with_another_key_is_refused(cluster: Cluster) -> None:
    two, stranger = cluster.start("two"), cluster.start("one", key=b"x" * 32)
    stranger.bus.send("two", about(1))
    await until_refused(two, "forged", 1)
    assert two.receiver.told == []
    assert not two.bus.is_linked("one")


async def until_refused(member: Member, fault: str, number: int) -> None:
    await until(lambda: member.refused(fault) >= number)


async def test_a_batch_of_or_for_an_earlier_start_of_a_node_is_refused(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    await pass_a_marker(one, two)
    recorded = [raw for receiver, raw in list(cluster.carrier.carried) if receiver == "two"]
    await two.stop()
    again = cluster.start("two", incarnation="second")
    await linked(one, again)
    before = again.refused("foreign")
    for raw in recorded:
        await cluster.carrier.inject("two", raw)
    await until_refused(again, "foreign", before + len(recorded))
    assert again.receiver.messages("one") == []

    await one.stop()
    other = cluster.start("one", incarnation="second")
    await linked(other, again)
    late = seal_batch(KEY, route_bytes(one.node, again.node), 1_000_000, 0, [encode_message(about(1))])
    before = again.refused("unknown")
    await cluster.carrier.inject("two", late)
    await until_refused(again, "unknown", before + 1)
    await pass_a_marker(other, again)
    assert again.receiver.messages("one") == [NotOwned(match="marker")]


async def test_a_flood_of_forged_batches_keeps_no_message_back(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    stranger = Node("one", "guessed", "")
    forged = seal_batch(b"x" * 32, route_bytes(stranger, two.node), 5, 0, [b"x" * (MAX_BATCH_BYTES - 1024)])
    for number in range(40):
        await cluster.carrier.inject("two", forged)
        one.bus.send("two", about(number))
    await two.receiver.until(lambda: len(two.receiver.messages("one")) == 40)
    await until_refused(two, "unchecked", 10)
    assert two.refused("forged") <= 30, "the rest costs no hash"
    one.bus.send("two", long(40, 900_000))
    await pass_a_marker(one, two)
    assert two.receiver.links("one") == ["restored"]
    assert two.receiver.messages("one")[:-1] == [*(about(number) for number in range(40)), long(40, 900_000)]


async def test_a_message_of_the_largest_size_passes_and_a_larger_one_is_left_out(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    room = MAX_MESSAGE_BYTES - len(encode_message(long(1, 0)))
    with structlog.testing.capture_logs() as lines:
        one.bus.send("two", long(1, room + 1))
    assert [line["event"] for line in lines] == ["a message for a node is too large"]
    one.bus.send("two", long(2, room))
    await pass_a_marker(one, two)
    assert two.receiver.messages("one") == [long(2, room), NotOwned(match="marker")]
    assert two.receiver.links("one") == ["restored"]
    assert one.counts.node_messages_dropped == 1


async def test_refused_batches_are_logged_once_a_minute(cluster: Cluster) -> None:
    _, two = await cluster.pair()
    with structlog.testing.capture_logs() as lines:
        for _ in range(100):
            await cluster.carrier.inject("two", b"forged" * 20)
        await until_refused(two, "forged", 100)
    assert [line["fault"] for line in lines if "fault" in line] == ["forged"]


async def test_a_node_that_fails_to_handle_a_message_gets_the_next_ones(cluster: Cluster) -> None:
    class Failing(RecordingReceiver):
        def received(self, node: str, message: NodeMessage) -> None:
            super().received(node, message)
            if message == about(3):
                raise RuntimeError("this one")

    one, two = cluster.start("one"), cluster.start("two", receiver=Failing())
    await linked(one, two)
    with structlog.testing.capture_logs() as lines:
        for number in range(6):
            one.bus.send("two", about(number))
        await pass_a_marker(one, two)
    assert len(two.receiver.messages("one")) == 7
    assert "a message of a node failed" in [line["event"] for line in lines]


async def test_a_node_sends_nothing_to_itself_and_to_nodes_that_are_not_living_or_have_stopped(
    cluster: Cluster,
) -> None:
    one, two = await cluster.pair()
    with pytest.raises(ValueError, match="to itself"):
        one.bus.send("one", about(1))
    one.bus.send("nobody", about(1))
    assert one.counts.node_messages_dropped == 1
    assert not one.bus.is_linked("nobody")
    await pass_a_marker(one, two)
    await two.stop()
    told = list(two.receiver.told)
    for number in range(10):
        one.bus.send("two", about(number))
    await one.receiver.until(lambda: one.receiver.links("two")[-1] == "lost")
    assert two.receiver.told == told
