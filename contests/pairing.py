"""Pairings: the circle of a round robin, the bracket of a knockout, and a Swiss round by score groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from cornered.contests.matching import Matching

__all__ = ["Entrant", "bracket", "can_be_paired", "circle", "rounds_for", "swiss"]


def circle(count: int) -> list[list[tuple[int, int]]]:
    """Return the rounds of a round robin by the circle method: any two players meet once.

    One player keeps its place, the others rotate by a place each round; with an odd number of players one has a bye.
    """
    places = [*range(count), *([-1] if count % 2 else [])]
    rounds = []
    for round_ in range(len(places) - 1):
        met = list(zip(places[: len(places) // 2], reversed(places), strict=False))
        # The player that keeps its place has the first seat every other round.
        met[0] = met[0] if round_ % 2 == 0 else met[0][::-1]
        rounds.append([meeting for meeting in met if -1 not in meeting])
        places = [places[0], places[-1], *places[1:-1]]
    return rounds


def bracket(count: int) -> list[int | None]:
    """Return the places of a knockout's first round, by seeds: neighbours meet, None is a bye.

    The first and the second seed can only meet in the final, the first four not before the semi-finals, and so on; the
    best seeds have the byes.
    """
    seeds = [0]
    while len(seeds) < count:
        seeds = [seed for better in seeds for seed in (better, 2 * len(seeds) - 1 - better)]
    return [seed if seed < count else None for seed in seeds]


def rounds_for(count: int) -> int:
    """Return the least number of rounds after which at most one player can have won all its meetings."""
    return max(1, math.ceil(math.log2(count)))


def can_be_paired(count: int, may_meet: Callable[[int, int], bool]) -> bool:
    """Say whether so many players can all be paired at once: whether the graph of meetings has a perfect matching."""
    return not Matching(_graph(count, may_meet)).exposed()


def _graph(count: int, may_meet: Callable[[int, int], bool]) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for a, b in combinations(range(count), 2):
        if may_meet(a, b):
            neighbours[a].append(b)
            neighbours[b].append(a)
    return neighbours


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player before a Swiss round: its points, one for each meeting won, its opponents and its seats."""

    name: str
    points: float = 0.0
    met: tuple[str, ...] = ()
    """Its opponents, once for every meeting."""
    balance: int = 0
    """How often it had the first seat more often than the second."""
    latest: int | None = None
    """The seat of its newest game."""
    byes: int = 0


def swiss(entrants: Sequence[Entrant]) -> tuple[list[tuple[Entrant, Entrant]], Entrant | None]:
    """Return the meetings of the next round, the first seat first, and the player with the bye if the number is odd.

    `entrants` are in their order of seeding. No two players meet again, and none has a second bye, where this round can
    avoid it, which it always can in the first half as many rounds as there are players. Then players of equal points
    meet, the upper half of a score group the lower one, seats permitting, as in the Dutch system of FIDE's handbook,
    C.04.3. Two with two first seats too many, or too few, meet only where nothing else is left, or at the top.
    """
    ranked = sorted(entrants, key=lambda entrant: -entrant.points)
    best = max((entrant.points for entrant in ranked), default=0.0)

    def meetings_allowed(again: int, *, minds_seats: bool) -> list[list[int]]:
        def may_meet(one: int, other: int) -> bool:
            a, b = ranked[one], ranked[other]
            is_at_top = a.points == b.points == best
            return a.met.count(b.name) <= again and (not minds_seats or is_at_top or _clash(a, b) < 2)

        return _graph(len(ranked), may_meet)

    most = max((len(entrant.met) for entrant in ranked), default=0)
    for again in range(most + 1):
        for resting in _resting(ranked):
            for minds_seats in (True, False):
                neighbours = meetings_allowed(again, minds_seats=minds_seats)
                every = Matching(neighbours)
                if len(every.exposed()) > len(ranked) % 2:
                    continue
                for bye in resting:
                    rest = every if bye is None else every.without(bye)
                    if not rest.exposed():
                        meetings = _meetings(ranked, neighbours, rest, bye)
                        seated = [_seated(a, b, board) for board, (a, b) in enumerate(meetings)]
                        return seated, None if bye is None else ranked[bye]
    raise AssertionError("with enough meetings allowed any two players can meet")


def _resting(ranked: Sequence[Entrant]) -> Iterator[list[int] | list[None]]:
    """Yield the candidates for the bye, the best first: the fewest byes before, and among those the lowest rank."""
    if len(ranked) % 2 == 0:
        yield [None]
        return
    for byes in sorted({entrant.byes for entrant in ranked}):
        yield [rank for rank in reversed(range(len(ranked))) if ranked[rank].byes == byes]


def _meetings(
    ranked: Sequence[Entrant], neighbours: Sequence[Sequence[int]], matching: Matching, bye: int | None
) -> Iterator[tuple[Entrant, Entrant]]:
    """Yield the meetings from the top: each player's best opponent that leaves the others a way to be paired.

    `matching` has a mate for each player but the one with the `bye`.
    """
    left = [rank for rank in range(len(ranked)) if rank != bye]
    while left:
        player = left.pop(0)
        group = [other for other in left if ranked[other].points == ranked[player].points]
        half = (len(group) + 1) // 2
        wished = {other: place for place, other in enumerate([*group[half - 1 :], *reversed(group[: half - 1])])}

        def price(other: int, player: int = player, wished: dict[int, int] = wished) -> tuple[float, ...]:
            one, two = ranked[player], ranked[other]
            return one.met.count(two.name), one.points - two.points, _clash(one, two), wished.get(other, 0)

        may_meet = set(neighbours[player])
        for other in sorted((other for other in left if other in may_meet), key=price):
            rest = matching.without(player, other)
            if not rest.exposed():
                yield ranked[player], ranked[other]
                left.remove(other)
                matching = rest
                break


def _clash(a: Entrant, b: Entrant) -> int:
    """Return how much two players want the same seat: 0 not at all, 2 or more where one would have it far too often."""
    return min(abs(a.balance), abs(b.balance)) if a.balance * b.balance > 0 else 0


def _seated(a: Entrant, b: Entrant, board: int) -> tuple[Entrant, Entrant]:
    """Return two players by seat: the first had it less often, or less recently; otherwise the boards alternate."""
    if a.balance != b.balance:
        return (a, b) if a.balance < b.balance else (b, a)
    if a.latest != b.latest:
        return (b, a) if a.latest == 0 or b.latest == 1 else (a, b)
    return (a, b) if board % 2 == 0 else (b, a)
