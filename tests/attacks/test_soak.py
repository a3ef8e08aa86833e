"""Valid load leaks no resources."""

from __future__ import annotations

import pytest

from cornered.bench.soak import lines, run

pytestmark = pytest.mark.campaign


def test_a_server_holds_as_much_after_a_while_as_before() -> None:
    report = run(0.3)
    assert report.errors == [], "\n".join(lines(report))
    assert report.matches > 5
    assert report.visits > 5
