"""Valid load leaks no resources."""

from __future__ import annotations

import pytest

from cornered.bench.soak import lines, run

MINUTES = 0.2
LONG_MINUTES = 2.0


@pytest.mark.campaign
def test_a_server_holds_as_much_after_a_while_as_before(*, is_long: bool) -> None:
    report = run(LONG_MINUTES if is_long else MINUTES)
    assert report.errors == [], "\n".join(lines(report))
    assert report.matches > 5
    assert report.visits > 5
