"""Bounded evaluations, which can be averaged over dice and playouts."""

from __future__ import annotations

from typing import Final

__all__ = ["squashed", "unsquashed"]

HALF_WIN_EVALUATION: Final = 10.0
"""The evaluation that counts as half of a win."""


def squashed(evaluation: float) -> float:
    """Return an evaluation as a number between -1 and 1, rising with it; HALF_WIN_EVALUATION becomes 0.5."""
    return evaluation / (HALF_WIN_EVALUATION + abs(evaluation))


def unsquashed(value: float) -> float:
    """Return the evaluation that `squashed` made `value` of, never beyond 999."""
    return (
        999.0
        if value >= 0.99
        else -999.0
        if value <= -0.99
        else round(HALF_WIN_EVALUATION * value / (1.0 - abs(value)), 6)
    )
