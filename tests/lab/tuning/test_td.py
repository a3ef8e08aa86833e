"""TD(lambda) worked out by hand, and against the batch form of its own definition."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.lab.tuning.td import calibrated, error, lesson, predicted, sizes_of

NUMBERS = st.floats(-2, 2)


def test_a_prediction_is_the_logistic_function_of_the_sum_and_sizes_are_root_mean_squares() -> None:
    assert predicted([2.0, -1.0], [0.5, 1.0]) == 0.5
    assert predicted([1.0], [math.log(3)]) == pytest.approx(0.75)
    assert predicted([1.0], [-math.log(3)]) == pytest.approx(0.25)
    assert predicted([1.0], [1e6]) == 1.0
    assert predicted([1.0], [-1e6]) == pytest.approx(0.0)

    assert sizes_of([([(3.0, 0.0), (4.0, 0.0)], 1.0)], 2) == pytest.approx([math.sqrt(12.5), 1.0])

    assert lesson([1.0, 2.0], [], 1.0, 0.7) == [0.0, 0.0]


def test_one_step_is_the_gradient_of_half_the_squared_error_and_two_come_out_by_hand() -> None:
    # P = 0.75, gradient P (1 - P) x = 0.1875 x, and the outcome is 0.25 above the prediction.
    x = (math.log(3), 0.0, 2.0)
    assert lesson([1.0, 5.0, 0.0], [x], 1.0, 0.9) == pytest.approx([0.25 * 0.1875 * f for f in x])
    assert lesson([1.0, 5.0, 0.0], [x], 0.0, 0.9) == pytest.approx([-0.75 * 0.1875 * f for f in x])

    # Predictions 0.5, 0.75, and then the outcome 1; slopes 0.25 and 0.1875; features 0 and ln 3 for the first weight,
    # 1 and 0 for the second.
    rows = [(0.0, 1.0), (math.log(3), 0.0)]
    for trace in (0.0, 0.5, 1.0):
        first = (1 - 0.75) * 0.1875 * math.log(3)
        second = (0.75 - 0.5) * 0.25 + (1 - 0.75) * trace * 0.25
        assert lesson([1.0, 0.0], rows, 1.0, trace) == pytest.approx([first, second])


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6), st.tuples(NUMBERS, NUMBERS), st.booleans())
def test_with_lambda_one_it_is_supervised_learning(
    rows: list[tuple[float, float]], weights: tuple[float, float], wins: bool
) -> None:
    """Sutton 1988, section 2: TD(1) makes the same changes as learning each position's outcome."""
    outcome = float(wins)
    wanted = [0.0, 0.0]
    for row in rows:
        p = predicted(weights, row)
        wanted = [w + (outcome - p) * p * (1 - p) * f for w, f in zip(wanted, row, strict=True)]
    assert lesson(weights, rows, outcome, 1.0) == pytest.approx(wanted, abs=1e-12)


def test_calibration_finds_the_scale_of_the_predictions() -> None:
    # Three of four are won by who is ahead by 1: the logistic function of ln 3.
    games = [([(1.0,)], 1.0)] * 3 + [([(1.0,)], 0.0)]
    assert calibrated([1.0], games) == 1.0
    assert calibrated([4.0], games) == pytest.approx(0.25, rel=0.2)
    assert error([math.log(3)], [(1.0,)], 1.0) == pytest.approx(0.0625)
