from __future__ import annotations

from itertools import islice

from cornered.clients.sdk.backoff import FIRST, LONGEST, jittered


def test_waits_grow_to_a_limit_and_differ_from_client_to_client() -> None:
    rows = [list(islice(jittered(), 12)) for _ in range(200)]
    for row in rows:
        assert all(0 <= wait <= min(LONGEST, FIRST * 2**attempt) for attempt, wait in enumerate(row))
    assert max(row[0] for row in rows) <= FIRST
    assert max(row[-1] for row in rows) > LONGEST / 2
    assert len({row[3] for row in rows}) > 150
