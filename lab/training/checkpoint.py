"""Checkpoint of a training run in one file, from which an interrupted run resumes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from cornered.bots.neural.dense import Dense
from cornered.bots.neural.network import Network
from cornered.bots.neural.views import Views
from cornered.bots.neural.weights import NETWORKS
from cornered.engine.records.files import replacing
from cornered.lab.training.games import Lessons
from cornered.lab.training.learning import EpochPoint, Learner
from cornered.lab.training.plan import TrainingPlan

__all__ = ["TEACHER_NETWORK", "Run"]

TEACHER_NETWORK: Final = "first"
"""Name of the network that the hybrid teacher follows; the other networks have the names of their kinds."""
ARRAY_NAMES: Final = ("parameters", "means", "squares")


@dataclass(slots=True)
class Run:
    """State of a training run: its played games by number, and the learner of each network."""

    plan: TrainingPlan
    games: dict[int, Lessons] = field(default_factory=dict)
    learners: dict[str, Learner] = field(default_factory=dict)

    @classmethod
    def start(cls, plan: TrainingPlan) -> Run:
        """Return the initial state, with random networks."""
        run = cls(plan)
        networks: dict[str, type[Network]] = {TEACHER_NETWORK: Dense, **{kind: NETWORKS[kind] for kind in plan.kinds}}
        for place, name in enumerate((TEACHER_NETWORK, *NETWORKS)):
            if name in networks:
                chance = np.random.default_rng([plan.seed, 0, place])
                run.learners[name] = Learner.start(networks[name].new(plan.radius, chance))
        return run

    def save(self, path: Path | None) -> None:
        """Write the state atomically; without a path, do nothing."""
        if path is None:
            return
        numbers = sorted(self.games)
        lessons = Lessons.together([self.games[number] for number in numbers], self.plan.radius)
        arrays: dict[str, Any] = {
            "plan": np.array(json.dumps(self.plan.as_json())),
            "numbers": np.array(numbers, np.int64),
            "lengths": np.array([len(self.games[number]) for number in numbers], np.int64),
            "chosen": lessons.chosen,
            "outcomes": lessons.outcomes,
            **{name: getattr(lessons.views, name) for name in Views.__slots__},
        }
        for name, learner in self.learners.items():
            arrays[f"{name}-steps"] = np.array(learner.steps)
            arrays[f"{name}-curve"] = np.array(json.dumps(learner.curve))
            for kind, parts in zip(
                ARRAY_NAMES, (learner.network.parameters, learner.means, learner.squares), strict=True
            ):
                arrays |= {f"{name}-{kind}{i}": part for i, part in enumerate(parts)}
        with replacing(path) as part, part.open("wb") as file:
            np.savez(file, **arrays)

    @classmethod
    def resume(cls, plan: TrainingPlan, path: Path | None) -> Run:
        """Return the state in a checkpoint, or the initial one without a file. Raises ValueError for another plan's
        checkpoint."""
        run = cls.start(plan)
        if path is None or not path.exists():
            return run
        with np.load(path, allow_pickle=False) as arrays:
            found = json.loads(str(arrays["plan"]))
            if found != plan.as_json():
                other = TrainingPlan(**{**found, "kinds": tuple(found["kinds"])})
                raise ValueError(
                    f"{path} is the checkpoint of another run, {other.command!r}; "
                    "finish that one, remove the file, or name another with --checkpoint"
                )
            ends = np.cumsum(arrays["lengths"])[:-1]
            names = (*Views.__slots__, "chosen", "outcomes")
            columns = [np.split(arrays[name], ends) for name in names]
            run.games = {
                number: Lessons(Views(stones, legal, replies), chosen, outcomes)
                for number, stones, legal, replies, chosen, outcomes in zip(
                    arrays["numbers"].tolist(), *columns, strict=False
                )
            }
            for name, learner in run.learners.items():
                learner.steps = int(arrays[f"{name}-steps"])
                learner.curve = [EpochPoint(*point) for point in json.loads(str(arrays[f"{name}-curve"]))]
                for kind, parts in zip(
                    ARRAY_NAMES, (learner.network.parameters, learner.means, learner.squares), strict=True
                ):
                    parts[:] = [arrays[f"{name}-{kind}{i}"] for i in range(len(parts))]
        return run
