"""Makes the rows of findings, and judges them.

One rule for each kind of figure, so that all experiments judge alike:

- a share that the reference counted in so many games: *differs* where two such counts are not consistent with one
  true share (95%); else *agrees* where the two counts could have detected a difference of `MAX_DETECTABLE` points, and
  *unclear* where they could not;
- a range, or "about" a number, which is the range of `ABOUT_SHARE` to either side of it: *differs* where our whole
  interval lies outside; *agrees* where it lies inside, or where our figure does and the difference that we could detect
  is no larger than the range is wide; else *unclear*. An open range, as "more than 50%", has an infinite end, and
  agrees only with a whole interval inside;
- an exact figure: *agrees* where ours lies in the range that the printed digits mean, else *differs*;
- the best of several settings: *agrees* where it is ours too and no other one can be the best, *unclear* where chance
  can have decided, else *differs*;
- a time or rate, which belongs to a machine, a check that could hardly fail, a reading that was chosen because it fits,
  a word of the reference without a figure, and another program's figure stand *apart*, without a verdict.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace
from typing import Final

from cornered.lab.experiments.findings import Effect, FigureKind, FigureRow, FigureVerdict, Span
from cornered.lab.statistics.comparison import (
    consistent,
    detectable_beside,
    detectable_by,
    difference,
    p_of_difference,
    p_of_mean,
    p_of_share,
)
from cornered.lab.statistics.mean import CONFIDENCE, mean_interval, t_quantile
from cornered.lab.statistics.ratio import ratio_interval
from cornered.lab.statistics.tally import Tally
from cornered.lab.statistics.wilson import Z95

__all__ = [
    "ABOUT_SHARE",
    "MAX_DETECTABLE",
    "PAPER_GAMES",
    "about",
    "best",
    "checked",
    "counted",
    "exact",
    "gained",
    "gap",
    "judged",
    "mean",
    "pooled",
    "share",
    "timed",
]

PAPER_GAMES: Final = 100
"""Number of games behind each share of the Bamboo paper (section V)."""
ABOUT_SHARE: Final = 0.1
"""Half width of the range that "about" a number denotes, relative to the number."""
MAX_DETECTABLE: Final = 15.0
"""Percentage points: two counts that could not detect a difference as small cannot agree. A hundred printed games can
detect 14 points at best, where the share is one half."""


def about(figure: float) -> Span:
    """Return the range that "about" a figure denotes."""
    near, far = sorted((figure * (1 - ABOUT_SHARE), figure * (1 + ABOUT_SHARE)))
    return near, far


def judged(ours: float, low: float, high: float, claimed: Span | None) -> FigureVerdict:
    """Return the verdict on the range that a reference claims, by our figure and its interval."""
    if claimed is None:
        return "new"
    least, most = claimed
    if high < least or low > most:
        return "differs"
    if least <= low and high <= most:
        return "agrees"
    is_open = math.isinf(least) or math.isinf(most)
    if not is_open and least <= ours <= most and detectable_by(low, high) <= most - least:
        return "agrees"
    return "unclear"


def exact(
    label: str,
    claimed: str,
    span: Span | None,
    ours: float,
    count: int = 1,
    unit: str = "",
    note: str = "",
    kind: FigureKind = "exact",
) -> FigureRow:
    """Return the row of a figure without error; `span` is the range that `claimed` denotes, None where the reference
    prints none."""
    verdict = judged(ours, ours, ours, span)
    return FigureRow(
        label, claimed, ours, ours, ours, count, verdict, unit, note, kind, effect=_effect(ours, ours, ours, span, unit)
    )


def share(label: str, claimed: str, span: Span | None, tally: Tally, note: str = "") -> FigureRow:
    """Return the row of a counted share in %, compared with the range in % that a reference claims."""
    row = _percent(label, claimed, tally, note)
    if span is None:
        return row
    nearest = _nearest(row.ours, span)
    return replace(
        row,
        verdict=judged(row.ours, row.low, row.high, span),
        p=p_of_share(tally, nearest / 100),
        detectable=detectable_by(row.low, row.high),
        effect=_effect(row.ours, row.low, row.high, span, "%"),
    )


def counted(label: str, claimed: float | None, tally: Tally, *, of: int = PAPER_GAMES, note: str = "") -> FigureRow:
    """Return the row of a counted share, compared with the reference's own count: `claimed` % of `of` games."""
    row = _percent(label, "" if claimed is None else f"{claimed:g}%", tally, note)
    if claimed is None:
        return row
    printed = Tally.of(claimed / 100 * of, of)
    detectable = 100 * detectable_beside(claimed / 100, of, tally.effective)
    verdict: FigureVerdict = "agrees" if detectable <= MAX_DETECTABLE else "unclear"
    if not consistent(tally, printed):
        verdict = "differs"
    middle, least, most = (100 * points for points in difference(tally, printed))
    effect = Effect(middle, least, most, "points")
    return replace(row, verdict=verdict, p=p_of_difference(tally, printed), detectable=detectable, effect=effect)


