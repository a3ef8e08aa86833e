"""The limits of one search."""

from __future__ import annotations

import pytest

from cornered.engine.limit import ClockTimes, Limit

CLOCKS = ClockTimes((60_000, 60_000), 1000)


def test_there_is_nothing_to_extend_without_a_time() -> None:
    assert Limit(nodes=5, grace=900, clocks=CLOCKS).extension == 0.0


@pytest.mark.parametrize(
    ("time", "grace", "clocks", "seconds"),
    [
        (1000, 6000, CLOCKS, 1.0),
        (1000, 900, CLOCKS, 0.3),
        (1000, 0, CLOCKS, 0.0),
        (1000, 6000, None, 0.0),
        (1000, None, CLOCKS, 0.0),
    ],
)
def test_an_unsettled_search_may_take_a_third_of_the_grace_and_its_time_again(
    time: int, grace: int | None, clocks: ClockTimes | None, seconds: float
) -> None:
    assert Limit(time, grace=grace, clocks=clocks).extension == seconds
