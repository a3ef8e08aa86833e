"""The limits of one search."""

from __future__ import annotations

import pytest

from cornered.engine.limit import Limit


@pytest.mark.parametrize(
    ("limit", "seconds"),
    [
        (Limit(1000, longest=1600), 0.6),
        (Limit(1000, longest=1000), 0.0),
        (Limit(1000, longest=400), 0.0),
        (Limit(1000), 0.0),
        (Limit(nodes=5, longest=1600), 0.0),
    ],
    ids=["more", "as much", "less", "unsaid", "no time"],
)
def test_an_unsettled_search_may_take_the_longest_time(limit: Limit, seconds: float) -> None:
    assert limit.extension == seconds
