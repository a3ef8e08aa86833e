"""Matches of paired games between two sets of values, the objective of all searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from cornered.bots.weights.model import Values
from cornered.lab.contests import match
from cornered.lab.contests.contest import GameStore
from cornered.lab.contests.match import MatchTally, PairedMatch
from cornered.lab.contests.openings import Openings, plies_for, random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.execution.workforce import Workforce

__all__ = ["Trials", "TuningTrial", "varied"]

MIN_OPENINGS: Final = 5000
"""Least number of distinct openings, where the board has as many: a repeated game of two deterministic bots would be
counted by a test as an independent one."""


class TuningTrial(Protocol):
    """Plays `pairs` pairs of games between two sets of values, None for those of the start; returns the first one's
    results."""

    def __call__(self, first: Values | None, second: Values | None, pairs: int) -> MatchTally: ...


class Trials:
    """Plays trials in sequence, each with new openings; stored games are not played again. `word` is the bot that plays
    by some values, None for those of the start."""

    def __init__(
        self,
        word: Callable[[Values | None], str],
        terms: ContestTerms,
        workforce: Workforce,
        keep: GameStore,
    ) -> None:
        self._word = word
        self._terms = terms
        self._workforce = workforce
        self._keep = keep
        self._begun = 0
        """Pairs of earlier trials, by which openings and games are numbered on."""

    def __call__(self, first: Values | None, second: Values | None, pairs: int) -> MatchTally:
        begun, openings = self._begun, varied(self._terms)
        self._begun += pairs
        trial = PairedMatch(
            self._word(first),
            self._word(second),
            self._terms,
            lambda pair: openings(begun + pair),
            pairs,
            number=2 * begun,
        )
        return match.run(trial, self._workforce, self._keep)


def varied(terms: ContestTerms) -> Openings:
    """Return openings of as many random plies as give `MIN_OPENINGS` distinct ones."""
    return random_plies(terms, plies_for(terms.load(), MIN_OPENINGS))
