"""Paired games between two sets of values, which is what all searches for weights go by."""

from __future__ import annotations

from typing import Final, Protocol

from cornered.bots.weights.model import Model, Values
from cornered.lab.contests import match
from cornered.lab.contests.contest import Keep
from cornered.lab.contests.match import Tally
from cornered.lab.contests.openings import Openings, plies_for, random_plies
from cornered.lab.contests.terms import Terms
from cornered.lab.execution.workforce import Workforce

__all__ = ["Trial", "Trials", "varied"]

OPENINGS: Final = 5000
"""So many openings there are at least where a board has them: two bots that always play the same must not meet in the
same game again and again, or a test would count it as many."""


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
    ) -> None:
        self._known = known
        self._terms = terms
        self._depth = depth
        self._workforce = workforce
        self._keep = keep
        self._begun = 0

    def __call__(self, first: Values | None, second: Values | None, pairs: int) -> Tally:
        begun, openings = self._begun, varied(self._terms)
        self._begun += pairs
        return match.run(
            self._known.word(first, self._depth),
            self._known.word(second, self._depth),
            self._terms,
            lambda pair: openings(begun + pair),
            pairs,
            self._workforce,
            self._keep,
            number=2 * begun,
        )


def varied(terms: Terms) -> Openings:
    """Return openings of as many random plies as it takes to have enough of them."""
    return random_plies(terms, plies_for(terms.load(), OPENINGS))
