"""The limits of one search."""

from __future__ import annotations

import pytest

from cornered.engine.limit import Limit


@pytest.mark.parametrize(
    ("time", "longest", "seconds"),
    [(1000, 1600, 0.6), (1000, 1000, 0.0), (1000, 400, 0.0), (1000, None, 0.0), (None, 9, 0.0)],
)
def test_an_unsettled_search_may_take_the_longest_time(time: int | None, longest: int | None, seconds: float) -> None:
    assert Limit(time, longest=longest).extension == seconds
