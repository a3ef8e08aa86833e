"""The match clock, and the outages that count against no player."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cornered.server.runtime.timekeeping import Outages, SteadyClock, overlap

INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda ends: (min(ends), max(ends))))


def test_the_clock_begins_with_the_wall_clock_or_the_end_of_the_last_run_and_no_step_moves_it() -> None:
    real, steady = 1_000.0, 50.0
    clock = SteadyClock(lambda: real, lambda: steady)
    assert clock() == 1_000_000
    for step in (3_600, -7_200):
        real, steady = real + step, steady + 1.5
        assert clock() == 1_000_000 + round((steady - 50.0) * 1000)
    assert SteadyClock(lambda: 1_000.0, lambda: 50.0, not_before=4_600_000)() == 4_600_000
    assert SteadyClock(lambda: 1_000.0, lambda: 50.0, not_before=400_000)() == 1_000_000


@given(since=st.integers(0, 60), length=st.integers(0, 60), outages=INTERVALS)
def test_the_overlap_counts_every_millisecond_once(since: int, length: int, outages: list[tuple[int, int]]) -> None:
    inside = sum(any(begin <= at < end for begin, end in outages) for at in range(since, since + length))
    assert overlap(since, since + length, outages) == inside


def test_a_heartbeat_that_comes_more_than_a_second_late_is_an_outage_and_without_any_there_is_none() -> None:
    outages = Outages()
    for now in (10_000, 10_250, 11_400, 15_000):
        outages.beat(now)
    assert outages.after(0, 15_100) == [(11_650, 15_000)]
    assert outages.after(15_000, 15_100) == []
    outages = Outages()
    assert outages.after(0, 5_000) == []
    assert outages.after(0, 500_000) == []
    outages = Outages()
    for number in range(2_000):
        outages.beat(number * 2_000)
    assert len(outages.after(0, 3_998_000)) == 1_024


def test_an_outage_is_known_to_a_decision_that_comes_before_the_late_heartbeat() -> None:
    outages = Outages()
    outages.beat(10_000)
    assert outages.after(9_000, 13_250) == [(10_250, 13_250)]
    outages.beat(13_260)
    assert outages.after(9_000, 13_300) == [(10_250, 13_250)]


def test_the_time_in_which_the_store_was_not_heard_is_an_outage_from_its_last_answer_to_the_next() -> None:
    outages = Outages()
    outages.note_store(10_000, 12_500)
    assert outages.after(0, 12_500) == []
    outages.note_store(10_000, 12_750)
    assert outages.after(9_000, 14_000) == [(10_000, 14_000)]
    outages.note_store(15_000, 15_100)
    assert outages.after(9_000, 16_000) == [(10_000, 15_000)]
    assert outages.after(15_000, 16_000) == []
