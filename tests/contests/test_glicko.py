"""Glicko-2 on Glickman's own example, and the effect of a period on the deviation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.contests.glicko import START_DEVIATION, grown, update

OPPONENTS = [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)]


def test_glickmans_example_comes_out() -> None:
    rating, deviation, volatility = update(1500, 200, 0.06, OPPONENTS, tau=0.5)
    # Glickman rounds to four digits on the way: his mu' of -0.2069 is 1464.06, all digits are 1464.05.
    mu = (rating - 1500) / 173.7178
    assert round(mu, 4) == -0.2069
    assert round(round(mu, 4) * 173.7178 + 1500, 2) == 1464.06
    assert rating == pytest.approx(1464.06, abs=0.01)
    assert round(deviation, 2) == 151.52
    assert volatility == pytest.approx(0.05999, abs=1e-5)


def test_without_games_only_the_deviation_grows() -> None:
    rating, deviation, volatility = update(1500, 200, 0.06, [])
    assert (rating, volatility) == (1500, 0.06)
    assert deviation == pytest.approx(200.2714, abs=1e-3)


def test_a_great_surprise_raises_the_volatility() -> None:
    surprised = update(1500, 50, 0.06, [(2300, 50, 1.0)] * 5)
    assert surprised[2] > 0.0601
    assert surprised[0] > 1550


def test_volatility_falls_far_where_it_may_and_nothing_surprises() -> None:
    _, _, volatility = update(1500, 30, 10, [(1500, 30, 0.5)] * 50, tau=5)
    assert 0 < volatility < 1
    _, _, held = update(1500, 30, 10, [(1500, 30, 0.5)] * 50, tau=0.1)
    assert 9 < held < 10


@given(
    st.floats(800, 2200),
    st.floats(30, 350),
    st.lists(st.tuples(st.floats(800, 2200), st.floats(30, 350), st.sampled_from([0.0, 0.5, 1.0])), max_size=8),
)
def test_seen_from_below_everything_is_mirrored(
    rating: float, deviation: float, results: list[tuple[float, float, float]]
) -> None:
    above = update(rating, deviation, 0.06, results)
    below = update(3000 - rating, deviation, 0.06, [(3000 - other, rd, 1 - score) for other, rd, score in results])
    assert below == pytest.approx((3000 - above[0], above[1], above[2]), rel=1e-5)


@given(st.floats(1200, 1800), st.floats(30, 350), st.floats(1200, 1800))
def test_a_better_result_is_a_better_rating(rating: float, deviation: float, opponent: float) -> None:
    lost, drawn, won = (update(rating, deviation, 0.06, [(opponent, 60, score)])[0] for score in (0.0, 0.5, 1.0))
    assert lost < drawn < won
    assert lost < rating < won


RATINGS = st.floats(-10_000, 10_000)
DEVIATIONS = st.floats(1e-3, 2_000)
GAMES = st.lists(st.tuples(RATINGS, DEVIATIONS, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=4)


@given(RATINGS, DEVIATIONS, st.floats(1e-6, 10), GAMES, st.floats(0.1, 5))
def test_extreme_input_has_a_finite_result(
    rating: float, deviation: float, volatility: float, results: list[tuple[float, float, float]], tau: float
) -> None:
    after = update(rating, deviation, volatility, results, tau)
    assert all(map(math.isfinite, after))
    assert after[1] > 0
    assert after[2] > 0


@given(st.floats(800, 2200), st.floats(30, 350), st.floats(800, 2200), st.floats(30, 350))
def test_a_draw_of_equals_moves_nobody_and_a_win_both_alike(a: float, rd: float, b: float, other: float) -> None:
    assert update(a, rd, 0.06, [(a, other, 0.5)])[0] == pytest.approx(a)
    won, lost = update(a, rd, 0.06, [(b, rd, 1.0)]), update(b, rd, 0.06, [(a, rd, 0.0)])
    assert won[0] - a == pytest.approx(b - lost[0], rel=1e-6, abs=1e-9)
    assert won[1:] == pytest.approx(lost[1:], rel=1e-6)


@given(st.floats(800, 2200), st.floats(30, 350), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_game_teaches_something_about_an_equal_opponent(rating: float, deviation: float, score: float) -> None:
    waited = grown(deviation, 0.06, 1.0)
    _, after, volatility = update(rating, deviation, 0.06, [(rating, deviation, score)])
    assert after < waited
    assert volatility == pytest.approx(0.06, rel=0.05)
    assert update(rating, START_DEVIATION, 0.06, [(rating, deviation, score)])[1] < START_DEVIATION


@given(st.floats(30, 350), st.floats(0.01, 0.2), st.floats(0, 100), st.floats(0, 100))
def test_waiting_in_two_parts_is_waiting_at_once(deviation: float, volatility: float, one: float, two: float) -> None:
    whole = grown(deviation, volatility, one + two)
    assert grown(grown(deviation, volatility, one), volatility, two) == pytest.approx(whole)
    assert whole >= deviation
    assert update(1500, deviation, volatility, [])[1] == pytest.approx(grown(deviation, volatility, 1.0))
