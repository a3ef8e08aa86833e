"""The links of a node, without a clock or a carrier."""

from __future__ import annotations

import pytest

from cornered.server.cluster.envelope import BadBatch, decode_message
from cornered.server.cluster.links import FLUSH_BYTES, MAX_QUEUE_BYTES, SILENCE_S, Arrival, Links
from cornered.server.cluster.messages import NodeMessage, NotOwned, OpenedMatch
from cornered.server.cluster.ports import Node

KEY = b"k" * 32


class Ends:
    """Two nodes that know each other."""

    def __init__(self) -> None:
        self.living = {name: Node(name, "first", "") for name in ("one", "two")}
        self.one = self.links("one")
        self.two = self.links("two")

    def links(self, name: str) -> Links:
        return Links(self.living[name], KEY, lambda: self.living)

    def heartbeat(self, sender: Links, receiver: Links, now: float = 0.0) -> Arrival | None:
        (raw,) = [raw for name, raw, _ in sender.heartbeats() if name == receiver.here.name]
        return receiver.receive(raw, now)

    def restore(self) -> None:
        self.heartbeat(self.one, self.two)
        self.heartbeat(self.two, self.one)
        assert self.one.is_linked("two")
        assert self.two.is_linked("one")


@pytest.fixture
def ends() -> Ends:
    return Ends()


def about(number: int) -> NodeMessage:
    return NotOwned(match=f"m{number}")


def is_restored(arrival: Arrival | None) -> bool:
    assert arrival is not None
    return arrival.is_restored


def test_a_lost_batch_restores_once_at_both_ends_and_the_first_one_too(ends: Ends) -> None:
    assert is_restored(ends.heartbeat(ends.one, ends.two))
    assert not is_restored(ends.heartbeat(ends.one, ends.two))
    assert is_restored(ends.heartbeat(ends.two, ends.one))
    assert not is_restored(ends.heartbeat(ends.two, ends.one))
    list(ends.one.heartbeats())
    assert is_restored(ends.heartbeat(ends.one, ends.two))
    assert is_restored(ends.heartbeat(ends.two, ends.one)), "its messages were lost"
    for _ in range(3):
        assert not is_restored(ends.heartbeat(ends.one, ends.two))
        assert not is_restored(ends.heartbeat(ends.two, ends.one))


def test_a_loss_before_the_first_batch_is_told_to_the_sender(ends: Ends) -> None:
    list(ends.one.heartbeats())
    ends.heartbeat(ends.two, ends.one)
    ends.heartbeat(ends.one, ends.two)
    assert is_restored(ends.heartbeat(ends.two, ends.one))


def test_a_batch_is_taken_once_also_of_a_node_that_was_away(ends: Ends) -> None:
    batches = [raw for _ in range(3) for name, raw, _ in ends.one.heartbeats() if name == "two"]
    ends.two.receive(batches[1], 0)
    for replayed in batches[:2]:
        with pytest.raises(BadBatch, match="replayed"):
            ends.two.receive(replayed, 0)
    ends.two.receive(batches[2], 0)
    away = ends.living.pop("one")
    assert ends.two.lose_silent(0) == ["one"]
    with pytest.raises(BadBatch, match="unknown"):
        ends.two.receive(batches[2], 0)
    ends.living["one"] = away
    with pytest.raises(BadBatch, match="replayed"):
        ends.two.receive(batches[2], 0)


def test_a_link_is_lost_after_the_silence_and_its_queue_with_it(ends: Ends) -> None:
    ends.restore()
    ends.one.queue("two", about(1))
    assert ends.one.lose_silent(SILENCE_S - 0.01) == []
    assert ends.one.lose_silent(SILENCE_S) == ["two"]
    assert ends.one.lose_silent(SILENCE_S) == []
    assert ends.one.dropped == 1
    assert list(ends.one.flush()) == []
    assert is_restored(ends.heartbeat(ends.one, ends.two, 3)), "the counter shows that a message is missing"


