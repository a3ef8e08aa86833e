"""Time controls, lag compensation and refunds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.protocol.values import NO_CLOCK, Clock, Correspondence, Delay, Fischer, PerMove
from cornered.server.match.clock import LAG_PER_MOVE, LAG_QUOTA, LAG_REGAIN, Timer

DAY = 86_400_000


def running(clock: Clock, seat: int = 0, since: int = 1_000) -> Timer:
    return Timer.of(clock, 2, since).turn(since, running=seat)


def move(timer: Timer, now: int, lag: int = 0) -> Timer:
    """Return the timer after the running seat's move, with the other seat's clock running."""
    seat = timer.running
    assert seat is not None
    spent, left = timer.spend(seat, now, lag)
    return timer.after_move(seat, spent, left, now, running=1 - seat)


def test_everybody_begins_with_the_same_time() -> None:
    begins: list[tuple[Clock, int | None]] = [
        (Fischer(initial=300, increment=5), 300_000),
        (Delay(initial=300, delay=5), 300_000),
        (PerMove(seconds=30), 30_000),
        (Correspondence(days=3), 3 * DAY),
        (NO_CLOCK, None),
    ]
    assert {clock: Timer.of(clock, 3, 0).left for clock, _ in begins} == {clock: (left,) * 3 for clock, left in begins}


def test_a_move_costs_what_its_clock_says(subtests: pytest.Subtests) -> None:
    costs: list[tuple[Clock, int, int | None]] = [
        (Fischer(initial=10, increment=2), 4_000, 8_000),
        (Fischer(initial=10, increment=2), 1_000, 11_000),
        (Delay(initial=10, delay=2), 1_500, 10_000),
        (Delay(initial=10, delay=2), 5_000, 7_000),
        (PerMove(seconds=10), 9_999, 10_000),
        (Correspondence(days=1), DAY - 1, DAY),
        (NO_CLOCK, 10**12, None),
    ]
    for clock, thought, left in costs:
        with subtests.test(clock=clock, thought=thought):
            timer = running(clock)
            spent, after = timer.spend(0, 1_000 + thought)
            assert (spent, after[0], after[1]) == (thought, left, timer.left[1])


def test_a_flag_falls_at_the_millisecond_at_which_nothing_is_left(subtests: pytest.Subtests) -> None:
    flags: list[tuple[Clock, int]] = [
        (Fischer(initial=10, increment=2), 11_000),
        (Delay(initial=10, delay=2), 13_000),
        (PerMove(seconds=10), 11_000),
        (Correspondence(days=1), DAY + 1_000),
    ]
    for clock, flag in flags:
        with subtests.test(clock=clock):
            timer = running(clock)
            assert timer.flag_at() == flag
            assert [timer.is_down(flag - 1), timer.is_down(flag)] == [False, True]
            in_time, too_late = timer.spend(0, flag - 1)[1][0], timer.spend(0, flag)[1][0]
            assert in_time is not None
            assert too_late is not None
            assert in_time > 0 >= too_late
            assert timer.decided_at() == flag + LAG_PER_MOVE


def test_without_a_clock_nothing_runs_and_with_one_only_the_movers_time_to_zero() -> None:
    timer = running(NO_CLOCK)
    assert (timer.running, timer.flag_at(), timer.decided_at(), timer.left_at(10**12)) == (
        None,
        None,
        None,
        (None,) * 2,
    )
    timer = running(Fischer(initial=10), seat=1)
    assert timer.spend(0, 5_000) == (4_000, (10_000, 10_000))
    timer = running(Fischer(initial=10))
    assert timer.left_at(4_000) == (7_000, 10_000)
    assert timer.left_at(99_000) == (0, 10_000)
    delayed = running(Delay(initial=10, delay=2))
    assert [delayed.left_at(now)[0] for now in (1_000, 3_000, 3_500, 99_000)] == [10_000, 10_000, 9_500, 0]


def test_lag_is_given_back_up_to_half_a_second_a_move_and_never_more_than_the_move_took() -> None:
    timer = running(Fischer(initial=10))
    assert timer.spend(0, 4_000, lag=200)[0] == 2_800
    assert timer.spend(0, 4_000, lag=9_000)[0] == 2_500
    assert timer.spend(0, 4_000, lag=-9_000)[0] == 3_000
    assert running(Fischer(initial=10)).spend(0, 1_100, lag=400) == (0, (10_000, 10_000))


def test_pretended_lag_uses_up_the_quota_and_then_gains_next_to_nothing() -> None:
    timer, saved = running(Fischer(initial=100)), []
    for number in range(1, 21):
        now = 1_000 + number * 2_000
        if timer.running == 0:
            saved.append(2_000 - timer.spend(0, now, lag=500)[0])
            timer = move(timer, now, lag=500)
        else:
            timer = move(timer, now)
    assert saved == [500, 500, 200, 100, 100, 100, 100, 100, 100, 100]


def test_an_honest_players_quota_comes_back_and_without_one_there_is_no_respite() -> None:
    timer = move(running(Fischer(initial=100)), 3_000, lag=500)
    assert timer.quota == (LAG_QUOTA - 500 + LAG_REGAIN, LAG_QUOTA)
    for now in range(4_000, 24_000, 1_000):
        timer = move(timer, now)
    assert timer.quota == (LAG_QUOTA, LAG_QUOTA)
    timer = running(Fischer(initial=10))
    spent = Timer(timer.clock, timer.left, 0, timer.since, (0, LAG_QUOTA))
    assert spent.decided_at() == spent.flag_at()


def test_a_refund_moves_the_flag_and_a_clock_that_is_set_back_stands_still() -> None:
    timer = running(Fischer(initial=10))
    assert timer.spend(0, 400) == timer.spend(1, 400) == (0, (10_000, 10_000))
    assert timer.left_at(400) == (10_000, 10_000)
    timer = running(Fischer(initial=10)).refund(5_000)
    assert timer.flag_at() == 16_000
    assert timer.spend(0, 9_000)[0] == 3_000


@given(
    clock=st.sampled_from([Fischer(initial=5, increment=1), Delay(initial=3, delay=2), PerMove(seconds=4)]),
    thoughts=st.lists(st.tuples(st.integers(-100, 7_000), st.integers(-10, 900)), max_size=30),
)
def test_time_is_never_negative_and_moves_in_time_are_exactly_those_before_the_flag(
    clock: Clock, thoughts: list[tuple[int, int]]
) -> None:
    timer, now = running(clock), 1_000
    for thought, lag in thoughts:
        now += thought
        seat, flag, decided = timer.running, timer.flag_at(), timer.decided_at()
        assert seat is not None
        assert flag is not None
        assert decided is not None
        spent, left = timer.spend(seat, now, lag)
        rest = left[seat]
        assert rest is not None
        assert (rest > 0) == (now - (timer.elapsed(now) - spent) < flag)
        assert rest <= 0 or now < decided
        if rest <= 0:
            return
        timer = move(timer, now, lag)
        assert all(one is not None and one > 0 for one in timer.left)
        assert all(0 <= quota <= LAG_QUOTA for quota in timer.quota)
