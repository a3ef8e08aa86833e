"""Searches under a clock that runs over the whole game: settled ones spare it, unsettled ones take more of it."""

from __future__ import annotations

from functools import cache
from time import monotonic
from typing import Final

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.engine import State
from cornered.engine.limit import ClockTimes

CLOCKS: Final = ClockTimes((60_000, 60_000), 1000)


@cache
def positions() -> list[State]:
    """Return positions of a game that a bot plays with itself."""
    bot, states = create("pvs"), [engine.load("quoridor").start()]
    bot.prepare(states[0].game)
    while len(states) < 16:
        states.append(states[-1].play(bot.choose(states[-1], Limit(nodes=500)).move))
    return states[4:]


def remaining_s(state: State, limit: Limit) -> float:
    """Return the seconds until the deadline that a search leaves unused."""
    create("pvs").choose(state, limit)
    assert limit.remaining is not None
    return limit.remaining


def test_a_settled_search_spares_the_clock_once_half_of_its_time_is_used() -> None:
    late = (Limit(10_000, clocks=CLOCKS, started=monotonic() - 6) for _ in positions())
    assert any(remaining_s(state, limit) > 1 for state, limit in zip(positions(), late, strict=True))
    # Without the clocks of a match there is nothing to spare.
    assert remaining_s(positions()[0], Limit(10_000, started=monotonic() - 9.8)) == 0


def test_an_unsettled_search_takes_more_time_than_a_move_has() -> None:
    taken = (create("pvs").choose(state, Limit(30, longest=120)).seconds for state in positions())
    assert any(seconds > 0.045 for seconds in taken)