def mean(
    label: str,
    claimed: str,
    span: Span | None,
    values: Sequence[float],
    unit: str = "",
    note: str = "",
    clusters: Sequence[Hashable] | None = None,
) -> FigureRow:
    """Return the row of the mean of figures, compared with the range that a reference claims. With `clusters`, one for
    each figure, it is the mean of the clusters' means, and only the clusters are independent."""
    independent = values if clusters is None else _cluster_means(values, clusters)
    ours, low, high = mean_interval(independent)
    row = FigureRow(
        *(label, claimed, ours, low, high, len(values), judged(ours, low, high, span), unit, note),
        effective=None if clusters is None else float(len(independent)),
    )
    return _compared(row, span, len(independent) - 1)


def pooled(
    label: str,
    claimed: str,
    span: Span | None,
    over: Sequence[float],
    under: Sequence[float],
    unit: str = "%",
    note: str = "",
    clusters: Sequence[Hashable] | None = None,
) -> FigureRow:
    """Return the row of a ratio of two sums, in % where `unit` is that, compared with the range that a reference
    claims. With `clusters`, one for each pair of figures, only the clusters are independent, else the pairs are."""
    groups = range(len(over)) if clusters is None else clusters
    sums: dict[Hashable, list[float]] = {}
    for part, whole, cluster in zip(over, under, groups, strict=True):
        held = sums.setdefault(cluster, [0.0, 0.0])
        held[0] += part
        held[1] += whole
    scale = 100.0 if unit == "%" else 1.0
    parts, wholes = zip(*sums.values(), strict=True)
    ours, low, high = (scale * end for end in ratio_interval(parts, wholes))
    row = FigureRow(
        *(label, claimed, ours, low, high, len(over), judged(ours, low, high, span), unit, note),
        effective=None if clusters is None else float(len(sums)),
    )
    return _compared(row, span, len(sums) - 1)


def timed(
    label: str, claimed: str, ours: float, low: float, high: float, count: int, unit: str, note: str = ""
) -> FigureRow:
    """Return the row of a time or rate, which stands beside the reference's without a verdict."""
    return FigureRow(label, claimed, ours, low, high, count, "apart" if claimed else "new", unit, note, "time")


def checked(row: FigureRow) -> FigureRow:
    """Return the row without a verdict, so that it does not count as agreement: a check that could hardly fail, a
    reading that was chosen because it fits, a comparison with a word, or one with another program."""
    return replace(row, verdict="apart", reason="", why="")


def best(
    label: str, claimed: float, ours: float, possible: Collection[float], count: int, unit: str = "", note: str = ""
) -> FigureRow:
    """Return the row of the best setting; `possible` are the settings that the sample does not exclude as the best."""
    low, high = min(possible, default=ours), max(possible, default=ours)
    verdict: FigureVerdict = "unclear" if claimed in (ours, *possible) else "differs"
    if ours == claimed and set(possible) <= {claimed}:
        verdict = "agrees"
    return FigureRow(label, f"{claimed:g}", ours, min(low, ours), max(high, ours), count, verdict, unit, note)


