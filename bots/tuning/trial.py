"""Paired games between two sets of values, which is what all searches for weights go by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Final, Protocol

import engine
from bots.lab.contest import Keep, stream
from bots.lab.match import Tally, paired
from bots.lab.openings import Openings, plies_for, random_plies
from bots.lab.terms import Played, Terms
from bots.lab.workforce import Workforce
from bots.weights.model import Model, Values

__all__ = ["PER_TASK", "Trial", "Trials", "score", "tallied", "varied"]

PER_TASK: Final = 2
OPENINGS: Final = 5000
"""So many openings there are at least where a board has them: two bots that always play the same must not meet in the
same game again and again, or a test would count it as many."""
LONGEST: Final = 12


class Trial(Protocol):
    """Lets two sets of values, None for the printed ones, play so many pairs of games; returns what the first did."""

    def __call__(self, first: Values | None, second: Values | None, pairs: int) -> Tally: ...


class Trials:
    """Plays trials one after the other, each with new openings; games that are kept already are not played again."""

    def __init__(
        self,
        known: Model,
        terms: Terms,
        depth: int,
        workforce: Workforce,
        keep: Keep,
        report: Callable[[Played], None] = lambda played: None,
    ) -> None:
        self._known = known
        self._terms = terms
        self._depth = depth
        self._workforce = workforce
        self._keep = keep
        self._report = report
        self._begun = 0

    def __call__(self, first: Values | None, second: Values | None, pairs: int) -> Tally:
        begun, openings = self._begun, varied(self._terms)
        self._begun += pairs
        words = self._known.word(first, self._depth), self._known.word(second, self._depth)
        fixtures = paired(*words, lambda pair: openings(begun + pair), pairs, number=2 * begun)
        games = []
        games_in_order = stream(self._terms, fixtures, self._workforce, self._keep, batch=PER_TASK)
        # Whoever is interrupted cancels at once what has not begun.
        with closing(games_in_order) as playing:  # type: ignore[type-var]  # it is a generator
            for played in playing:
                self._report(played)
                games.append(played)
        return tallied(games)


def varied(terms: Terms) -> Openings:
    """Return openings of as many random plies as it takes to have enough of them."""
    start = terms.load().start()
    plies = next((plies for plies in range(1, LONGEST) if engine.perft(start, plies) >= OPENINGS), None)
    return random_plies(terms, plies_for(terms.load()) if plies is None else plies)


def tallied(games: Iterable[Played]) -> Tally:
    """Return what the first of two players did in pairs of games, in which it has seat 0 and then seat 1."""
    scores = [played.score(index % 2) for index, played in enumerate(games)]
    tally = Tally()
    for first, second in zip(scores[::2], scores[1::2], strict=True):
        tally = tally.after(first, second)
    return tally


def score(tally: Tally) -> float:
    """Return the first player's part of all points, one half where nothing was played."""
    return (tally.wins + tally.draws / 2) / tally.games if tally.games else 0.5
