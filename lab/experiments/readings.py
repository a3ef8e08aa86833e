"""Judges several readings of one printed figure together: each that differs says which of the others agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cornered.lab.experiments.findings import FigureRow

__all__ = ["MAX_LISTED", "settled"]

MAX_LISTED: Final = 6
"""Most readings that a reason lists."""


def settled(rows: Sequence[FigureRow], missing: str) -> list[FigureRow]:
    """Return the readings of one printed figure, with the reasons of those that differ: `definition` where another
    reading agrees, else `vague`. `missing` is a sentence that says what the reference leaves out."""
    agreeing = [row.label for row in rows if row.verdict == "agrees"]
    if agreeing:
        verb = "agrees" if len(agreeing) == 1 else "agree"
        return [
            row.because("definition", f"{missing} Of the {len(rows)} readings here {'; '.join(agreeing)} {verb}.")
            for row in rows
        ]
    if len(rows) > MAX_LISTED:
        least, most = min(rows, key=lambda row: row.ours), max(rows, key=lambda row: row.ours)
        tried = f"the {len(rows)} readings here agrees: the lowest is {_named(least)}; the highest is {_named(most)}"
    else:
        tried = f"these agrees: {'; '.join(map(_named, rows))}"
    return [row.because("vague", f"{missing} None of {tried}.") for row in rows]


def _named(row: FigureRow) -> str:
    return f"{row.label}, {row.ours:,.0f}" if abs(row.ours) >= 1000 else f"{row.label}, {row.ours:.4g}"
