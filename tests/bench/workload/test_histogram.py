"""The histogram agrees with sorted samples within its error, however it was put together."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.bench.workload.histogram import RELATIVE_ERROR, Histogram

SAMPLES = st.lists(st.integers(0, 10**10), min_size=1, max_size=300)
PERCENTS = st.sampled_from([1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0])


def recorded(samples: list[int]) -> Histogram:
    histogram = Histogram()
    for sample in samples:
        histogram.record(sample / 1e6)
    return histogram


@given(SAMPLES, PERCENTS)
def test_a_percentile_is_that_of_the_sorted_samples_or_slightly_above(samples: list[int], percent: float) -> None:
    found = recorded(samples).percentile(percent) * 1e6
    exact = sorted(samples)[max(1, math.ceil(len(samples) * percent / 100 - 1e-9)) - 1]
    assert exact - 0.5 <= found <= exact * (1 + RELATIVE_ERROR) + 0.5


@given(st.lists(st.integers(0, 2_047), min_size=1, max_size=100))
def test_short_latencies_are_exact(samples: list[int]) -> None:
    histogram = recorded(samples)
    assert round(histogram.percentile(50) * 1e6) == sorted(samples)[(len(samples) - 1) // 2]


@given(SAMPLES)
def test_count_mean_and_maximum_are_exact(samples: list[int]) -> None:
    histogram = recorded(samples)
    assert histogram.count == len(samples)
    assert histogram.max_us == max(samples)
    assert histogram.mean * 1e6 == pytest.approx(sum(samples) / len(samples))


@given(SAMPLES, SAMPLES)
def test_a_sum_of_histograms_is_the_histogram_of_all(some: list[int], others: list[int]) -> None:
    added = recorded(some)
    added.add(recorded(others))
    assert added.to_json() == recorded(some + others).to_json()


@given(SAMPLES)
def test_a_histogram_survives_json(samples: list[int]) -> None:
    histogram = recorded(samples)
    again = Histogram.from_json(json.loads(json.dumps(histogram.to_json())))
    assert again.to_json() == histogram.to_json()
    assert again.summary_ms() == histogram.summary_ms()


@given(SAMPLES)
def test_the_distribution_ascends_to_the_whole(samples: list[int]) -> None:
    points = list(recorded(samples).distribution())
    assert points == sorted(points)
    assert points[-1] == (max(samples) / 1e6, 1.0)


def test_an_empty_histogram_has_zeros() -> None:
    assert set(Histogram().summary_ms().values()) == {0.0}


def test_what_is_no_histogram_is_refused() -> None:
    with pytest.raises(ValueError, match="a histogram has counts"):
        Histogram.from_json({"counts": [], "total_us": 1, "max_us": 1})
