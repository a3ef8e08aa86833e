"""Simultaneous perturbation stochastic approximation: all parameters are perturbed at once in a random direction and
its opposite, and a match between the two sides estimates the gradient (Spall, "An Overview of the Simultaneous
Perturbation Method for Efficient Optimization", 1998). Chess engines are tuned by the same method."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from cornered.bots.weights.model import Values
from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.tuning.space import SearchSpace, TuningResult
from cornered.lab.tuning.trial import TuningTrial

__all__ = ["ALPHA", "GAMMA", "SpsaPlan", "gains", "search"]

ALPHA: Final = 0.602
GAMMA: Final = 0.101
"""Exponents recommended by Spall, section "Implementation of SPSA"."""


@dataclass(frozen=True, slots=True)
class SpsaPlan:
    """Hyperparameters. `spread` is the initial perturbation of each side, `step` the initial step for a match won in
    every game; both relative to the ranges."""

    iterations: int
    pairs: int = 8
    spread: float = 0.15
    step: float = 0.3

    def __post_init__(self) -> None:
        if min(self.iterations, self.pairs) < 1:
            raise ValueError("iterations and pairs are 1 or more")
        if not (0 < self.spread <= 1 and self.step > 0 and math.isfinite(self.step)):
            raise ValueError("the spread is above 0 and at most 1, the step above 0")


def gains(plan: SpsaPlan, iteration: int) -> tuple[float, float]:
    """Return Spall's a_k and c_k for the iteration k from 0: a / (A + k + 1)^alpha with A a tenth of all iterations,
    and c / (k + 1)^gamma."""
    stability = plan.iterations / 10
    a = 2 * plan.spread * plan.step * (stability + 1) ** ALPHA
    return a / (stability + iteration + 1) ** ALPHA, plan.spread / (iteration + 1) ** GAMMA


def search(
    space: SearchSpace,
    plan: SpsaPlan,
    trial: TuningTrial,
    chance: Random,
    report: Report = no_report,
) -> TuningResult:
    """Return the mean of the second half of the iterates from the start on, whose variance is below that of
    the last one (Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992)."""
    middle = list(space.point(space.start))
    passed: list[list[float]] = []
    curve: list[dict[str, Any]] = []
    for iteration in range(plan.iterations):
        a, c = gains(plan, iteration)
        signs = [chance.choice((-1, 1)) for _ in middle]
        up: Values = space.values([at + c * sign for at, sign in zip(middle, signs, strict=True)])
        down: Values = space.values([at - c * sign for at, sign in zip(middle, signs, strict=True)])
        scored = trial(up, down, plan.pairs).share
        # Difference of the two sides' shares, from -1 to 1, over their distance; 1 / sign is sign.
        slope = (2 * scored - 1) / (2 * c)
        middle = [max(0.0, min(1.0, at + a * slope * sign)) for at, sign in zip(middle, signs, strict=True)]
        passed.append(middle)
        curve.append({"games": 2 * plan.pairs * (iteration + 1), "score": scored, "weights": space.values(middle)})
        note = " ".join(f"{value:g}" for value in space.values(middle)[:7])
        report(Progress("iterations", iteration + 1, plan.iterations, note))
    second_half = passed[len(passed) // 2 :]
    mean = [sum(column) / len(second_half) for column in zip(*second_half, strict=True)]
    end = dict(space.named(space.values(middle)))
    return TuningResult(space.values(mean), {"iterations": plan.iterations, "end": end}, curve)
