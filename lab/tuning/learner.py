"""Learns weights by self-play in batches. All games of a batch use the weights from its start, so that neither the
number of workers nor an interruption changes the result."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.weights.model import DIGITS, Model, Values, model
from cornered.engine import CHANCE
from cornered.engine.progress import Progress, Report, no_report
from cornered.engine.records.files import replacing
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.execution.workforce import Workforce, in_order
from cornered.lab.tuning.td import FeatureRow, calibrated, error, lesson, sizes_of

__all__ = ["BatchPoint", "LearningGame", "LearningPlan", "Learnt", "learn", "self_play"]


@dataclass(frozen=True, slots=True)
class LearningPlan:
    """Hyperparameters. `rate` is the learning rate of the first game and decays as 1 / (1 + games / `half`); `trace` is
    lambda; `epsilon` is the probability of a random move."""

    games: int
    batch: int = 20
    depth: int = 1
    rate: float = 0.1
    half: int = 500
    trace: float = 0.7
    epsilon: float = 0.1
    tuned: tuple[str, ...] = ()
    """Names of the weights to learn; empty for all that are linear."""

    def __post_init__(self) -> None:
        if min(self.games, self.batch, self.depth, self.half) < 1:
            raise ValueError("games, batch, depth and half are 1 or more")
        if not (0 <= self.trace <= 1 and 0 <= self.epsilon <= 1):
            raise ValueError("lambda and epsilon are from 0 to 1")
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise ValueError("the rate is above 0")


@dataclass(frozen=True, slots=True)
class LearningGame:
    """A game as training data: by seat, the features of its positions and its outcome."""

    rows: tuple[tuple[FeatureRow, ...], tuple[FeatureRow, ...]]
    scores: tuple[float, float]


@dataclass(frozen=True, slots=True)
class BatchPoint:
    """A point of the learning curve. `error` is the root mean squared error of the predictions in the batch, before it
    was learnt from."""

    games: int
    error: float
    weights: Values


@dataclass(slots=True)
class Learnt:
    """State of the learning. `theta` are the weights of the features divided by their `sizes`, then a bias, which
    absorbs the advantage of the move and is not part of the evaluation."""

    games: int
    sizes: list[float]
    theta: list[float]
    norm: float
    curve: list[BatchPoint]

    @classmethod
    def load(cls, path: Path, made_of: dict[str, Any]) -> Self | None:
        """Return the state in a checkpoint, None without a file. Raises ValueError for another run's."""
        if not path.exists():
            return None
        try:
            held = json.loads(path.read_text(encoding="utf-8"))
            if held["made_of"] == json.loads(json.dumps(made_of)):
                curve = [BatchPoint(point["games"], point["error"], tuple(point["weights"])) for point in held["curve"]]
                return cls(held["games"], held["sizes"], held["theta"], held["norm"], curve)
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"{path} cannot be read; remove it to begin again") from None
        raise ValueError(f"{path} was left by another command; repeat that one, or remove the file to begin again")

    def save(self, path: Path, made_of: dict[str, Any]) -> None:
        with replacing(path) as part:
            part.write_text(json.dumps({"made_of": made_of, **asdict(self)}), encoding="utf-8")

    def values(self, known: Model) -> Values:
        """Return the weights, rounded and scaled to the magnitude of the printed ones: only their ratios affect
        play."""
        theta, linear = self.theta[:-1], known.linear
        length = sum(map(abs, theta))
        factor = self.norm / length if length > 0 else 0.0
        learnt = [round(factor * weight / size, DIGITS) for weight, size in zip(theta, self.sizes, strict=True)]
        return (*learnt, *known.printed[linear:])


