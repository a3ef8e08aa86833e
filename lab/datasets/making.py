"""Makes a data set: plays its games on all workers and writes each file once all of its games are there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter

from cornered.engine.progress import Progress, Report
from cornered.lab.datasets.plan import DatasetPlan
from cornered.lab.datasets.playing import GameRows, lost_rows, play_rows
from cornered.lab.datasets.schema import DATA, shard_path, write_shard
from cornered.lab.execution.workforce import Workforce

__all__ = ["make", "missing_shards"]


def missing_shards(plan: DatasetPlan, folder: Path) -> list[int]:
    """Return the numbers of the files that are not written yet."""
    return [shard for shard in range(plan.shards) if not shard_path(folder, shard).exists()]


def make(plan: DatasetPlan, folder: Path, workforce: Workforce, report: Report) -> tuple[int, float]:
    """Play the games of all missing files and write these; return the rows written and the seconds it took.

    `folder` is held by the caller. Games of files that were not complete when a run ended are played again.
    """
    (folder / DATA).mkdir(exist_ok=True)
    for torn in (folder / DATA).glob("*.part"):
        torn.unlink()
    missing = missing_shards(plan, folder)
    done = plan.games - sum(len(plan.shard_numbers(shard)) for shard in missing)
    waiting: dict[int, list[GameRows]] = {}
    rows, began = 0, perf_counter()

    def numbers() -> Iterator[int]:
        for shard in missing:
            yield from plan.shard_numbers(shard)

    report(Progress("games", done, plan.games))
    work = workforce.carry_out(partial(play_rows, plan), numbers(), lost=partial(lost_rows, plan))
    with closing(work):
        for _, game in work:
            shard = game.number // plan.shard_games
            games = waiting.setdefault(shard, [])
            games.append(game)
            done, rows = done + 1, rows + len(game)
            report(Progress("games", done, plan.games, f"{rows / max(perf_counter() - began, 1e-9):,.0f} rows/s"))
            if len(games) == len(plan.shard_numbers(shard)):
                games.sort(key=lambda one: one.number)
                write_shard(folder, shard, waiting.pop(shard), plan)
    return rows, perf_counter() - began
