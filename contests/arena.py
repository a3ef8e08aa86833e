"""An arena: free players of similar score are paired again and again, and wins in a row count double."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cornered.contests.matching import Matching, graph
from cornered.contests.seats import has_first_seat

__all__ = ["DRAW_POINTS", "REPEAT_AFTER_MS", "STREAK", "WIN_POINTS", "Contender", "arena_points", "pair_free"]

WIN_POINTS: Final = 2
DRAW_POINTS: Final = 1
STREAK: Final = 2
"""Games won in a row after which points are doubled, until a game is not won."""


REPEAT_AFTER_MS: Final = 30_000
"""The wait after which two players meet again at once, where nobody else is free."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A player who is free, for `waited` milliseconds. `last` is the newest opponent; `seats` those of its games."""

    name: str
    points: float
    rating: float
    last: str | None = None
    seats: Sequence[int] = ()
    waited: int = 0


def arena_points(share: float, streak: int) -> float:
    """Return the points of a game: `share` is 1, 0.5 or 0, and `streak` how many games before it were won in a row."""
    plain = WIN_POINTS if share == 1 else DRAW_POINTS if share == 0.5 else 0
    return float(plain * 2 if streak >= STREAK else plain)


def pair_free(contenders: Sequence[Contender], *, are_alone: bool) -> list[tuple[str, str]]:
    """Return pairs of free players, the first seat first: as many as there can be, and the longest waits first.

    Then similar scores, and ratings, meet. Two who have just met, both of them, do not meet again, unless they
    `are_alone`, or nobody else is free for `REPEAT_AFTER_MS`; and where as many can be paired, no player meets its
    newest opponent.
    """
    ranked = sorted(contenders, key=lambda one: (-one.points, -one.rating, one.name))
    have_waited = all(one.waited >= REPEAT_AFTER_MS for one in ranked)
    if len(ranked) == 2 and (are_alone or have_waited):
        return [_seats(*ranked)]

    def matching(may_meet: Callable[[Contender, Contender], bool]) -> Matching:
        return Matching(graph(len(ranked), lambda a, b: may_meet(ranked[a], ranked[b])))

    every = matching(lambda one, other: other.name != one.last and one.name != other.last)
    if len(every.exposed()) > len(ranked) % 2:
        wider = matching(lambda one, other: other.name != one.last or one.name != other.last)
        every = min(every, wider, key=lambda each: len(each.exposed()))
    left = list(range(len(ranked)))
    for player in sorted(left, key=lambda rank: (ranked[rank].waited, -len(ranked[rank].seats), -rank)):
        # Who has waited least, and of those who has played most, is left out: such a choice is as good for all others
        # as any, since the sets of players that a matching can cover are the independent sets of a matroid.
        if not every.exposed():
            break
        rest = every.without(player)
        if len(rest.exposed()) < len(every.exposed()):
            every = rest
            left.remove(player)
    pairs = []
    while left:
        player = left.pop(0)
        for other in left:
            if every.may_meet(player, other) and not (rest := every.without(player, other)).exposed():
                pairs.append(_seats(ranked[player], ranked[other]))
                left.remove(other)
                every = rest
                break
    return pairs


def _seats(one: Contender, other: Contender) -> tuple[str, str]:
    is_first = has_first_seat(one.seats, other.seats, otherwise=True)
    return (one.name, other.name) if is_first else (other.name, one.name)
