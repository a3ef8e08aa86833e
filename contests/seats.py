"""Who has the first seat, by the seats of the games before: the colours of FIDE's handbook, C.04.3, A.6 and E."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

__all__ = ["Strength", "Wish", "clash", "has_first_seat", "wish"]

MOST_APART: Final = 1
"""How often more a player may have had the one seat than the other before its wish for the other is absolute."""


class Strength(IntEnum):
    """How strong a wish for a seat is."""

    NONE = 0
    MILD = 1
    """The seats are even: the other one than in the newest game."""
    STRONG = 2
    """One seat more often by one."""
    ABSOLUTE = 3
    """One seat more often by two, or in the two newest games."""


class Wish(NamedTuple):
    """The seat that is due to a player; None before its first game."""

    seat: int | None
    strength: Strength
    apart: int
    """How often more it had the one seat than the other."""


def wish(seats: Sequence[int]) -> Wish:
    """Return the seat that is due to a player after games in `seats`, oldest first."""
    first = seats.count(0)
    more = first - (len(seats) - first)
    if not seats:
        return Wish(None, Strength.NONE, 0)
    if len(seats) > 1 and seats[-1] == seats[-2]:
        return Wish(1 - seats[-1], Strength.ABSOLUTE, abs(more))
    if more:
        strength = Strength.ABSOLUTE if abs(more) > MOST_APART else Strength.STRONG
        return Wish(1 if more > 0 else 0, strength, abs(more))
    return Wish(1 - seats[-1], Strength.MILD, 0)


def clash(one: Wish, other: Wish) -> Strength:
    """Return how strong the weaker one of two wishes for the same seat is: NONE where both can be granted."""
    return min(one.strength, other.strength) if one.seat == other.seat else Strength.NONE


def has_first_seat(better: Sequence[int], other: Sequence[int], *, otherwise: bool) -> bool:
    """Return whether the better ranked of two players has the first seat, by the seats of their games, oldest first.

    Both wishes are granted, or the stronger one, or that of the player whose seats are further apart; or both exchange
    the seats of the newest of their games in which these were different; or the better ranked player has its wish.
    `otherwise` decides where neither has played.
    """
    mine, theirs = wish(better), wish(other)
    if mine.seat is None or theirs.seat is None or mine.seat != theirs.seat:
        if mine.seat is None:
            return otherwise if theirs.seat is None else theirs.seat == 1
        return mine.seat == 0
    if mine[1:] != theirs[1:]:
        return (mine.seat == 0) == (mine[1:] > theirs[1:])
    for own, opposite in zip(reversed(better), reversed(other), strict=False):
        if own != opposite:
            return own == 1
    return mine.seat == 0
