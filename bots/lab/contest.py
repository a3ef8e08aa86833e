"""A contest from its first game to its last: rounds of fixtures, each game once, going on after a kill."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Protocol

from bots.lab.arena import lost
from bots.lab.online import player_of
from bots.lab.terms import Fixture, Played, Terms
from bots.lab.workforce import Workforce

__all__ = ["Keep", "Memory", "Report", "Schedule", "hold", "stream"]

Report = Callable[[Played, int, int | None], None]
"""Hears of each game that is over, how many are, and how many there will be, as far as that is known."""


class Schedule(Protocol):
    """Who plays whom, in rounds. A pure function of the results, so that a contest that goes on repeats itself."""

    def games(self) -> int | None:
        """Return how many games there will be, None where the results decide."""

    def fixtures(self, round_: int, played: Sequence[Played]) -> Sequence[Fixture]:
        """Return a round's fixtures, given all games of the rounds before it in the order of their numbers; no more
        fixtures end the contest."""


class Keep(Protocol):
    """Where games are kept: a `Journal`, or `Memory`."""

    games: dict[int, Played]
    """All games that have been played, by their numbers."""

    def append(self, played: Played) -> None:
        """Keep a game."""


class Memory:
    """Keeps games for as long as the process lives."""

    def __init__(self) -> None:
        self.games: dict[int, Played] = {}

    def append(self, played: Played) -> None:
        self.games[played.fixture.number] = played


def stream(
    terms: Terms, fixtures: Iterable[Fixture], workforce: Workforce, keep: Keep, *, batch: int | None = None
) -> Iterator[Played]:
    """Yield every fixture's game in the order of the fixtures; those that are kept already are not played again.

    A game is kept as soon as it is over, in whatever order. Whoever stops iterating plays no more.
    """
    known: deque[Fixture] = deque()

    def missing() -> Iterator[Fixture]:
        for fixture in fixtures:
            known.append(fixture)
            if fixture.number not in keep.games:
                yield fixture

    playing = workforce.carry_out(partial(player_of(terms), terms), missing(), batch=batch, lost=partial(lost, terms))
    for _, played in playing:
        keep.append(played)
        while known and known[0].number in keep.games:
            yield keep.games[known.popleft().number]
    while known:
        yield keep.games[known.popleft().number]


def hold(
    terms: Terms,
    schedule: Schedule,
    workforce: Workforce,
    keep: Keep,
    report: Report = lambda played, done, total: None,
    *,
    batch: int | None = None,
) -> list[Played]:
    """Play a contest round by round and return all its games in the order of their numbers."""

    def round_of(fixtures: Sequence[Fixture]) -> Generator[Played, None, None]:
        yield from stream(terms, fixtures, workforce, keep, batch=batch)

    games: list[Played] = []
    for round_ in itertools.count():
        fixtures = schedule.fixtures(round_, games)
        if not fixtures:
            return games
        # Whatever goes wrong here, the work ends before the workers do.
        with closing(round_of(fixtures)) as playing:
            for played in playing:
                games.append(played)
                report(played, len(games), schedule.games())
    raise AssertionError("rounds never end by themselves")