def gap(
    label: str,
    claimed: str,
    span: Span | None,
    ours: FigureRow,
    other: FigureRow,
    unit: str,
    note: str = "",
    correlation: float = 0.0,
) -> FigureRow:
    """Return the row of the difference of two rows, ours less the other, compared with the range that a reference
    claims. The interval combines theirs, given the `correlation` of the two figures (Zou, "Toward using confidence
    intervals to compare correlations", 2007); it is 0 for independent samples."""
    middle = ours.ours - other.ours
    low = middle - _combined(ours.ours - ours.low, other.high - other.ours, correlation)
    high = middle + _combined(ours.high - ours.ours, other.ours - other.low, correlation)
    count = ours.count + other.count
    row = FigureRow(label, claimed, middle, low, high, count, judged(middle, low, high, span), unit, note)
    if span is None:
        return row
    nearest = _nearest(middle, span)
    error = (middle - low if nearest < middle else high - middle) / Z95
    return replace(
        row,
        p=math.erfc(abs(middle - nearest) / error / math.sqrt(2)) if error else float(middle == nearest),
        detectable=detectable_by(low, high),
        effect=_effect(middle, low, high, span, unit),
    )


def gained(label: str, claimed: str, span: Span | None, gains: Sequence[int], note: str = "") -> FigureRow:
    """Return the row of a paired difference of shares, in percentage points: `gains` are 1 where only the one succeeds,
    -1 where only the other does, else 0. The two shares of a single sample are correlated as multinomial counts are."""
    up, down = (Tally.of(sum(gain == sign for gain in gains), len(gains)) for sign in (1, -1))
    odds = up.share * down.share / ((1 - up.share) * (1 - down.share)) if max(up.share, down.share) < 1 else 0.0
    row = gap(
        *(label, claimed, span, share("", "", None, up), share("", "", None, down), "points", note),
        correlation=-math.sqrt(odds),
    )
    return replace(row, count=len(gains))


def _percent(label: str, claimed: str, tally: Tally, note: str) -> FigureRow:
    ours, low, high = (100 * figure for figure in (tally.share, *tally.interval()))
    effective = None if tally.effective == tally.trials else tally.effective
    # Rounding can put a share of 0 or 1 outside its own interval.
    return FigureRow(
        *(label, claimed, ours, min(low, ours), max(high, ours), tally.trials, "new", "%", note), effective=effective
    )


def _compared(row: FigureRow, span: Span | None, freedom: int) -> FigureRow:
    """Return a row whose interval is Student's, with `freedom` degrees of freedom, with its comparison with a range."""
    if span is None or freedom < 1:
        return row
    error = (row.high - row.low) / 2 / t_quantile((1 + CONFIDENCE) / 2, freedom)
    return replace(
        row,
        p=p_of_mean(row.ours, error, freedom, _nearest(row.ours, span)),
        detectable=detectable_by(row.low, row.high),
        effect=_effect(row.ours, row.low, row.high, span, row.unit),
    )


def _combined(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one + other * other - 2.0 * correlation * one * other))


def _nearest(ours: float, span: Span) -> float:
    return min(max(ours, span[0]), span[1])


def _effect(ours: float, low: float, high: float, span: Span | None, unit: str) -> Effect | None:
    """Return the size of the difference from a range; None where a ratio has no meaning."""
    if span is None:
        return None
    nearest = _nearest(ours, span)
    if unit in ("%", "points"):
        return Effect(ours - nearest, low - nearest, high - nearest, "points")
    return Effect(ours / nearest, low / nearest, high / nearest, "times") if nearest > 0 else None


def _cluster_means(values: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    members: dict[Hashable, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return [statistics.fmean(group) for group in members.values()]
