"""What an experiment finds: rows with the reference's figure beside ours, our interval, and whether the two agree.

One rule for each kind of figure, so that all experiments judge alike:

- a share that the reference counted in so many games: *differs* where two such counts are not consistent with one
  true share (95%); else *agrees*, or *unclear* while our own interval is wider than `WIDEST` points;
- a range, or "about" a number, which is the range of `TOLERANCE` to either side of it: *differs* where our whole
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
    "PRINTED",
    "TOLERANCE",
    "VERDICTS",
    "WIDEST",
    "Finding",
    "Row",
    "Scale",
    "Span",
    "Verdict",
    "about",
    "best",
    "counted",
    "exact",
    "judged",
    "mean",
    "share",
]

Scale: TypeAlias = Literal["tiny", "quick", "full"]
"""How much is played: `tiny` for the tests, `quick` for a first look, `full` for the reference's numbers and more."""
Verdict: TypeAlias = Literal["agrees", "differs", "unclear", "new"]
"""Whether the reference's figure and ours can both be true; `unclear` where too little was played to say, and `new`
where the reference gives no figure."""
Span: TypeAlias = tuple[float, float]
"""A range, both ends included."""

VERDICTS: Final[tuple[Verdict, ...]] = ("agrees", "differs", "unclear", "new")
PRINTED: Final = 100
"""In how many games the Bamboo paper counts its shares (section V)."""
TOLERANCE: Final = 0.1
"""How far to either side "about" a number reaches, as a part of it."""
WIDEST: Final = 20.0
"""An interval of a share that is wider than so many points agrees with nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `claimed` is what the reference prints, as it prints it; `ours` is what was measured, between `low`
    and `high` with 95% confidence, from `count` games, positions or runs; exact figures have all three equal.

    All three are in `unit`; shares are in %, from 0 to 100.
    """

    label: str
    claimed: str
    ours: float
    low: float
    high: float
    count: int
    verdict: Verdict
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one experiment came to. `series` is what its plot shows; `notes` say in sentences what to think of it."""

    name: str
    title: str
    source: str
    command: str
    seed: int
    scale: Scale
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    series: Mapping[str, Any] = field(default_factory=dict)
    """Nothing but what JSON can hold."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many games or pieces of work there were in each step."""
    version: str = ""
    """The version of the software."""

    def verdicts(self) -> dict[Verdict, int]:
        """Return how many rows came to each verdict."""
        return {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in VERDICTS}


def about(figure: float) -> Span:
    """Return the range that "about" a figure means."""
    near, far = sorted((figure * (1 - TOLERANCE), figure * (1 + TOLERANCE)))
    return near, far


def judged(ours: float, low: float, high: float, claimed: Span | None) -> Verdict:
    """Return what our figure, between `low` and `high`, says about the range that a reference claims, if it does."""
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
) -> Row:
    """Return the row of a figure without error; the reference's `claimed` means a range, None where it gives none."""
    return Row(label, claimed, ours, ours, ours, count, judged(ours, ours, ours, span), unit, note)


def share(label: str, claimed: str, span: Span | None, successes: float, trials: int, note: str = "") -> Row:
    """Return the row of a share that was counted, in %, beside the range in % that a reference claims."""
    low, high = wilson(successes, trials)
    ours = successes / trials if trials else 0.5
    return _percent(label, claimed, (ours, low, high), trials, judged(100 * ours, 100 * low, 100 * high, span), note)


def counted(
    label: str, claimed: float | None, successes: float, trials: int, *, of: int = PRINTED, note: str = ""
) -> Row:
    """Return the row of a share that was counted, as the reference counted its own: `claimed` % of so many games."""
    low, high = wilson(successes, trials)
    ours = successes / trials if trials else 0.5
    verdict: Verdict = "agrees" if 100 * (high - low) <= WIDEST else "unclear"
    if claimed is None:
        verdict = "new"
    elif not consistent(successes, trials, claimed / 100 * of, of):
        verdict = "differs"
    return _percent(label, "" if claimed is None else f"{claimed:g}%", (ours, low, high), trials, verdict, note)


def mean(label: str, claimed: str, span: Span | None, values: Sequence[float], unit: str = "", note: str = "") -> Row:
    """Return the row of the mean of independent figures beside the range that a reference claims."""
    ours, low, high = mean_interval(values)
    return Row(label, claimed, ours, low, high, len(values), judged(ours, low, high, span), unit, note)


def best(
    label: str, claimed: float, ours: float, possible: Collection[float], count: int, unit: str = "", note: str = ""
) -> Row:
    """Return the row of the setting that does best; `possible` are all that chance leaves in question."""
    low, high = min(possible, default=ours), max(possible, default=ours)
    verdict: Verdict = "agrees" if ours == claimed else "unclear" if claimed in possible else "differs"
    return Row(label, f"{claimed:g}", ours, min(low, ours), max(high, ours), count, verdict, unit, note)


def _percent(
    label: str, claimed: str, shares: tuple[float, float, float], count: int, verdict: Verdict, note: str
) -> Row:
    ours, low, high = (100 * figure for figure in shares)
    # A share of nothing or all is an end of its own interval, but for rounding.
    return Row(label, claimed, ours, min(low, ours), max(high, ours), count, verdict, "%", note)
