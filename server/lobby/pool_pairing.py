"""Pairs the players who wait in one pool: near ratings first, within windows that widen with the wait. Pure.

Two players may be paired when their ratings differ by no more than the mean of their windows. Among all such pairs the
best are taken first; a long wait makes a pair better. Newest opponents are avoided until both have waited for long.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

__all__ = ["REPEAT_AFTER_MS", "UNBOUNDED_AFTER_MS", "Candidate", "pair", "window"]

FIRST_WINDOW: Final = 60.0
"""Rating points by which an opponent may differ from a player who has just come."""
GROWTH: Final = 20.0
"""Rating points by which the window grows with each second of the wait."""
UNBOUNDED_AFTER_MS: Final = 60_000
"""After this wait any opponent will do."""
REPEAT_AFTER_MS: Final = 20_000
"""After this wait of both, two players may be paired again who met before: there may be nobody else."""
WAIT_BONUS: Final = 10.0
"""Rating points by which a second of waiting makes a pair better than another."""
NEIGHBOURS: Final = 8
"""Candidates next to each other by rating that are compared."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player who waits: `waited` is in milliseconds, `avoided` are the newest opponents.

    Two players of the same `kin` never meet, unless it is empty, nor does a player one of those who are `blocked`.
    """

    player: str
    rating: float
    waited: int
    avoided: tuple[str, ...] = ()
    kin: str = ""
    blocked: frozenset[str] = frozenset()


def window(waited: int) -> float:
    """Return by how many rating points an opponent may differ after a wait, in milliseconds."""
    return math.inf if waited >= UNBOUNDED_AFTER_MS else FIRST_WINDOW + GROWTH * waited / 1000


def pair(candidates: Sequence[Candidate]) -> list[tuple[str, str]]:
    """Return the pairs of one round; whoever is in none waits on."""
    ordered = sorted(candidates, key=attrgetter("rating", "player"))
    pairs = list[tuple[str, str]]()
    taken = set[str]()
    for _, one, other in sorted(_possible(ordered)):
        if one not in taken and other not in taken:
            taken |= {one, other}
            pairs.append((one, other))
    return pairs


def _possible(ordered: Sequence[Candidate]) -> Iterator[tuple[float, str, str]]:
    """Yield the pairs that are allowed, each after its cost in rating points."""
    for index, one in enumerate(ordered):
        for other in ordered[index + 1 : index + 1 + NEIGHBOURS]:
            gap = other.rating - one.rating
            if gap > (window(one.waited) + window(other.waited)) / 2 or _is_too_soon(one, other):
                continue
            if one.kin and one.kin == other.kin:
                continue
            if other.player in one.blocked or one.player in other.blocked:
                continue
            yield gap - WAIT_BONUS * (one.waited + other.waited) / 1000, one.player, other.player


def _is_too_soon(one: Candidate, other: Candidate) -> bool:
    """Return whether two players have met before, and others may still come."""
    has_met = other.player in one.avoided or one.player in other.avoided
    return has_met and min(one.waited, other.waited) < REPEAT_AFTER_MS
