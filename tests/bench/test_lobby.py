"""The measuring of a crowded lobby: a small run, whose counts must add up."""

from __future__ import annotations

import math

from cornered.bench import lobby


async def test_a_small_lobby_is_filled_and_measured(compiled: None) -> None:
    report = await lobby.measure(10, 4, 2, lambda _: None, changes=4, seconds=2.0)
    assert (report.seeks, report.matches, report.watchers) == (10, 4, 2)
    assert report.first_page_bytes > 2_000
    # The difference of two measurements, which can be negative on a busy machine.
    assert math.isfinite(report.change_cpu_ms)
    assert 0 < report.change_bytes_per_second < 16_000
    assert 2 < report.moves_per_second < 6
    assert report.moves_bytes_per_second > 0
    assert len(lobby.lines(report)) == 6
