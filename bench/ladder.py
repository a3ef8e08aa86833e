"""`cornered bench ladder`: the strength of each level against the one below."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from cornered.bench.duels import MAX_PLIES, Duel
from cornered.lab.contests.openings import plies_for
from cornered.lab.contests.terms import ContestTerms

__all__ = ["steps"]

MOVE_TIME_MS: Final = 100
"""Milliseconds per move; only the highest levels use them up."""
MIN_OPENINGS: Final = 10
"""Least number of distinct openings. Levels err at random, so games from one opening differ; and the six random plies
of TrapGrid that have a hundred distinct lines leave little to decide."""


def steps(game: str, bots: Sequence[str], *, seed: int = 1) -> list[Duel]:
    """Return the duel of each of `bots` with the one before it, on the default board. Raises a ValueError for less
    than two bots."""
    if len(bots) < 2:
        raise ValueError("a ladder has two bots or more")
    terms = ContestTerms.of(game, time=MOVE_TIME_MS, longest=MAX_PLIES, seed=seed)
    plies = plies_for(terms.load(), MIN_OPENINGS)
    return [Duel(higher, lower, terms, plies) for lower, higher in itertools.pairwise(bots)]
