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


async def test_messages_come_in_order_in_both_directions(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    sent = [about(number) for number in range(500)]
    for number, message in enumerate(sent):
        one.bus.send("two", message)
        two.bus.send("one", message)
        if number % 50 == 0:
            await asyncio.sleep(0)
    await two.receiver.until(lambda: len(two.receiver.messages("one")) == 500)
    await one.receiver.until(lambda: len(one.receiver.messages("two")) == 500)
    assert two.receiver.messages("one") == sent
    assert one.receiver.messages("two") == sent


async def test_messages_of_one_turn_go_as_one_batch(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    before = one.counts.node_batches_sent
    for number in range(100):
        one.bus.send("two", about(number))
    await two.receiver.until(lambda: len(two.receiver.messages("one")) == 100)
    assert one.counts.node_batches_sent - before <= 5, "one batch, and heartbeats"
    assert one.counts.node_messages_sent == two.counts.node_messages_received == 100


async def test_a_node_is_linked_before_its_first_message(cluster: Cluster) -> None:
    one = cluster.start("one")
    cluster.living["two"] = Node("two", "first", "")
    assert not one.bus.is_linked("two")
    two = cluster.start("two")
    for number in range(10):
        one.bus.send("two", about(number))
    await linked(one, two)
    await pass_a_marker(one, two)
    assert two.receiver.told[0] == ("one", "restored")


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


async def test_a_node_that_stops_is_lost_after_a_silence(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    began = asyncio.get_running_loop().time()
    await one.stop()
    await two.receiver.until(lambda: two.receiver.links("one")[-1] == "lost")
    assert not two.bus.is_linked("one")
    assert 1.4 < asyncio.get_running_loop().time() - began < 4
    assert two.counts.links_lost == 1


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


async def test_the_next_start_of_a_node_restores_the_link_before_its_messages(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    await one.stop()
    two.receiver.told.clear()
    again = cluster.start("one", incarnation="second")
    again.bus.send("two", about(1))
    await pass_a_marker(again, two)
    assert two.receiver.told[0] == ("one", "restored")


async def test_a_node_that_is_not_known_is_refused_until_it_is(cluster: Cluster) -> None:
    two = cluster.start("two")
    one = cluster.start("one", is_living=False)
    await until_refused(two, "unknown", 1)
    assert two.receiver.told == []
    cluster.living["one"] = one.node
    await linked(two, one)
    await pass_a_marker(one, two)
    assert two.receiver.told[0] == ("one", "restored")


async def test_forged_batches_are_refused(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    route = route_bytes(one.node, two.node)
    forged = seal_batch(b"other" * 8, route, 1_000_000, 0, [encode_message(about(1))])
    genuine = seal_batch(KEY, route, 1_000_000, 0, [encode_message(about(2))])
    changed = genuine[:-1] + bytes([genuine[-1] ^ 1])
    for raw in (b"", b"\x00" * 31, forged, changed, genuine[32:]):
        await cluster.carrier.inject("two", raw)
    await until_refused(two, "forged", 5)
    await pass_a_marker(one, two)
    assert two.receiver.messages("one") == [NotOwned(match="marker")]
    assert two.receiver.links("one")[:1] == ["restored"]


async def test_a_batch_of_a_node_with_another_key_is_refused(cluster: Cluster) -> None:
    two, stranger = cluster.start("two"), cluster.start("one", key=b"x" * 32)
    stranger.bus.send("two", about(1))
    await until_refused(two, "forged", 1)
    assert two.receiver.told == []
    assert not two.bus.is_linked("one")


async def test_a_recorded_batch_is_refused_when_it_is_published_again(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    await pass_a_marker(one, two, "first")
    await pass_a_marker(one, two, "second")
    recorded = [
        raw for receiver, raw in list(cluster.carrier.carried) if receiver == "two" and open_batch(KEY, two.node, raw)
    ]
    of_one = [raw for raw in recorded if open_batch(KEY, two.node, raw).sender == "one"]
    assert len(of_one) >= 2
    before = two.refused("replayed")
    for raw in of_one:
        await cluster.carrier.inject("two", raw)
    await until_refused(two, "replayed", before + len(of_one))
    await pass_a_marker(one, two, "third")
    assert two.receiver.messages("one") == [NotOwned(match=name) for name in ("first", "second", "third")]
    assert two.receiver.links("one") == ["restored"]


async def until_refused(member: Member, fault: str, number: int) -> None:
    await until(lambda: member.refused(fault) >= number)


async def test_a_batch_for_another_node_is_refused(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    three = cluster.start("three")
    await linked(one, two, three)
    await pass_a_marker(one, two)
    recorded = [raw for receiver, raw in list(cluster.carrier.carried) if receiver == "two"]
    for raw in recorded:
        await cluster.carrier.inject("three", raw)
    await until_refused(three, "foreign", len(recorded))
    assert three.receiver.messages("one") == []


async def test_a_batch_for_an_earlier_start_of_the_receiver_is_refused(cluster: Cluster) -> None:
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


async def test_a_batch_of_an_earlier_start_of_the_sender_is_refused(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    await one.stop()
    again = cluster.start("one", incarnation="second")
    await linked(again, two)
    late = seal_batch(KEY, route_bytes(one.node, two.node), 1_000_000, 0, [encode_message(about(1))])
    before = two.refused("unknown")
    await cluster.carrier.inject("two", late)
    await until_refused(two, "unknown", before + 1)
    await pass_a_marker(again, two)
    assert two.receiver.messages("one") == [NotOwned(match="marker")]


async def test_what_cannot_be_parsed_is_left_out_alone(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    route = route_bytes(one.node, two.node)
    texts = [b'{"type": "of a later version"}', b"no json", encode_message(about(1))]
    await cluster.carrier.inject("two", seal_batch(KEY, route, 1_000_000, 0, texts))
    await two.receiver.until(lambda: two.receiver.messages("one"))
    assert two.receiver.messages("one") == [about(1)]
    assert two.refused("malformed") == 2


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


async def test_oversized_batches_are_refused(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    route = route_bytes(one.node, two.node)
    for size in (MAX_BATCH_BYTES, 2 * MAX_BATCH_BYTES):
        whole = seal_batch(KEY, route, 1_000_000, 0, [encode_message(long(1, size))])
        await cluster.carrier.inject("two", whole)
    await until_refused(two, "oversized", 1)
    await pass_a_marker(one, two)
    assert two.receiver.messages("one") == [NotOwned(match="marker")]
    assert two.refused("oversized") == (2 if isinstance(cluster.carrier, LocalCarrier) else 1), "a broker withholds one"


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


async def test_a_node_sends_nothing_to_itself_and_to_nodes_that_are_not_living(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    with pytest.raises(ValueError, match="to itself"):
        one.bus.send("one", about(1))
    one.bus.send("nobody", about(1))
    assert one.counts.node_messages_dropped == 1
    assert not one.bus.is_linked("nobody")
    await pass_a_marker(one, two)


async def test_messages_of_a_stopped_bus_are_dropped(cluster: Cluster) -> None:
    one, two = await cluster.pair()
    await two.stop()
    told = list(two.receiver.told)
    for number in range(10):
        one.bus.send("two", about(number))
    await one.receiver.until(lambda: one.receiver.links("two")[-1] == "lost")
    assert two.receiver.told == told
