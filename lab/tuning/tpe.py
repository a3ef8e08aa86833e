"""Optuna's search for the best values against the printed ones by the tree-structured Parzen estimator (Bergstra et
al., "Algorithms for Hyper-Parameter Optimization", 2011). An interrupted search is replayed with its stored games:
equal seeds and scores give equal proposals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.tuning.space import Space, TuningResult
from cornered.lab.tuning.trial import TuningTrial

__all__ = ["TpePlan", "search"]


@dataclass(frozen=True, slots=True)
class TpePlan:
    """Number of proposed sets of values, and pairs of games for each."""

    trials: int
    pairs: int = 20

    def __post_init__(self) -> None:
        if min(self.trials, self.pairs) < 1:
            raise ValueError("trials and pairs are 1 or more")


def search(
    space: Space,
    plan: TpePlan,
    trial: TuningTrial,
    seed: int,
    report: Report = no_report,
) -> TuningResult:
    """Return the values with the highest score, the first of equals. Raises ModuleNotFoundError without Optuna."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed % 2**32))
    printed = dict(zip(space.names, space.point(space.model.printed), strict=True))
    study.enqueue_trial(printed)
    curve: list[dict[str, Any]] = []
    best, most = space.model.printed, -1.0
    for number in range(plan.trials):
        asked = study.ask()
        point = [asked.suggest_float(name, 0.0, 1.0) for name in space.names]
        values = space.values(point)
        scored = trial(values, None, plan.pairs).share
        study.tell(asked, scored)
        if scored > most:
            best, most = values, scored
        curve.append({"games": 2 * plan.pairs * (number + 1), "score": scored, "best": most, "weights": values})
        report(Progress("trials", number + 1, plan.trials, f"best {most:.3f}"))
    return TuningResult(best, {"trials": plan.trials, "score": most}, curve)
