"""Grid search by tournament: every combination of some levels of each parameter plays, and Elo ratings choose
(quoridor-specification, "Weight Tuning Methods")."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal, TypeAlias

from cornered.bots.weights.model import DIGITS, Values
from cornered.engine.progress import Progress, Report, no_report
from cornered.lab.contests.contest import GameStore, hold
from cornered.lab.contests.schedule import Gauntlet, RoundRobin
from cornered.lab.contests.standings import standings
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.execution.workforce import Workforce
from cornered.lab.tuning.space import Space, TuningResult
from cornered.lab.tuning.trial import varied

__all__ = ["MAX_COMBINATIONS", "GridPlan", "configurations", "search"]

MAX_COMBINATIONS: Final = 256
"""Maximum number of combinations of a grid."""
Pairing: TypeAlias = Literal["round-robin", "gauntlet"]


@dataclass(frozen=True, slots=True)
class GridPlan:
    """`pairs` of games between any two combinations, or between each and the printed one."""

    pairs: int = 4
    pairing: Pairing = "round-robin"
    levels: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """Levels by parameter name; other parameters have the ends of their range and the printed value."""

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise ValueError("pairs are 1 or more")


def configurations(space: Space, levels: Mapping[str, Sequence[float]]) -> list[Values]:
    """Return the printed values, then all other combinations. Raises ValueError for more than `MAX_COMBINATIONS`."""
    space.model.complete(dict.fromkeys(levels, 0.0))
    printed, columns = space.model.printed, []
    for place, low, high in zip(space.places, space.lows, space.highs, strict=True):
        column = levels.get(space.model.names[place]) or (low, printed[place], high)
        columns.append(sorted({round(level, DIGITS) for level in column}))
    count = math.prod(map(len, columns))
    if count > MAX_COMBINATIONS:
        raise ValueError(
            f"{count} combinations are too many, {MAX_COMBINATIONS} is the most; tune fewer weights or give levels"
        )
    found = [printed]
    for combination in itertools.product(*columns):
        values = list(printed)
        for place, level in zip(space.places, combination, strict=True):
            values[place] = level
        found.append(tuple(values))
    return list(dict.fromkeys(found))


def search(
    space: Space,
    plan: GridPlan,
    terms: ContestTerms,
    depth: int,
    workforce: Workforce,
    keep: GameStore,
    report: Report = no_report,
) -> TuningResult:
    """Play the tournament and return the combination with the highest Bradley-Terry rating, the first of equals;
    ratings are in Elo relative to the printed values."""
    settings = configurations(space, dict(plan.levels))
    values_of = {space.model.word(values, depth): values for values in settings}
    words, openings = tuple(values_of), varied(terms)
    schedule = (RoundRobin if plan.pairing == "round-robin" else Gauntlet)(words, 2 * plan.pairs, openings)

    def on_game(_: PlayedGame, progress: Progress) -> None:
        report(replace(progress, note=f"{len(words)} combinations"))

    games = hold(terms, schedule, workforce, keep, on_game)
    found = {standing.bot: standing for standing in standings(terms, games, words).table}
    zero = found[words[0]].elo
    rated = sorted((found[word] for word in words), key=lambda standing: -standing.elo)
    table = [
        {
            "weights": space.model.named(values_of[standing.bot]),
            "elo": round(standing.elo - zero, 1),
            "low": round(standing.low - zero, 1),
            "high": round(standing.high - zero, 1),
            **asdict(standing.score),
        }
        for standing in rated
    ]
    result = {"combinations": len(words), "games": len(games), "ratings": table}
    return TuningResult(values_of[rated[0].bot], result, ())
