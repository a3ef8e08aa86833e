"""Trains networks: plays the teachers' games, learns from them, and evaluates; an interrupted run resumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

from cornered.bots.neural.network import Network, NetworkKind
from cornered.bots.neural.weights import Trained
from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.execution.workforce import Workforce
from cornered.lab.training.checkpoint import TEACHER_NETWORK, Run
from cornered.lab.training.evaluation import TrialResult, evaluated
from cornered.lab.training.games import HYBRID, Lessons, play, read_mix, seated
from cornered.lab.training.learning import EpochPoint, measure
from cornered.lab.training.plan import TrainingPlan

__all__ = ["TrainingOutcome", "train"]

HELD_OUT_EVERY: Final = 10
"""Every n-th game is held out for measurement."""
CHECKPOINT_INTERVAL_S: Final = 10.0
"""Seconds between checkpoints while games are played; another follows every epoch."""


@dataclass(frozen=True, slots=True)
class TrainingOutcome:
    """Result of a run: the networks as stored, their learning curves, and their evaluation."""

    networks: Mapping[NetworkKind, Trained]
    curves: Mapping[NetworkKind, list[EpochPoint]]
    results: Mapping[NetworkKind, Mapping[str, TrialResult]]


def train(
    plan: TrainingPlan,
    workforce: Workforce,
    checkpoint: Path | None = None,
    report: Report = no_report,
    *,
    referees: Workforce | None = None,
) -> TrainingOutcome:
    """Carry out a plan, from its checkpoint if there is one. `workforce` plays the teachers' games; `referees`, by
    default the same, plays the evaluation and has to share this machine's files."""
    run = Run.resume(plan, checkpoint)
    mix = read_mix(plan.mix)
    hybrids = [n for n in range(plan.games) if HYBRID in seated(plan.radius, plan.seed, mix, n)]
    others = [n for n in range(plan.games) if n not in set(hybrids)]
    _play(run, others, None, workforce, checkpoint, report)
    if hybrids:
        first = _lessons(run, others)
        _learn(run, TEACHER_NETWORK, first, _lessons(run, []), checkpoint, report)
        _play(run, hybrids, run.learners[TEACHER_NETWORK].network.rounded(), workforce, checkpoint, report)
    learnt, held_out = (
        _lessons(run, [n for n in range(plan.games) if (n % HELD_OUT_EVERY == HELD_OUT_EVERY - 1) == is_held_out])
        for is_held_out in (False, True)
    )
    trained: dict[NetworkKind, Trained] = {}
    for kind in plan.kinds:
        _learn(run, kind, learnt, held_out, checkpoint, report)
        network = run.learners[kind].network.rounded()
        trained[kind] = Trained(network, provenance_of(plan, network, learnt, held_out))
    results = evaluated(trained, plan.radius, plan.seed, referees or workforce, report)
    return TrainingOutcome(
        {
            kind: Trained(
                one.network,
                {**one.provenance, "results": {name: found.as_json() for name, found in results[kind].items()}},
            )
            for kind, one in trained.items()
        },
        {kind: run.learners[kind].curve for kind in plan.kinds},
        results,
    )


def _lessons(run: Run, numbers: list[int]) -> Lessons:
    return Lessons.together([run.games[number] for number in numbers], run.plan.radius)


def _play(
    run: Run,
    numbers: list[int],
    network: Network | None,
    workforce: Workforce,
    checkpoint: Path | None,
    report: Report,
) -> None:
    """Play the missing ones of these games."""
    missing = [number for number in numbers if number not in run.games]
    if not missing:
        return
    played = partial(play, run.plan.radius, run.plan.seed, read_mix(run.plan.mix), network)
    saved = monotonic()
    try:
        for place, lessons in workforce.carry_out(played, missing):
            run.games[missing[place]] = lessons
            report(Progress("games", len(run.games), run.plan.games))
            if monotonic() - saved >= CHECKPOINT_INTERVAL_S:
                run.save(checkpoint)
                saved = monotonic()
    finally:
        run.save(checkpoint)


def _learn(run: Run, name: str, lessons: Lessons, held_out: Lessons, checkpoint: Path | None, report: Report) -> None:
    """Train for the missing epochs."""
    learner = run.learners[name]
    while len(learner.curve) < run.plan.epochs:
        point = learner.learn(lessons, held_out, run.plan.epochs, run.plan.seed)
        step = "the hybrid's network" if name == TEACHER_NETWORK else f"{name} network"
        report(Progress(step, len(learner.curve), run.plan.epochs, f"loss {point.learnt_policy:.3f}"))
        run.save(checkpoint)


def provenance_of(plan: TrainingPlan, network: Network, learnt: Lessons, held_out: Lessons) -> dict[str, Any]:
    """Return the network's provenance: its plan, and its losses and accuracy on held-out positions."""
    loss, accuracy = measure(network, held_out)
    found: dict[str, Any] = {
        "command": plan.command,
        "kind": network.kind,
        "radius": plan.radius,
        "games": plan.games,
        "epochs": plan.epochs,
        "seed": plan.seed,
        "mix": plan.mix,
        "positions": len(learnt),
        "held_out": len(held_out),
        "parameters": sum(part.size for part in network.parameters),
        "accuracy": round(accuracy, 4),
        "policy_loss": round(loss.policy, 4),
    }
    if loss.value is not None:
        found["value_error"] = round(loss.value, 4)
        # Baseline: the squared error of a constant prediction, which is the variance of the outcomes.
        found["value_error_of_the_mean"] = round(float(held_out.outcomes.var()) if len(held_out) else 0.0, 4)
    return found
