"""The limits of one search."""

from __future__ import annotations

from cornered.engine.limit import Limit


def test_an_unsettled_search_may_take_the_longest_time() -> None:
    times = ((1000, 1600), (1000, 1000), (1000, 400), (1000, None), (None, 9))
    assert [Limit(time, longest=longest).extension for time, longest in times] == [0.6, 0.0, 0.0, 0.0, 0.0]
