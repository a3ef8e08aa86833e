"""Fits win probabilities to the bots' own games: a logistic curve over the scores of the analysing bot.

    p(win) = 1 / (1 + exp(-score / scale))

The curve has no intercept, so that the probabilities of two players add up to one. Positions with a proven value are
left out: they need no estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Final

from cornered.bots.bot import Limit
from cornered.bots.evaluate.chance import win_probability
from cornered.bots.roster import create
from cornered.engine import Game, State

__all__ = ["Calibration", "Sample", "fitted", "judged", "self_play"]

LEVELS: Final = (5, 6, 7, 8, 9)
"""Levels of the players; both sides of a game have the same."""
OPENING_PLIES: Final = 4
"""Random plies at the beginning, or equal bots would repeat their games."""
PLIES_MAX: Final = 400
"""Where a game that does not end is cut off."""
BINS: Final = 5
ITERATIONS: Final = 200


@dataclass(frozen=True, slots=True)
class Sample:
    """A position of a numbered game: the search's score for its mover, and the mover's result, 1, 0.5 or 0."""

    game: int
    score: float
    outcome: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """How well a curve predicts samples that it was not fitted to.

    `bins` has mean prediction, mean outcome and number of positions, by rising prediction; `error` is the mean distance
    of the first two, weighted by the third. `guessing` is the Brier score of one half for all.
    """

    games: int
    positions: int
    brier: float
    guessing: float
    error: float
    bins: tuple[tuple[float, float, int], ...]


def self_play(
    game: Game, games: int, seed: int, nodes: int, report: Callable[[int], None] = lambda _: None
) -> Iterator[Sample]:
    """Yield the scored positions of games between equal bots. Equal arguments give equal samples."""
    judge = create("champion", seed)
    for number in range(games):
        chance = Random(f"{seed} {number}")
        player = create(f"level:level={chance.choice(LEVELS)}", chance.randrange(2**32))
        scored: list[tuple[int, float]] = []
        state = game.start()
        for ply in range(PLIES_MAX):
            if state.outcome is not None:
                break
            if ply < OPENING_PLIES:
                state = state.play(chance.choice(state.moves()))
                continue
            thought = judge.choose(state, Limit(nodes=nodes, lines=2))
            if thought.proven is None and thought.score is not None:
                scored.append((state.to_move, thought.score))
            state = state.play(player.choose(state, Limit()).move)
        for seat, score in scored:
            yield Sample(number, score, _result(state, seat))
        report(number + 1)


def _result(state: State, seat: int) -> float:
    """Return a seat's share of the point at the end; a game that was cut off is a draw."""
    winner = None if state.outcome is None else state.outcome.winner
    return 0.5 if winner is None else float(winner == seat)


def fitted(samples: Sequence[Sample]) -> float:
    """Return the scale with the greatest likelihood. Raises ValueError where the samples have none."""
    if not any(sample.score for sample in samples):
        raise ValueError("there are no scores to fit a curve to")
    low, high = math.log(1e-3), math.log(1e4)
    # The log likelihood is concave in the slope, so it has one maximum over the logarithm of the scale.
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(ITERATIONS):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if _loss(samples, math.exp(left)) < _loss(samples, math.exp(right)):
            high = right
        else:
            low = left
        if high - low < 1e-6:
            break
    return math.exp((low + high) / 2)


def _loss(samples: Sequence[Sample], scale: float) -> float:
    """Return the mean logarithmic loss, without overflow: log(1 + exp(x)) - y * x."""
    loss = 0.0
    for sample in samples:
        x = sample.score / scale
        loss += max(x, 0.0) + math.log1p(math.exp(-abs(x))) - sample.outcome * x
    return loss / len(samples)


def judged(samples: Sequence[Sample], scale: float) -> Calibration:
    """Return the calibration of a curve on these samples, in bins of equal numbers of positions."""
    told = sorted((win_probability(sample.score, scale), sample.outcome) for sample in samples)
    count = len(told)
    cuts = [count * number // BINS for number in range(BINS + 1)]
    bins = [told[low:high] for low, high in pairwise(cuts) if low < high]
    rows = tuple(
        (sum(chance for chance, _ in each) / len(each), sum(result for _, result in each) / len(each), len(each))
        for each in bins
    )
    return Calibration(
        games=len({sample.game for sample in samples}),
        positions=count,
        brier=sum((chance - result) ** 2 for chance, result in told) / count,
        guessing=sum((0.5 - result) ** 2 for _, result in told) / count,
        error=sum(abs(chance - result) * number for chance, result, number in rows) / count,
        bins=rows,
    )
