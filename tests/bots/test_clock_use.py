"""Searches under a clock that runs over the whole game: settled ones spare it, unsettled ones take more of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from cornered import engine
from cornered.bots.bot import Bot, Limit
from cornered.bots.roster import create
from cornered.engine import OptionValue, State
from cornered.engine.limit import ClockTimes

TIME_MS: Final = 150
LONGEST_MS: Final = 300
CLOCKS: Final = ClockTimes((60_000, 60_000), 1000)
BOARDS: Final[Mapping[str, tuple[str, Mapping[str, OptionValue]]]] = {
    "pvs": ("quoridor", {}),
    "puct": ("isolation", {"width": 7, "height": 7}),
}


def seconds_of(bot: Bot, states: list[State], limit: Limit) -> list[float]:
    """Return how long a bot thinks about each position, one after the other."""
    return [bot.choose(state, replace(limit, started=Limit().started)).seconds for state in states]


@cache
def positions(name: str) -> list[State]:
    """Return positions of a game that a bot plays with itself."""
    game, options = BOARDS[name]
    bot = create(name)
    states = [engine.load(game, **options).start()]
    bot.prepare(states[0].game)
    while len(states) < 20:
        states.append(states[-1].play(bot.choose(states[-1], Limit(nodes=500)).move))
    return states[4:]


@pytest.mark.parametrize("name", BOARDS)
def test_settled_searches_spare_the_clock(name: str) -> None:
    spared = seconds_of(create(name), positions(name), Limit(TIME_MS, clocks=CLOCKS))
    whole = seconds_of(create(name), positions(name), Limit(TIME_MS))
    shares = sorted(short / full for short, full in zip(spared, whole, strict=True) if full > 0.9 * TIME_MS / 1000)
    # Only some searches settle before their time ends, on a busy machine fewer.
    assert shares[1] < 0.85


def test_an_unsettled_search_takes_more_time_than_a_move_has() -> None:
    taken = seconds_of(create("pvs"), positions("pvs"), Limit(TIME_MS, longest=LONGEST_MS))
    assert max(taken) > 1.3 * TIME_MS / 1000
