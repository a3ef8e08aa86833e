"""An arena: free players of similar score are paired again and again, and wins in a row count double."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["DRAW_POINTS", "STREAK", "WIN_POINTS", "Contender", "arena_points", "pair_free"]

WIN_POINTS: Final = 2
DRAW_POINTS: Final = 1
STREAK: Final = 2
"""Games won in a row after which points are doubled, until a game is not won."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A player who is free. `last` is the newest opponent; `balance` the games in seat 0 less those in seat 1."""

    name: str
    points: float
    rating: float
    last: str | None = None
    balance: int = 0


def arena_points(share: float, streak: int) -> float:
    """Return the points of a game: `share` is 1, 0.5 or 0, and `streak` how many games before it were won in a row."""
    plain = WIN_POINTS if share == 1 else DRAW_POINTS if share == 0.5 else 0
    return float(plain * 2 if streak >= STREAK else plain)


def pair_free(contenders: Sequence[Contender], *, may_repeat: bool) -> list[tuple[str, str]]:
    """Return pairs of free players, by score and then rating from the top, the first seat first.

    Nobody meets the newest opponent at once again, unless they `may_repeat`; then some may stay without an opponent.
    """
    left = sorted(contenders, key=lambda one: (-one.points, -one.rating, one.name))
    pairs = []
    while left:
        player = left.pop(0)
        other = next((one for one in left if may_repeat or player.name != one.last or one.name != player.last), None)
        if other is not None:
            left.remove(other)
            first, second = (player, other) if player.balance <= other.balance else (other, player)
            pairs.append((first.name, second.name))
    return pairs
