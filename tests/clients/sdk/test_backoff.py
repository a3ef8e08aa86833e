from __future__ import annotations

from itertools import islice

from cornered.clients.sdk.backoff import FIRST_CEILING_S, MAX_CEILING_S, full_jitter


def test_waits_grow_to_a_limit_and_differ_from_client_to_client() -> None:
    rows = [list(islice(full_jitter(), 12)) for _ in range(200)]
    for row in rows:
        assert all(0 <= wait <= min(MAX_CEILING_S, FIRST_CEILING_S * 2**attempt) for attempt, wait in enumerate(row))
    assert max(row[0] for row in rows) <= FIRST_CEILING_S
    assert max(row[-1] for row in rows) > MAX_CEILING_S / 2
    assert len({row[3] for row in rows}) > 150
