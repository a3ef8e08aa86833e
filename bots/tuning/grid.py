"""Grid search by tournament: every combination of some levels of each parameter plays, and Elo ratings choose
(quoridor-specification, "Weight Tuning Methods")."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from bots.lab.contest import Keep, hold
from bots.lab.schedule import Gauntlet, RoundRobin
from bots.lab.terms import Played, Terms
from bots.lab.workforce import Workforce
from bots.statistics import bradley_terry
from bots.tuning.space import Found, Space
from bots.tuning.trial import PER_TASK, varied
from bots.weights.model import DIGITS, Values

__all__ = ["MOST", "Plan", "configurations", "search"]

MOST: Final = 256
"""How many combinations a grid may have."""
Pairing: TypeAlias = Literal["round-robin", "gauntlet"]
Score: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Plan:
    """`pairs` of games are played between any two combinations, or by each against the printed one."""

    pairs: int = 4
    pairing: Pairing = "round-robin"
    levels: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """The levels of some parameters by name; the others have the ends of their range and the printed number."""

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise ValueError("pairs are 1 or more")


def configurations(space: Space, levels: Mapping[str, Sequence[float]]) -> list[Values]:
    """Return the printed values and then all other combinations. Raises a ValueError for more than MOST of them."""
    space.model.complete(dict.fromkeys(levels, 0.0))
    printed, columns = space.model.printed, []
    for place, low, high in zip(space.places, space.lows, space.highs, strict=True):
        column = levels.get(space.model.names[place]) or (low, printed[place], high)
        columns.append(sorted({round(level, DIGITS) for level in column}))
    count = math.prod(map(len, columns))
    if count > MOST:
        raise ValueError(f"{count} combinations are too many, {MOST} is the most; tune fewer weights or give levels")
    found = [printed]
    for combination in itertools.product(*columns):
        values = list(printed)
        for place, level in zip(space.places, combination, strict=True):
            values[place] = level
        found.append(tuple(values))
    return list(dict.fromkeys(found))


def search(
    space: Space,
    plan: Plan,
    terms: Terms,
    depth: int,
    workforce: Workforce,
    keep: Keep,
    report: Callable[[int, int | None, str], None] = lambda done, total, note: None,
) -> Found:
    """Hold the tournament and return the combination with the highest Bradley-Terry rating, the first of equals; the
    ratings are Elo above the printed values."""
    settings = configurations(space, dict(plan.levels))
    values_of = {space.model.word(values, depth): values for values in settings}
    words, openings = tuple(values_of), varied(terms)
    schedule = (RoundRobin if plan.pairing == "round-robin" else Gauntlet)(words, 2 * plan.pairs, openings)

    def heard(played: Played, done: int, total: int | None) -> None:
        del played
        report(done, total, f"{len(words)} combinations")

    games = hold(terms, schedule, workforce, keep, heard, batch=PER_TASK)
    ratings = bradley_terry.fit(words, _results(games))
    zero = ratings.elo[words[0]]
    scores = _points(games)
    table = [
        {
            "weights": space.model.named(values_of[word]),
            "elo": _finite(ratings.elo[word] - zero),
            "low": _finite(ratings.low[word] - zero),
            "high": _finite(ratings.high[word] - zero),
            "wins": scores[word, 1.0],
            "draws": scores[word, 0.5],
            "losses": scores[word, 0.0],
        }
        for word in sorted(words, key=lambda word: -ratings.elo[word])
    ]
    best = max(words, key=lambda word: ratings.elo[word])
    result = {"combinations": len(words), "games": len(games), "ratings": table}
    return Found(values_of[best], result, ())


def _finite(number: float) -> float | None:
    return round(number, 1) if math.isfinite(number) else None


def _points(games: Sequence[Played]) -> Counter[tuple[str, float]]:
    """Count each player's results."""
    return Counter((word, g.score(seat)) for g in games for seat, word in enumerate(g.fixture.players))


def _results(games: Sequence[Played]) -> dict[tuple[str, str], Score]:
    """Return wins, draws and losses of each two who met, from the side of the one whose word comes first."""
    counts: Counter[tuple[tuple[str, str], float]] = Counter()
    for played in games:
        first, second = sorted(played.fixture.players)
        counts[(first, second), played.score_of(first)] += 1
    met = dict.fromkeys(pair for pair, _ in counts)
    return {pair: (counts[pair, 1.0], counts[pair, 0.5], counts[pair, 0.0]) for pair in met}
