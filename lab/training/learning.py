"""Trains a network: mini-batches under random symmetries, with an own implementation of Adam (Kingma and Ba 2015). Each
epoch seeds its generator from the seed and its number, so that a resumed run ends with the same weights as an
uninterrupted one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from cornered.bots.neural.network import Loss, Network, Parameters, masked, policy_loss
from cornered.bots.neural.views import images
from cornered.lab.training.games import Lessons

__all__ = ["EpochPoint", "Learner", "measure"]

BATCH_POSITIONS: Final = 256
INITIAL_RATE: Final = 1e-3
"""Adam's initial step size; it decays to 0 by a cosine schedule."""
DECAY: Final = 0.9, 0.999
EPSILON: Final = 1e-8
MEASURE_BATCH: Final = 512
"""Positions of one batch of measurement."""


class EpochPoint(NamedTuple):
    """One epoch of a learning curve: the mean training losses, and the losses and accuracy on held-out positions.
    Values are None for a network with a policy head only."""

    learnt_policy: float
    learnt_value: float | None
    policy: float
    value: float | None
    accuracy: float


def measure(network: Network, lessons: Lessons) -> tuple[Loss, float]:
    """Return the mean losses and the policy's accuracy on legal cells; 0 without positions."""
    policy = value = hits = 0.0
    judges_values = False
    for start in range(0, len(lessons), MEASURE_BATCH):
        part = slice(start, start + MEASURE_BATCH)
        views, chosen = lessons.views.rows(part), lessons.chosen[part]
        judged = network.judge(views)
        policy += len(chosen) * policy_loss(judged.scores, views.legal, chosen)[0]
        hits += float((masked(judged.scores, views.legal).argmax(axis=1) == chosen).sum())
        if judged.values is not None:
            judges_values = True
            value += float(((judged.values - lessons.outcomes[part]) ** 2).sum())
    count = max(1, len(lessons))
    return Loss(policy / count, value / count if judges_values else None), hits / count


@dataclass(slots=True)
class Learner:
    """A network in training: Adam's moments, and its learning curve."""

    network: Network
    means: Parameters
    squares: Parameters
    steps: int = 0
    curve: list[EpochPoint] = field(default_factory=list)
    """One point per epoch."""

    @classmethod
    def start(cls, network: Network) -> Learner:
        means, squares = ([np.zeros_like(part) for part in network.parameters] for _ in range(2))
        return cls(network, means, squares)

    def learn(self, lessons: Lessons, held_out: Lessons, epochs: int, seed: int) -> EpochPoint:
        """Train for one epoch of `epochs`, each position under a random symmetry."""
        chance = np.random.default_rng([seed, 1, len(self.curve)])
        rows = chance.permutation(len(lessons))
        sources = images(self.network.radius)
        targets = np.argsort(sources, axis=1)
        symmetry = chance.integers(len(sources), size=len(rows))
        batches = -(-len(rows) // BATCH_POSITIONS)
        policy, value = 0.0, None
        for start in range(0, len(rows), BATCH_POSITIONS):
            batch, s = rows[start : start + BATCH_POSITIONS], symmetry[start : start + BATCH_POSITIONS]
            loss, gradient = self.network.gradients(
                lessons.views.rows(batch).moved(sources[s]), targets[s, lessons.chosen[batch]], lessons.outcomes[batch]
            )
            share = self.steps / (epochs * batches)
            self._step(gradient, INITIAL_RATE * 0.5 * (1 + float(np.cos(np.pi * share))))
            policy += loss.policy * len(batch) / len(rows)
            value = None if loss.value is None else (value or 0.0) + loss.value * len(batch) / len(rows)
        measured, accuracy = measure(self.network, held_out)
        self.curve.append(EpochPoint(policy, value, measured.policy, measured.value, accuracy))
        return self.curve[-1]

    def _step(self, gradient: Parameters, rate: float) -> None:
        """Apply one update (Adam: Kingma and Ba 2015, algorithm 1)."""
        self.steps += 1
        first, second = DECAY
        correction = rate * np.sqrt(1 - second**self.steps) / (1 - first**self.steps)
        for parameter, m, v, g in zip(self.network.parameters, self.means, self.squares, gradient, strict=True):
            m *= np.float32(first)
            m += np.float32(1 - first) * g
            v *= np.float32(second)
            v += np.float32(1 - second) * g * g
            parameter -= np.float32(correction) * m / (np.sqrt(v) + np.float32(EPSILON))
