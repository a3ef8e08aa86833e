"""How long a search takes in real time, beside a pause of the same length."""

from __future__ import annotations

import statistics
import time

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.search.searcher import Searcher


def test_a_deadline_is_kept_as_well_as_this_machine_wakes_a_thread() -> None:
    state = engine.load("quoridor").start()
    for move in ("e2", "e8", "e3", "e7", "a3h", "h6v", "d3", "d7"):
        state = engine.apply(state, move)
    searcher = Searcher(state.game)
    searcher.search(state, Limit(depth=1))
    late, sleeping = [], []
    for _ in range(7):
        started = time.monotonic()
        thought = searcher.search(state, Limit(time=60))
        late.append(time.monotonic() - started - 0.06)
        assert thought.seconds >= 0.059 or thought.proven
        started = time.monotonic()
        time.sleep(0.06)
        sleeping.append(time.monotonic() - started - 0.06)
    assert statistics.median(late) <= 0.01 + 2 * max(sleeping)
