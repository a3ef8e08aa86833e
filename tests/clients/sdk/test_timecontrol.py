"""Time controls as texts for people."""

from __future__ import annotations

import pytest

from cornered.clients.sdk.timecontrol import clock_text
from cornered.protocol.values import Clock, Correspondence, Delay, Fischer, NoClock, PerMove


def test_time_controls_have_names(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[Clock, str], ...] = (
        (Fischer(initial=180, increment=2), "3 min + 2 s"),
        (Fischer(initial=45), "45 s"),
        (Delay(initial=300, delay=5), "5 min, 5 s free"),
        (PerMove(seconds=20), "20 s a move"),
        (Correspondence(days=1), "1 day a move"),
        (NoClock(), "no clock"),
    )
    for clock, text in rows:
        with subtests.test(clock=clock, text=text):
            assert clock_text(clock) == text
