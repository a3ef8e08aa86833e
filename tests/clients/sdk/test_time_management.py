from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.clients.sdk.time_management import MIN_THINK_TIME_MS, OVERHEAD_MS, clock_times, move_limit, think_time
from cornered.engine.limit import ClockTimes, Limit
from cornered.protocol.values import NO_CLOCK, Clock, Correspondence, Delay, Fischer, PerMove

clocks = st.one_of(
    st.builds(Fischer, initial=st.integers(1, 10_800), increment=st.integers(0, 180) | st.floats(0, 180)),
    st.builds(Delay, initial=st.integers(1, 10_800), delay=st.integers(1, 180)),
)


def test_a_move_of_its_own_time_leaves_room_and_free_seconds_are_used() -> None:
    assert think_time(PerMove(seconds=1), 1000, 50, 60_000) <= 600
    assert think_time(Delay(initial=60, delay=10), 100, 20, 60_000) > 5_000


def test_a_game_on_one_clock_is_played_to_its_end() -> None:
    left = 60_000
    for _ in range(80):
        left -= think_time(Fischer(initial=60), left, 20, 60_000) + 20
    assert left > 500


def test_without_hurry_people_still_do_not_wait_long() -> None:
    for clock in (NO_CLOCK, Correspondence(days=1)):
        assert think_time(clock, None, 0, 1500) == 1500
        assert think_time(clock, 86_400_000, 0, 1500) == 1500


@given(clock=clocks, left=st.integers(0, 10_800_000), round_trip=st.integers(0, 2_000), longest=st.integers(10, 60_000))
def test_even_the_latest_answer_is_in_time(clock: Clock, left: int, round_trip: int, longest: int) -> None:
    free = clock.delay * 1000 if isinstance(clock, Delay) else 0
    limit = move_limit(clock, left, round_trip, longest)
    assert limit.time is not None
    assert limit.grace is not None
    assert limit.time <= max(MIN_THINK_TIME_MS, longest)
    assert limit.time == MIN_THINK_TIME_MS or limit.time + limit.grace + OVERHEAD_MS + round_trip <= left + free
    assert limit.grace == 0 or limit.time + limit.grace + OVERHEAD_MS + round_trip <= left + free


def test_who_is_always_as_late_as_can_be_does_not_flag_at_one_second_and_a_twentieth(subtests: pytest.Subtests) -> None:
    for round_trip in (0, 30):
        with subtests.test(round_trip=round_trip):
            left = 1000
            for _ in range(500):
                limit = move_limit(Fischer(initial=1, increment=0.05), left, round_trip, 1500)
                assert limit.time is not None
                assert limit.grace is not None
                # What stands in for a bot that is too late, and the way, come on top of it.
                left -= limit.time + limit.grace + 15
                assert left > 0
                left += 50


def test_a_long_clock_lets_a_late_answer_come_later_than_a_short_one() -> None:
    short, long = (move_limit(Fischer(initial=1), left, 0, 1500) for left in (1_000, 100_000))
    for limit, late in ((short, 250), (long, 10_000)):
        assert limit.time is not None
        assert limit.longest is not None
        assert limit.grace is not None
        assert limit.time + limit.grace == limit.longest + late
    assert move_limit(NO_CLOCK, None, 0, 1500).grace is None


def test_an_unsettled_search_may_take_twice_its_time_where_a_later_move_pays_for_it() -> None:
    assert move_limit(Fischer(initial=60), 40_000, 0, 10_000).longest == 4_000
    # No longer than a bot may think, and than the clock lasts.
    assert move_limit(Fischer(initial=60), 40_000, 0, 2_500).longest == 2_500
    assert move_limit(Fischer(initial=1, increment=5), 2_000, 0, 10_000).longest == 1_600
    assert move_limit(Fischer(initial=60), 300, 0, 10_000).longest == MIN_THINK_TIME_MS
    assert (limit := move_limit(PerMove(seconds=10), 10_000, 0, 20_000)).longest == limit.time == 8_000


def test_the_deadline_counts_from_when_the_limit_was_made_also_in_another_process() -> None:
    limit = Limit(time=250, started=100.0)
    assert limit.deadline == 100.25
    assert limit.remaining == 0.0
    assert Limit(depth=3).deadline is None
    assert Limit(nodes=3).remaining is None

    limit = Limit(time=250, depth=4)
    assert pickle.loads(pickle.dumps(limit)).deadline == limit.deadline


def test_a_limit_of_nothing_is_an_error() -> None:
    for what in ("time", "depth", "nodes"):
        given: dict[str, Any] = {what: 0}
        with pytest.raises(ValueError, match=what):
            Limit(**given)


def test_only_clocks_that_run_over_the_game_are_told() -> None:
    assert clock_times(Fischer(initial=60, increment=0.5), [61_000, 59_000]) == ClockTimes((61_000, 59_000), 500)
    assert clock_times(Delay(initial=60, delay=2), [1, 2]) == ClockTimes((1, 2), 2000)
    for clock in (PerMove(seconds=1), Correspondence(days=1), NO_CLOCK):
        assert clock_times(clock, [None, None]) is None