def self_play(terms: ContestTerms, plan: LearningPlan, work: tuple[int, Values]) -> LearningGame:
    """Play one game of self-play; `work` is its number and the weights. With an odd depth a seat's positions are those
    after its own moves, as at the leaves of its search; otherwise those before."""
    number, values = work
    known = model(terms.game)
    chance = terms.chance("td", number)
    bots = [create(known.word(values, plan.depth), chance.getrandbits(63)) for _ in range(2)]
    state = position_after(terms, random_plies(terms)(number))
    rows: tuple[list[FeatureRow], list[FeatureRow]] = [], []
    plies = 0
    while state.outcome is None and plies < terms.longest:
        plies += 1
        seat = state.to_move
        if seat == CHANCE:
            state = state.play(chance.choice(state.moves()))
            continue
        if plan.depth % 2 == 0:
            rows[seat].append(known.features(state, seat, values))
        explores = chance.random() < plan.epsilon
        state = state.play(chance.choice(state.moves()) if explores else bots[seat].choose(state, Limit()).move)
        if plan.depth % 2 == 1 and state.outcome is None and state.to_move != CHANCE:
            rows[seat].append(known.features(state, seat, values))
    winner = None if state.outcome is None else state.outcome.winner
    first = 0.5 if winner is None else 1.0 - winner
    return LearningGame((tuple(rows[0]), tuple(rows[1])), (first, 1.0 - first))


def learn(
    terms: ContestTerms,
    plan: LearningPlan,
    workforce: Workforce,
    checkpoint: Path | None = None,
    report: Report = no_report,
) -> Learnt:
    """Learn, beginning with the printed weights or a checkpoint; `report` receives each batch."""
    known = model(terms.game)
    made_of = {"terms": terms.as_json(), "plan": asdict(plan)}
    kept = Learnt.load(checkpoint, made_of) if checkpoint is not None else None
    while kept is None or kept.games < plan.games:
        begun = 0 if kept is None else kept.games
        numbers = range(begun, min(begun + plan.batch, plan.games))
        values = known.printed if kept is None else kept.values(known)
        work = [(number, values) for number in numbers]
        games = list(in_order(workforce.carry_out(partial(self_play, terms, plan), work)))
        kept = kept or printed_weights(known, games)
        point = learn_batch(kept, games, known, plan)
        if checkpoint is not None:
            kept.save(checkpoint, made_of)
        report(Progress("self-play", kept.games, plan.games, f"error {point.error:.3f}"))
    return kept


def _seen(games: Sequence[LearningGame]) -> list[tuple[Sequence[FeatureRow], float]]:
    return [(rows, score) for game in games for rows, score in zip(game.rows, game.scores, strict=True)]


def printed_weights(known: Model, games: Sequence[LearningGame]) -> Learnt:
    """Return the printed weights, scaled by the features' sizes and calibrated on the outcomes of the first games."""
    seen = _seen(games)
    sizes = sizes_of(seen, known.linear)
    scaled = [weight * size for weight, size in zip(known.printed, sizes, strict=False)]
    norm = sum(map(abs, scaled))
    divided = [([tuple(f / s for f, s in zip(row, sizes, strict=True)) for row in rows], score) for rows, score in seen]
    factor = calibrated([weight / norm for weight in scaled], divided)
    return Learnt(0, sizes, [factor * weight / norm for weight in scaled] + [0.0], norm, [])


def learn_batch(kept: Learnt, games: Sequence[LearningGame], known: Model, plan: LearningPlan) -> BatchPoint:
    """Update the state by a batch's games in order, and return the new point of the curve."""
    places = (*known.places(plan.tuned), known.linear)
    before, missed, count = list(kept.theta), 0.0, 0
    for game in games:
        rate = plan.rate / (1 + kept.games / plan.half)
        changes = [0.0] * len(kept.theta)
        for rows, score in zip(game.rows, game.scores, strict=True):
            scaled = [(*(f / s for f, s in zip(row, kept.sizes, strict=True)), 1.0) for row in rows]
            missed += error(before, scaled, score)
            count += len(scaled)
            changes = [a + b for a, b in zip(changes, lesson(kept.theta, scaled, score, plan.trace), strict=True)]
        for place in places:
            kept.theta[place] += rate * changes[place]
        kept.games += 1
    point = BatchPoint(kept.games, math.sqrt(missed / max(1, count)), kept.values(known))
    kept.curve.append(point)
    return point
