"""Judges several readings of one printed figure together: each that differs says which of the others agrees."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.lab.experiments.findings import FigureRow

__all__ = ["settled"]


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
    tried = "; ".join(f"{row.label}, {row.ours:.4g}" for row in rows)
    return [row.because("vague", f"{missing} None of these agrees: {tried}.") for row in rows]
