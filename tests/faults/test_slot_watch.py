"""The time of a take-over ends with the last slot of the stopped node that has a newer epoch."""

from __future__ import annotations

import time

from cornered.bench.faults.history import FaultRecord
from cornered.bench.faults.slot_watch import SlotWatch, TakeOver
from cornered.bench.faults.take_overs import judged, percentile


def test_a_take_over_ends_with_the_last_slot() -> None:
    watch = SlotWatch()
    watch.take({1: ("n1", 4), 2: ("n1", 1), 3: ("n2", 1)}, 0.0)
    watch.lost(7, "n1", is_stop=True)
    began = time.monotonic()
    watch.take({1: ("n2", 5), 2: ("n1", 1), 3: ("n2", 1)}, began + 1.0)
    (waiting,) = watch.take_overs()
    assert (waiting.fault, waiting.node, waiting.slots, waiting.seconds) == (7, "n1", 2, None)
    watch.take({1: ("n2", 5), 2: ("n1", 2), 3: ("n2", 1)}, began + 2.0)
    watch.take({1: ("n2", 6), 2: ("n1", 3), 3: ("n2", 1)}, began + 9.0)
    (done,) = watch.take_overs()
    assert done.seconds is not None
    assert abs(done.seconds - 2.0) < 0.5


def test_a_node_without_slots_is_taken_over_by_nobody() -> None:
    watch = SlotWatch()
    watch.take({1: ("n2", 1)}, 0.0)
    watch.lost(1, "n1", is_stop=True)
    assert watch.take_overs() == []


def test_a_node_that_only_lost_its_store_is_no_take_over() -> None:
    watch = SlotWatch()
    watch.take({1: ("n1", 4)}, 0.0)
    lost = watch.lost(7, "n1", is_stop=False)
    assert lost.epochs == {1: 4}
    assert watch.take_overs() == []


def test_a_node_that_comes_back_with_its_slots_is_waited_for_no_longer() -> None:
    watch = SlotWatch()
    watch.take({1: ("n1", 4)}, 0.0)
    back, gone = (watch.lost(number, "n1", is_stop=True) for number in (1, 2))
    watch.is_back(back)
    assert [one.fault for one in watch.take_overs()] == [2]
    watch.take({1: ("n2", 5)}, gone.began + 1)
    watch.is_back(gone)
    assert [one.fault for one in watch.take_overs()] == [2]


def test_a_take_over_is_undisturbed_while_the_database_and_another_node_are_whole() -> None:
    taken = TakeOver(1, "n1", 512, 10.0, 3.0)
    own = FaultRecord(1, "kill", "n1", 10.0, 14.0)

    def is_undisturbed(*others: tuple[str, str, float, float], nodes: str = "n1 n2") -> bool:
        faults = [own, *(FaultRecord(2, *other) for other in others)]
        return judged([taken], faults, nodes.split())[0].is_undisturbed

    assert is_undisturbed()
    assert is_undisturbed(("kill", "n2", 2.0, 9.5), ("reset", "n2>database", 11.0, 11.0), ("pause", "n2", 13.5, 20.0))
    assert is_undisturbed(("stall", "clients>n2", 9.0, 12.0), ("stall", "n2>broker", 9.0, 12.0))
    for other in (("pause", "n2", 12.0, 18.0), ("stall up", "n2>database", 8.0, 10.5)):
        assert not is_undisturbed(other)
        assert is_undisturbed(other, nodes="n1 n2 n3")
    for kind in ("kill database", "clock"):
        assert not is_undisturbed((kind, "database", 9.0, 10.5), nodes="n1 n2 n3")
    assert is_undisturbed(("clock", "n2", 9.0, 10.5))


def test_a_percentile_of_few_take_overs_is_the_longest() -> None:
    taken = [TakeOver(number, "n1", 1, 0.0, float(number)) for number in range(1, 5)]
    assert percentile(taken, 0.5) == 2.0
    assert percentile(taken, 0.99) == 4.0
    assert percentile([TakeOver(1, "n1", 1, 0.0, None)], 0.5) is None
