"""Trains the network: plays the teachers' games, then learns from them, and can be interrupted and go on later.

Cross-entropy of the softmax over the legal cells, mini-batches, and Adam (Kingma and Ba 2015), written out.
Every game and every epoch draws its chance from the seed and its own number, so a run that was interrupted ends with
the same weights as one that was not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bots.bamboo.cells import cubes, symmetries
from bots.neural.games import Lessons, play
from bots.neural.network import Floats, Layers, forward, masked, new_layers
from bots.neural.trial import trials
from bots.neural.weights import Trained

__all__ = ["GAMES", "Plan", "Progress", "accuracy", "gradients", "train"]

GAMES: Final = {1: 150, 2: 400, 3: 400, 4: 400, 5: 400, 6: 150}
"""How many games are played by default, by radius."""
BATCH: Final = 256
RATE: Final = 1e-3
"""Adam's step at the start; it falls to 0 along a cosine."""
DECAY: Final = 0.9, 0.999
EPSILON: Final = 1e-8
HELD_OUT: Final = 10
"""Every so manieth game is for measuring only."""
SAVED: Final = 10
"""After how many games the checkpoint is written; it is after every epoch."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does. Equal plans make equal weights on one platform."""

    radius: int
    games: int
    epochs: int
    seed: int

    @property
    def command(self) -> str:
        """The command that carries it out."""
        return (
            f"cornered train bamboo --radius {self.radius} --games {self.games} "
            f"--epochs {self.epochs} --seed {self.seed}"
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: `done` of `total` games, epochs or trials; `note` is what there is to say."""

    step: str
    done: int
    total: int
    note: str = ""


Report = Callable[[Progress], None]


@dataclass(slots=True)
class _Run:
    """Everything that a run has come to so far; the checkpoint holds the same."""

    plan: Plan
    games: list[Lessons]
    epoch: int
    layers: Layers
    means: Layers
    squares: Layers
    steps: int

    @classmethod
    def start(cls, plan: Plan) -> _Run:
        layers = new_layers(plan.radius, np.random.default_rng([plan.seed, 0]))
        zeros = [[(np.zeros_like(weights), np.zeros_like(biases)) for weights, biases in layers] for _ in range(2)]
        return cls(plan, [], 0, layers, zeros[0], zeros[1], 0)

    def save(self, path: Path | None) -> None:
        if path is None:
            return
        arrays: dict[str, Any] = {
            "plan": np.array(json.dumps(asdict(self.plan))),
            "counts": np.array([self.epoch, self.steps]),
            "lengths": np.array([len(game) for game in self.games], np.int64),
        }
        lessons = Lessons.together([Lessons.none(self.plan.radius), *self.games])
        arrays |= {name: getattr(lessons, name) for name in Lessons.__slots__}
        for kind in ("layers", "means", "squares"):
            for i, (weights, biases) in enumerate(getattr(self, kind)):
                arrays[f"{kind}{i}w"], arrays[f"{kind}{i}b"] = weights, biases
        beside = path.with_name(path.name + ".part")
        with beside.open("wb") as file:
            np.savez(file, **arrays)
        os.replace(beside, path)

    @classmethod
    def resume(cls, plan: Plan, path: Path | None) -> _Run:
        """Return the run of a checkpoint, or a new one where there is none. Raises a ValueError for another plan's."""
        if path is None or not path.exists():
            return cls.start(plan)
        with np.load(path, allow_pickle=False) as arrays:
            found = json.loads(str(arrays["plan"]))
            if found != asdict(plan):
                raise ValueError(
                    f"{path} is the checkpoint of another run, {Plan(**found).command!r}; "
                    "finish that one, remove the file, or name another with --checkpoint"
                )
            run = cls.start(plan)
            run.epoch, run.steps = map(int, arrays["counts"])
            ends = np.cumsum(arrays["lengths"])[:-1]
            columns = [np.split(arrays[name], ends) for name in Lessons.__slots__]
            run.games = [Lessons(*rows) for rows in zip(*columns, strict=True)] if len(arrays["lengths"]) else []
            for kind in ("layers", "means", "squares"):
                setattr(run, kind, [(arrays[f"{kind}{i}w"], arrays[f"{kind}{i}b"]) for i in range(len(run.layers))])
        return run


def train(plan: Plan, checkpoint: Path | None = None, report: Report = lambda progress: None) -> Trained:
    """Carry out a plan, from its checkpoint on if there is one, and return the weights as they will be read again."""
    run = _Run.resume(plan, checkpoint)
    while len(run.games) < plan.games:
        run.games.append(play(plan.radius, plan.seed, len(run.games)))
        report(Progress("games", len(run.games), plan.games))
        if len(run.games) % SAVED == 0 or len(run.games) == plan.games:
            run.save(checkpoint)
    held_out = Lessons.together([Lessons.none(plan.radius), *run.games[HELD_OUT - 1 :: HELD_OUT]])
    learnt = Lessons.together(
        [Lessons.none(plan.radius), *(game for i, game in enumerate(run.games) if i % HELD_OUT != HELD_OUT - 1)]
    )
    while run.epoch < plan.epochs:
        loss = _epoch(run, learnt)
        run.epoch += 1
        report(Progress("epochs", run.epoch, plan.epochs, f"loss {loss:.3f}"))
        run.save(checkpoint)
    layers = [
        (weights.astype(np.float16).astype(np.float32), biases.astype(np.float16).astype(np.float32))
        for weights, biases in run.layers
    ]
    provenance: dict[str, Any] = {
        "command": plan.command,
        **asdict(plan),
        "positions": len(learnt),
        "held_out": len(held_out),
        "accuracy": round(accuracy(layers, held_out), 4),
    }
    for name, wins, games in trials(layers, plan.radius, lambda done, total: report(Progress("trials", done, total))):
        provenance[f"wins against {name}"] = f"{wins} of {games}"
    return Trained(layers, provenance)


def accuracy(layers: Layers, lessons: Lessons) -> float:
    """Return how often the likeliest legal cell is the teacher's."""
    if not len(lessons):
        return 0.0
    scores = forward(layers, lessons.x.astype(np.float32))[-1]
    return float((masked(scores, lessons.legal).argmax(axis=1) == lessons.chosen).mean())


def _images(radius: int) -> npt.NDArray[np.int64]:
    """Return for each symmetry the index of the cell that it takes to each index."""
    order = {number: i for i, number in enumerate(cubes(radius))}
    sources = np.empty((len(symmetries(radius)), len(order)), np.int64)
    for s, symmetry in enumerate(symmetries(radius)):
        for number, image in symmetry.items():
            sources[s, order[image]] = order[number]
    return sources


def _epoch(run: _Run, lessons: Lessons) -> float:
    """Learn from every lesson as often as it counts, each time under a symmetry by chance; return the mean loss."""
    chance = np.random.default_rng([run.plan.seed, 1, run.epoch])
    rows = chance.permutation(np.repeat(np.arange(len(lessons)), lessons.repeats))
    sources = _images(run.plan.radius)
    targets = np.argsort(sources, axis=1)
    symmetry = chance.integers(len(sources), size=len(rows))
    per_epoch = -(-len(rows) // BATCH)
    losses = 0.0
    for start in range(0, len(rows), BATCH):
        batch, s = rows[start : start + BATCH], symmetry[start : start + BATCH]
        x = np.take_along_axis(lessons.x[batch], sources[s], axis=1).astype(np.float32)
        legal = np.take_along_axis(lessons.legal[batch], sources[s], axis=1)
        chosen = targets[s, lessons.chosen[batch]]
        loss, gradient = gradients(run.layers, x, legal, chosen)
        share = run.steps / (run.plan.epochs * per_epoch)
        _adam(run, gradient, RATE * 0.5 * (1 + float(np.cos(np.pi * share))))
        losses += loss * len(batch)
    return losses / max(1, len(rows))


def gradients(
    layers: Layers, x: Floats, legal: npt.NDArray[np.bool_], chosen: npt.NDArray[np.int64]
) -> tuple[float, Layers]:
    """Return the mean cross-entropy of a batch, and its derivative by every weight and bias."""
    passed = forward(layers, x)
    probabilities = masked(passed[-1], legal)
    picked = np.arange(len(chosen)), chosen
    loss = float(-np.log(np.maximum(probabilities[picked], 1e-30)).mean())
    # Softmax and cross-entropy together: the derivative by a score is its probability, less 1 where it should be.
    slope = probabilities.copy()
    slope[picked] -= 1
    slope /= len(chosen)
    found: Layers = []
    for i in range(len(layers) - 1, -1, -1):
        found.append((passed[i].T @ slope, slope.sum(axis=0)))
        if i:
            slope = (slope @ layers[i][0].T) * (passed[i] > 0)
    return loss, found[::-1]


def _adam(run: _Run, gradient: Layers, rate: float) -> None:
    """Take one step down the gradient (Adam: Kingma and Ba 2015, algorithm 1)."""
    run.steps += 1
    first, second = DECAY
    correction = rate * np.sqrt(1 - second**run.steps) / (1 - first**run.steps)
    for layer, mean, square, slope in zip(run.layers, run.means, run.squares, gradient, strict=True):
        for parameter, m, v, g in zip(layer, mean, square, slope, strict=True):
            m *= np.float32(first)
            m += np.float32(1 - first) * g
            v *= np.float32(second)
            v += np.float32(1 - second) * g * g
            parameter -= np.float32(correction) * m / (np.sqrt(v) + np.float32(EPSILON))
