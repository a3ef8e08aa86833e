"""Recomputes all ratings from the journal, in the order in which results were rated, and compares or mends what is
stored.

Servers may run meanwhile. Each page of changes is a transaction of its own, so an interruption leaves right changes and
wrong ones, and the next run mends the rest; results that are rated meanwhile are computed too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isclose
from typing import Final, TypeAlias

from cornered.engine.progress import Progress, Report, no_report
from cornered.protocol.values import PlayerKind
from cornered.server.rating.ports import NumberTaken, Pending, Ratings
from cornered.server.rating.ratings import Change, Rating, rate

__all__ = ["RatingFindings", "recompute"]

PAGE: Final = 500
"""Results, or ratings, of one step."""
MAX_TRIES: Final = 100
"""Looks at results that were rated during the last one, before the rest is left to another run."""
TOLERANCE: Final = 1e-6
"""Relative difference of numbers that two machines may compute of the same results."""

_Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class RatingFindings:
    """What was found: numbers of results, and of those whose changes or whose players' ratings are wrong.

    `unreadable` results have damaged events; they count as they were stored.
    """

    results: int
    unreadable: int
    wrong_changes: int
    wrong_ratings: int
    is_mended: bool = False

    @property
    def is_right(self) -> bool:
        """Whether nothing was wrong, or all of it was mended."""
        return self.is_mended or not (self.wrong_changes or self.wrong_ratings)


class _Fold:
    """All ratings after the results so far."""

    def __init__(self) -> None:
        self.ratings: dict[_Key, tuple[PlayerKind, Rating]] = {}
        self.number = 0
        self.unreadable = 0
        self.wrong_changes = 0

    def add(self, number: int, pending: Pending, stored: Sequence[Change]) -> Sequence[Change]:
        """Fold the next result; return its changes where they are not those that are stored."""
        result, self.number = pending.result, number
        if result is None:
            self.unreadable += 1
            changes, is_wrong = stored, False
        else:
            keys = [(player.id, result.pool) for player in result.players]
            changes = rate(result, result.before({key: self.ratings[key][1] for key in keys if key in self.ratings}))
            is_wrong = len(stored) != 2 or not all(map(_is_same_change, changes, stored))
        for change in changes:
            self.ratings[change.player, change.pool] = change.kind, change.after
        self.wrong_changes += is_wrong
        return changes if is_wrong else ()


async def recompute(store: Ratings, report: Report = no_report, *, mends: bool) -> RatingFindings:
    """Return what is wrong, or, with `mends`, what was and is right now. Raises RatingsUnavailable."""
    fold = _Fold()
    wrong: dict[_Key, Rating | None] = {}
    for _ in range(MAX_TRIES):
        total = await store.newest()
        while page := await store.rated(fold.number, PAGE):
            changes = [change for one in page for change in fold.add(*one)]
            if mends:
                await store.correct(changes)
            report(Progress("results", fold.number, max(total, fold.number)))
        differing = await _differing(store, fold.ratings, report)
        if await store.newest() != fold.number:
            # What was read of the ratings may include results that were not.
            continue
        wrong |= differing
        if not mends:
            break
        try:
            await _replace(store, fold, differing)
        except NumberTaken:
            continue
        break
    else:
        raise ValueError("results are rated faster than they can be looked at; run this again at a quieter time")
    return RatingFindings(fold.number, fold.unreadable, fold.wrong_changes, len(wrong), mends)


async def _differing(
    store: Ratings, right: dict[_Key, tuple[PlayerKind, Rating]], report: Report
) -> dict[_Key, Rating | None]:
    """Return the ratings that should be stored and are not; None for those that are and should not be."""
    missing, differing = dict(right), dict[_Key, Rating | None]()
    after: _Key | None = None
    while page := await store.all(PAGE, after):
        for player, pool, stored in page:
            after = player, pool
            kind_and_rating = missing.pop(after, None)
            if kind_and_rating is None:
                differing[after] = None
            elif not _is_same(kind_and_rating[1], stored):
                differing[after] = kind_and_rating[1]
        report(Progress("ratings", len(right) - len(missing), len(right)))
    return differing | {key: rating for key, (_, rating) in missing.items()}


async def _replace(store: Ratings, fold: _Fold, differing: dict[_Key, Rating | None]) -> None:
    """Store what differs, in pages. Raises NumberTaken where a result was rated meanwhile."""
    rest = iter(sorted(differing))
    while keys := list(islice(rest, PAGE)):
        right = [key for key in keys if key in fold.ratings]
        rows = [(*key, *fold.ratings[key]) for key in right]
        await store.replace(fold.number, rows, [key for key in keys if key not in fold.ratings])


def _is_same_change(one: Change, other: Change) -> bool:
    names = (one.seat, one.player, one.kind, one.pool) == (other.seat, other.player, other.kind, other.pool)
    numbers = (one.before, one.deviation_before), (other.before, other.deviation_before)
    return names and _is_close(*numbers) and _is_same_number(one.after, other.after)


def _is_same(one: Rating, other: Rating) -> bool:
    names = [[(known.version, known.games, known.at) for known in rating.versions] for rating in (one, other)]
    numbers = [[known.rating for known in rating.versions] for rating in (one, other)]
    deviations = [[known.deviation for known in rating.versions] for rating in (one, other)]
    return (
        _is_same_number(one, other)
        and (one.renewed, names[0]) == (other.renewed, names[1])
        and _is_close(*numbers)
        and _is_close(*deviations)
    )


def _is_same_number(one: Rating, other: Rating) -> bool:
    numbers = (one.rating, one.deviation, one.volatility), (other.rating, other.deviation, other.volatility)
    return (one.games, one.at) == (other.games, other.at) and _is_close(*numbers)


def _is_close(one: Iterable[float], other: Iterable[float]) -> bool:
    return all(isclose(left, right, rel_tol=TOLERANCE) for left, right in zip(one, other, strict=True))
