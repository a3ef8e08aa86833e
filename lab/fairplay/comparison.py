"""A player's judged moves beside those of others, as shares and means with intervals.

The moves of one game are not independent: intervals are of ratios of sums over games (`ratio_interval`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from cornered.lab.fairplay.judging import Judgement
from cornered.lab.statistics.ratio import ratio_interval

__all__ = ["TIMES", "Comparison", "Figure", "Group", "compare", "group"]

TIMES: Final[tuple[tuple[str, int, int | None], ...]] = (
    ("below 2 s", 0, 2_000),
    ("2 to 10 s", 2_000, 10_000),
    ("10 to 30 s", 10_000, 30_000),
    ("from 30 s", 30_000, None),
)
"""Thinking times in milliseconds: from, and to below."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with the ends of its 95% interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Group:
    """Judged moves of somebody: how many, the share that agrees with the champion, and the mean loss. The figures are
    None where there is no move, and have no width where there is one game alone."""

    name: str
    games: int
    moves: int
    agreement: Figure | None
    loss: Figure | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A player beside opponents and players of such ratings, and the player's moves by thinking time."""

    player: Group
    others: tuple[Group, ...]
    times: tuple[Group, ...]


def group(name: str, judged: Iterable[Judgement]) -> Group:
    """Return the figures of judged moves."""
    by_game: dict[str, list[Judgement]] = {}
    for one in judged:
        by_game.setdefault(one.match, []).append(one)
    games = list(by_game.values())
    return Group(
        name,
        len(games),
        sum(map(len, games)),
        _figure(games, lambda one: float(one.agrees), most=1.0),
        _figure(games, lambda one: one.loss, most=1.0),
    )


def compare(
    player: str, own: Sequence[Judgement], opponents: Sequence[Judgement], others: Sequence[Judgement]
) -> Comparison:
    """Return the comparison of a player, called `player`, with its opponents and with others of such ratings."""
    return Comparison(
        group(player, own),
        (group("the opponents in these games", opponents), group("players of such ratings", others)),
        tuple(
            group(name, (one for one in own if least <= one.spent and (most is None or one.spent < most)))
            for name, least, most in TIMES
        ),
    )


def _figure(games: Sequence[Sequence[Judgement]], of: Callable[[Judgement], float], *, most: float) -> Figure | None:
    if not games:
        return None
    value, low, high = ratio_interval([sum(map(of, game)) for game in games], [len(game) for game in games])
    return Figure(value, max(0.0, low), min(most, high))
