"""The measuring itself: small runs of every part, whose counts must add up."""

from __future__ import annotations

import pytest

from cornered.bench import server
from cornered.bench.load import scripts


@pytest.mark.parametrize("kind", ["memory", "echo"])
async def test_every_scripted_move_is_played_and_timed_once(kind: str) -> None:
    measured = await server.measure_moves(kind, 2, 2)
    games = scripts(32)
    assert measured.count == sum(len(games[index + number]) for index in range(2) for number in range(2))
    assert measured.cpu > 0
    assert min(measured.latencies) > 0


@pytest.mark.parametrize("kind", ["memory", "fanout"])
async def test_every_watcher_gets_every_move(kind: str) -> None:
    measured = await server.measure_fanout(kind, 20, 8)
    assert measured.per_second > 0
    assert measured.cpu_us > 0