def test_time_in_which_nothing_was_read_is_no_silence(ends: Ends) -> None:
    ends.restore()
    ends.heartbeat(ends.two, ends.one, 1.0)
    ends.one.forgive(9, 10.5)
    assert ends.one.lose_silent(10.5) == []
    assert ends.one.lose_silent(12.4) == ["two"], "no batch came later than now"


def test_a_lost_connection_loses_all_links(ends: Ends) -> None:
    ends.restore()
    ends.one.connect(0)
    own = next(raw for name, raw, _ in ends.one.heartbeats() if name == "one")
    assert ends.one.receive(own, 1.0) is None
    assert ends.one.hears_itself
    assert not ends.one.is_deaf(2.9)
    assert ends.one.is_deaf(3.0)
    assert ends.one.lose_all() == ["two"]
    assert not ends.one.hears_itself


def test_a_full_queue_drops_the_oldest_and_shows_it_once(ends: Ends) -> None:
    ends.restore()
    size = 100_000
    number = 2 * MAX_QUEUE_BYTES // size
    for index in range(number):
        ends.one.queue("two", OpenedMatch(match=f"m{index}", text="x" * size))
    arrivals = [ends.two.receive(raw, 0) for _, raw, _ in ends.one.flush()]
    assert [is_restored(arrival) for arrival in arrivals] == [True] + [False] * (len(arrivals) - 1)
    came = [decode_message(text) for arrival in arrivals if arrival is not None for text in arrival.messages]
    assert [message.match for message in came if isinstance(message, OpenedMatch)] == [
        f"m{index}" for index in range(number - len(came), number)
    ]
    assert ends.one.dropped == number - len(came)
    assert number // 3 < len(came) <= MAX_QUEUE_BYTES // size


def test_a_batch_is_bounded_and_a_larger_message_goes_alone(ends: Ends) -> None:
    sizes = [FLUSH_BYTES // 2, FLUSH_BYTES // 4, FLUSH_BYTES // 2, 2 * FLUSH_BYTES, 10]
    for size in sizes:
        ends.one.queue("two", OpenedMatch(match="m", text="x" * size))
    assert [number for _, _, number in ends.one.flush()] == [2, 1, 1, 1]


def test_what_waits_for_an_earlier_start_is_not_sent_to_the_next_one(ends: Ends) -> None:
    ends.restore()
    ends.one.queue("two", about(1))
    ends.living["two"] = Node("two", "second", "")
    again = ends.links("two")
    arrival = ends.heartbeat(ends.one, again)
    assert arrival == Arrival("one", is_restored=True, messages=())
    assert ends.one.dropped == 1


def test_one_message_is_encoded_once_for_several_nodes(ends: Ends) -> None:
    ends.living["three"] = Node("three", "first", "")
    three = ends.links("three")
    message = about(1)
    ends.one.queue("two", message)
    ends.one.queue("three", message)
    ends.one.queue("two", about(2))
    ends.one.queue("three", about(3))
    came = {
        name: (ends.two if name == "two" else three).receive(raw, 0) for name, raw, number in ends.one.flush() if number
    }
    texts = {name: [decode_message(text) for text in arrival.messages] for name, arrival in came.items() if arrival}
    assert texts == {"two": [about(1), about(2)], "three": [about(1), about(3)]}


def test_links_to_nodes_that_are_gone_are_bounded(ends: Ends) -> None:
    for number in range(1000):
        name = f"node-{number}"
        ends.living[name] = Node(name, "first", "")
        ends.one.queue(name, about(number))
        del ends.living[name]
        ends.one.lose_silent(0)
    assert len(ends.one._links) <= 300
    assert list(ends.one.flush()) == []


def test_only_batches_of_living_starts_to_this_one_are_expected(ends: Ends) -> None:
    ends.restore()
    (_, to_two) = ends.one.heartbeats()
    assert ends.two.is_expected(to_two[1])
    assert not ends.one.is_expected(to_two[1])
    ends.living["one"] = Node("one", "second", "")
    again = ends.links("one")
    (_, second) = again.heartbeats()
    assert not ends.two.is_expected(second[1])
    assert not ends.two.is_expected(b"")
