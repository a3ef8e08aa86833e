"""Benjamini and Hochberg's adjusted p-values: their own example, and properties."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.lab.statistics.multiple import adjusted

PUBLISHED = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
    *(0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
]
"""Benjamini and Hochberg (1995), section 4.1: fifteen hypotheses of a study of heart attacks."""
PROBABILITIES = st.lists(st.floats(0, 1), max_size=30)


def test_the_published_example_and_short_ones_come_out() -> None:
    found = adjusted(PUBLISHED)
    assert sum(p <= 0.05 for p in PUBLISHED) == 9
    assert [p <= 0.05 for p in found] == [True] * 4 + [False] * 11
    # By itself the sixth would have 0.0278 * 15 / 6, more than the seventh.
    assert found[:4] == pytest.approx([0.0015, 0.003, 0.0095, 0.035625])
    assert found[5] == found[6] == pytest.approx(0.0298 * 15 / 7)

    assert adjusted([]) == []
    assert adjusted([0.2]) == [0.2]
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjusted([0.05, 0.05, 0.05]) == pytest.approx([0.05] * 3)


@given(PROBABILITIES)
def test_adjusted_values_keep_the_order_and_are_no_smaller(ps: list[float]) -> None:
    found = adjusted(ps)
    ranks = sorted(range(len(ps)), key=ps.__getitem__)
    assert [found[place] for place in ranks] == sorted(found)
    assert all(p <= q <= 1 or math.isclose(p, q) for p, q in zip(ps, found, strict=True))


@given(PROBABILITIES, st.randoms(use_true_random=False))
def test_each_keeps_its_value_in_any_order(ps: list[float], chance: Random) -> None:
    order = list(range(len(ps)))
    chance.shuffle(order)
    found = adjusted(ps)
    assert adjusted([ps[place] for place in order]) == [found[place] for place in order]


@given(PROBABILITIES, st.floats(0.001, 1))
def test_what_it_rejects_is_what_the_step_up_procedure_rejects(ps: list[float], rate: float) -> None:
    largest = max((k for k, p in enumerate(sorted(ps), 1) if p * len(ps) / k <= rate), default=0)
    assert sum(q <= rate for q in adjusted(ps)) == largest


def test_what_is_no_probability_is_refused(subtests: pytest.Subtests) -> None:
    for p in (-0.1, 1.1, math.nan):
        with subtests.test(p=p), pytest.raises(ValueError, match="a p-value is from 0 to 1"):
            adjusted([0.5, p])
