"""What an experiment finds: rows with the reference's figure beside ours, our interval, and whether the two agree.

`cornered.lab.experiments.judging` makes the rows. Every row that differs has a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

__all__ = [
    "FIGURE_KINDS",
    "REASONS",
    "VERDICTS",
    "DifferenceReason",
    "Effect",
    "FigureKind",
    "FigureRow",
    "FigureVerdict",
    "Finding",
    "Scale",
    "Span",
]

Scale: TypeAlias = Literal["tiny", "quick", "full"]
"""Size of an experiment: `tiny` for the tests, `quick` for a first result, `full` for at least the reference's number
of games."""
FigureVerdict: TypeAlias = Literal["agrees", "differs", "unclear", "new", "apart"]
"""Comparison with the reference: `agrees`, `differs`, `unclear` where the sample is too small to decide, `new` where
the reference prints no figure, and `apart` where the two stand beside each other without a verdict."""
FigureKind: TypeAlias = Literal["exact", "proven", "measured", "time"]
"""Where our figure comes from: `exact`, counted or computed without error; `proven`, the result of perfect play by a
complete search; `measured`, a sample with an interval; `time`, a time or rate of the machine that measured it."""
DifferenceReason: TypeAlias = Literal["refuted", "vague", "definition", "unexplained"]
"""Why a figure differs: `refuted`, a proof or the reference's own figures contradict it; `vague`, the reference does
not say enough to repeat what it measured; `definition`, another reading of the reference agrees; `unexplained`."""
Span: TypeAlias = tuple[float, float]
"""A closed range, or an open one with an infinite end."""

VERDICTS: Final[tuple[FigureVerdict, ...]] = ("agrees", "differs", "unclear", "new", "apart")
FIGURE_KINDS: Final[tuple[FigureKind, ...]] = ("exact", "proven", "measured", "time")
REASONS: Final[tuple[DifferenceReason, ...]] = ("refuted", "vague", "definition", "unexplained")


@dataclass(frozen=True, slots=True)
class Effect:
    """The size of a difference and the ends of its 95% interval. `points` is ours minus the reference's share, in
    percentage points; `times` is ours over the reference's figure. A range is represented by its point nearest to
    ours."""

    value: float
    low: float
    high: float
    scale: Literal["points", "times"]


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
    kind: FigureKind = "measured"
    effective: float | None = None
    """Number of independent observations that give as narrow an interval; None where it is `count`."""
    p: float | None = None
    """Two-sided p-value of the reference's figure; None where nothing is compared, or without sampling error."""
    detectable: float | None = None
    """Minimum detectable difference from the reference's figure, in `unit`, at the 5% level and with 80% power."""
    effect: Effect | None = None
    reason: DifferenceReason | Literal[""] = ""
    why: str = ""
    """What the reason rests on, and what was tried; one or two sentences."""

    def __post_init__(self) -> None:
        if self.verdict == "differs" and not self.reason:
            object.__setattr__(self, "reason", "unexplained")

    def because(self, reason: DifferenceReason, why: str) -> FigureRow:
        """Return the row with the reason why it differs; the row itself where it does not differ."""
        return replace(self, reason=reason, why=why) if self.verdict == "differs" else self


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
    data: Mapping[str, int] = field(default_factory=dict)
    """Number of lines of each file of data, by its path beside the finding."""
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Software and machine of the run, and its date; see `cornered.lab.experiments.provenance`."""

    def verdicts(self) -> dict[FigureVerdict, int]:
        """Return the number of rows by verdict."""
        return {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in VERDICTS}
