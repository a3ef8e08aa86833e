"""Control of the false discovery rate over many comparisons (Benjamini and Hochberg, "Controlling the false discovery
rate", 1995)."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["adjusted"]


def adjusted(ps: Sequence[float]) -> list[float]:
    """Return each p-value's adjusted value, in the same order: the smallest false discovery rate at which the step-up
    procedure rejects its hypothesis. Comparisons that are independent or positively dependent are assumed. Raises
    ValueError for what is no probability."""
    for p in ps:
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"a p-value is from 0 to 1, not {p}")
    found = [1.0] * len(ps)
    least = 1.0
    for rank, place in sorted(enumerate(sorted(range(len(ps)), key=ps.__getitem__), 1), reverse=True):
        least = min(least, ps[place] * len(ps) / rank)
        found[place] = least
    return found
