"""Which games of a long course of a rating are shown. Pure."""

from __future__ import annotations

__all__ = ["thinned"]


def thinned(games: int, points: int) -> list[int]:
    """Return numbers of games from 1 to `games`, evenly spread with the first and the last: all, or `points` of them.

    `points` is at least 2.
    """
    if games <= points:
        return list(range(1, games + 1))
    return [1 + round(place * (games - 1) / (points - 1)) for place in range(points)]
