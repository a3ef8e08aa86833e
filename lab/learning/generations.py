"""A run: each generation plays games with the best network so far, learns from them, and is judged against it.

The run's folder holds everything that is done, and a run that was interrupted goes on there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final

from cornered.bots.evaluate import evaluation_module
from cornered.bots.nnue.features import FeatureSet
from cornered.bots.nnue.network import TrainedNetwork, load, save
from cornered.bots.search.specialise import hooks
from cornered.engine.progress import Progress, Report
from cornered.engine.records.files import replacing
from cornered.lab.execution.workforce import Workforce
from cornered.lab.learning.fitting import EpochLoss, fit, kept
from cornered.lab.learning.judging import Judgement, judge
from cornered.lab.learning.plan import LearningPlan
from cornered.lab.learning.positions import Positions, logit_score, read, write
from cornered.lab.learning.selfplay import play_shard

__all__ = ["Generation", "held_plan", "learn", "plan_within"]

PLAN: Final = "plan.json"
NETWORK: Final = "network.npz"
RESULT: Final = "result.json"
PLAYING_SHARE: Final = 0.6
"""The share of a budget of time in which games are played; training and the matches have the rest."""
SAMPLE_GAMES: Final = 8
"""Games whose time is measured for a budget."""


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generation came to. `loss` is of the epoch whose weights the network has. `is_kept` says whether it is the
    best network so far."""

    number: int
    network: Path
    positions: int
    curve: list[dict[str, float]]
    loss: dict[str, float]
    judgement: dict[str, Any]
    is_kept: bool


def held_plan(folder: Path) -> LearningPlan | None:
    """Return the plan of a run's folder, None where none was begun."""
    path = folder / PLAN
    return LearningPlan(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


def plan_within(plan: LearningPlan, hours: float, workers: int) -> LearningPlan:
    """Return the plan with as many games as fit a budget, by the time of a few games on this machine."""
    sample = replace(plan, games=2 * SAMPLE_GAMES, shard_games=SAMPLE_GAMES)
    # The first file compiles the search.
    play_shard(sample, 0, None, 0)
    began = monotonic()
    play_shard(sample, 0, None, 1)
    seconds = (monotonic() - began) / SAMPLE_GAMES / workers
    games = max(plan.shard_games, round(hours * 3600 * PLAYING_SHARE / plan.generations / seconds))
    return replace(plan, games=games)


def learn(
    plan: LearningPlan, folder: Path, workforce: Workforce, report: Report, publish: Callable[[Generation], None]
) -> list[Generation]:
    """Carry out a plan in a folder, or the rest of it. `publish` is called with each generation that is done.

    Raises ValueError where the folder holds a run of another plan.
    """
    known: FeatureSet = evaluation_module(plan.game).FEATURES  # type: ignore[union-attr]
    start: Any = plan.load().start().position  # type: ignore[attr-defined]  # every game of ours has one
    folder.mkdir(parents=True, exist_ok=True)
    held = held_plan(folder)
    if held is None:
        with replacing(folder / PLAN) as part:
            part.write_text(json.dumps(plan.as_json()), encoding="utf-8")
    elif held != plan:
        raise ValueError(f"{folder} holds the run of another plan, {held.command!r}; finish that one or name another")
    done: list[Generation] = []
    best: Path | None = None
    for number in range(1, plan.generations + 1):
        own = folder / f"generation-{number}"
        own.mkdir(exist_ok=True)
        if not (own / RESULT).is_file():
            _play(plan, number, best, own, start._fields, workforce, report)
            positions, scale = _gathered(plan, number, folder)
            curve = _fit(plan, number, positions, scale, start, known, best, own, report)
            judgement = judge(plan, own / NETWORK, best, workforce, _told(report, number))
            _conclude(own, len(positions), curve, judgement)
        found = Generation(number, own / NETWORK, **json.loads((own / RESULT).read_text(encoding="utf-8")))
        best = found.network if found.is_kept else best
        done.append(found)
        publish(found)
    return done


def _play(
    plan: LearningPlan,
    number: int,
    best: Path | None,
    own: Path,
    names: tuple[str, ...],
    workforce: Workforce,
    report: Report,
) -> None:
    """Play the games of the files that are missing."""
    missing = [shard for shard in range(plan.shards) if not _shard(own, shard).is_file()]
    done = plan.shards - len(missing)
    report(Progress(f"generation {number}: games", done * plan.shard_games, plan.games))
    work = workforce.carry_out(partial(play_shard, plan, number, best), missing, batch=1)
    with closing(work):
        for place, positions in work:
            write(positions, names, _shard(own, missing[place]))
            done += 1
            report(Progress(f"generation {number}: games", min(plan.games, done * plan.shard_games), plan.games))


def _shard(own: Path, shard: int) -> Path:
    return own / f"games-{shard:05}.parquet"


def _gathered(plan: LearningPlan, number: int, folder: Path) -> tuple[Positions, float]:
    """Return the positions of a generation and of those before that it remembers, and the score of a logit of 1 in its
    own games. The scores of each generation are put on one scale, by the results of its games."""
    parts, scale = [], 0.0
    for each in range(max(1, number - plan.memory), number + 1):
        paths = sorted((folder / f"generation-{each}").glob("games-*.parquet"))
        positions = Positions.together([read(path) for path in paths])
        scale = logit_score(positions)
        parts.append(positions.rescaled(scale))
    return Positions.together(parts), scale


def _fit(
    plan: LearningPlan,
    number: int,
    positions: Positions,
    scale: float,
    begin: Any,
    known: FeatureSet,
    best: Path | None,
    own: Path,
    report: Report,
) -> list[EpochLoss]:
    start = None if best is None else load(best).network

    def told(epoch: int, loss: EpochLoss) -> None:
        report(Progress(f"generation {number}: epochs", epoch, plan.epochs, f"loss {loss.held_out:.4f}"))

    network, curve = fit(positions, begin, known, hooks(plan.game)["gen"], plan.epochs, plan.seed, start, scale, told)
    about = {
        "command": plan.command,
        "game": plan.game,
        "seed": plan.seed,
        "generation": number,
        "positions": len(positions),
        "loss": kept(curve).held_out,
    }
    save(TrainedNetwork(network, about), known, own / NETWORK)
    return curve


def _told(report: Report, number: int) -> Callable[[int, float], None]:
    return lambda pairs, llr: report(Progress(f"generation {number}: match", pairs, None, f"llr {llr:.2f}"))


def _conclude(own: Path, positions: int, curve: list[EpochLoss], judgement: Judgement) -> None:
    result = {
        "positions": positions,
        "curve": [each.as_json() for each in curve],
        "loss": kept(curve).as_json(),
        "judgement": judgement.as_json(),
        "is_kept": judgement.verdict == "H1",
    }
    assert result.keys() == {field.name for field in fields(Generation)} - {"number", "network"}
    with replacing(own / RESULT) as part:
        part.write_text(json.dumps(result), encoding="utf-8")
