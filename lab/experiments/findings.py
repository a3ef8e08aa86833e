"""What an experiment finds: rows with the reference's figure beside ours, our interval, and whether the two agree.

One rule for each kind of figure, so that all experiments judge alike:

- a share that the reference counted in so many games: *differs* where two such counts are not consistent with one
  true share (95%); else *agrees*, or *unclear* while our own interval is wider than `MAX_WIDTH` points;
- a range, or "about" a number, which is the range of `ABOUT_SHARE` to either side of it: *differs* where our whole
  interval lies outside; *agrees* where it lies inside, or where our figure does and the interval is no wider than the
  range; else *unclear*;
- an exact figure: *agrees* where ours lies in the range that the printed digits mean, else *differs*;
- the best of several settings: *agrees* where it is ours too, *unclear* where chance can have hidden it, else
  *differs*.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from cornered.lab.statistics.comparison import consistent
from cornered.lab.statistics.mean import mean_interval
from cornered.lab.statistics.wilson import wilson

__all__ = [
    "ABOUT_SHARE",
    "MAX_WIDTH",
    "PAPER_GAMES",
    "VERDICTS",
    "FigureRow",
    "FigureVerdict",
    "Finding",
    "Scale",
    "Span",
    "about",
    "best",
    "counted",
    "exact",
    "judged",
    "mean",
    "share",
]

Scale: TypeAlias = Literal["tiny", "quick", "full"]
"""Size of an experiment: `tiny` for the tests, `quick` for a first result, `full` for at least the reference's number
of games."""
FigureVerdict: TypeAlias = Literal["agrees", "differs", "unclear", "new"]
"""Comparison with the reference: `agrees`, `differs`, `unclear` where the sample is too small to decide, and `new`
where the reference prints no figure."""
Span: TypeAlias = tuple[float, float]
"""A closed range."""

VERDICTS: Final[tuple[FigureVerdict, ...]] = ("agrees", "differs", "unclear", "new")
PAPER_GAMES: Final = 100
"""Number of games behind each share of the Bamboo paper (section V)."""
ABOUT_SHARE: Final = 0.1
"""Half width of the range that "about" a number denotes, relative to the number."""
MAX_WIDTH: Final = 20.0
"""Width in percentage points above which the interval of a share is inconclusive."""


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure. `claimed` is the reference's printed text; `ours` is the measured value, `low` and `high` the ends of
    its 95% interval, from `count` games, positions or runs; for exact figures all three are equal. All three are in
    `unit`; shares are in %, from 0 to 100."""

    label: str
    claimed: str
    ours: float
    low: float
    high: float
    count: int
    verdict: FigureVerdict
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one experiment. `series` is the data of its plot; `notes` are sentences of discussion."""

    name: str
    title: str
    source: str
    command: str
    seed: int
    scale: Scale
    rows: Sequence[FigureRow]
    notes: Sequence[str] = ()
    series: Mapping[str, Any] = field(default_factory=dict)
    """JSON-compatible values only."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Number of games or items of work by step."""
    version: str = ""
    """Version of the software."""

    def verdicts(self) -> dict[FigureVerdict, int]:
        """Return the number of rows by verdict."""
        return {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in VERDICTS}


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
    if (least <= low and high <= most) or (least <= ours <= most and high - low <= most - least):
        return "agrees"
    return "unclear"


def exact(
    label: str, claimed: str, span: Span | None, ours: float, count: int = 1, unit: str = "", note: str = ""
) -> FigureRow:
    """Return the row of a figure without error; `span` is the range that `claimed` denotes, None where the reference
    prints none."""
    return FigureRow(label, claimed, ours, ours, ours, count, judged(ours, ours, ours, span), unit, note)


def share(label: str, claimed: str, span: Span | None, successes: float, trials: int, note: str = "") -> FigureRow:
    """Return the row of a counted share in %, compared with the range in % that a reference claims."""
    low, high = wilson(successes, trials)
    ours = successes / trials if trials else 0.5
    return _percent(label, claimed, (ours, low, high), trials, judged(100 * ours, 100 * low, 100 * high, span), note)


def counted(
    label: str, claimed: float | None, successes: float, trials: int, *, of: int = PAPER_GAMES, note: str = ""
) -> FigureRow:
    """Return the row of a counted share, compared with the reference's own count: `claimed` % of `of` games."""
    low, high = wilson(successes, trials)
    ours = successes / trials if trials else 0.5
    verdict: FigureVerdict = "agrees" if 100 * (high - low) <= MAX_WIDTH else "unclear"
    if claimed is None:
        verdict = "new"
    elif not consistent(successes, trials, claimed / 100 * of, of):
        verdict = "differs"
    return _percent(label, "" if claimed is None else f"{claimed:g}%", (ours, low, high), trials, verdict, note)


def mean(
    label: str, claimed: str, span: Span | None, values: Sequence[float], unit: str = "", note: str = ""
) -> FigureRow:
    """Return the row of the mean of independent figures, compared with the range that a reference claims."""
    ours, low, high = mean_interval(values)
    return FigureRow(label, claimed, ours, low, high, len(values), judged(ours, low, high, span), unit, note)


def best(
    label: str, claimed: float, ours: float, possible: Collection[float], count: int, unit: str = "", note: str = ""
) -> FigureRow:
    """Return the row of the best setting; `possible` are the settings that the sample does not exclude as the best."""
    low, high = min(possible, default=ours), max(possible, default=ours)
    verdict: FigureVerdict = "agrees" if ours == claimed else "unclear" if claimed in possible else "differs"
    return FigureRow(label, f"{claimed:g}", ours, min(low, ours), max(high, ours), count, verdict, unit, note)


def _percent(
    label: str, claimed: str, shares: tuple[float, float, float], count: int, verdict: FigureVerdict, note: str
) -> FigureRow:
    ours, low, high = (100 * figure for figure in shares)
    # Rounding can put a share of 0 or 1 outside its own interval.
    return FigureRow(label, claimed, ours, min(low, ours), max(high, ours), count, verdict, "%", note)
