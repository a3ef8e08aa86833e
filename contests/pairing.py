"""Pairings: the tables of a round robin, the bracket of a knockout, and a Swiss round by score groups."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cornered.contests.matching import Matching, graph
from cornered.contests.seats import Strength, clash, has_first_seat, wish

__all__ = ["Entrant", "berger", "bracket", "can_be_paired", "circle", "rounds_for", "swiss"]


def berger(count: int, cycles: int = 1) -> list[list[tuple[int, int]]]:
    """Return the rounds of a round robin by Berger tables: any two players meet once in each of `cycles`.

    FIDE's handbook, C.05, annex 1: with an odd number of players the one who would meet the last place has a bye. The
    seats are exchanged in every other cycle, and the last two rounds of a cycle before another one change places, so
    that nobody has the same seat three times in a row, but for four players in more than two cycles.
    """
    even = count + count % 2
    last = even - 1
    tables = []
    for round_ in range(last):
        # The opponent of the last place moves on by half of the places, and has the first seat in every other round.
        start = round_ * (even // 2) % last
        meetings = [(start, last) if round_ % 2 == 0 else (last, start)]
        meetings += [((start + step) % last, (start - step) % last) for step in range(1, even // 2)]
        tables.append([meeting for meeting in meetings if max(meeting) < count])
    rounds = []
    for cycle in range(cycles):
        order = tables if cycle == cycles - 1 else [*tables[:-2], *reversed(tables[-2:])]
        rounds += order if cycle % 2 == 0 else [[meeting[::-1] for meeting in meetings] for meetings in order]
    return rounds


def circle(count: int) -> list[list[tuple[int, int]]]:
    """Return the rounds of a round robin by the circle method, of tournaments that began by it: any two meet once.

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
    return not Matching(graph(count, may_meet)).exposed()


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player before a Swiss round: its points, one for each meeting won, its opponents and its seats."""

    name: str
    points: float = 0.0
    met: tuple[str, ...] = ()
    """Its opponents, once for every meeting."""
    seats: tuple[int, ...] = ()
    """Its seats in the games that were played, oldest first."""
    byes: int = 0
    """How often it had the points of a win without a game: byes, and wins by forfeit."""
    unplayed: int = 0
    """The rounds in which it has not played."""


def swiss(
    entrants: Sequence[Entrant], *, top_meets: bool = False
) -> tuple[list[tuple[Entrant, Entrant]], Entrant | None]:
    """Return the meetings of the next round, the first seat first, and the player with the bye if the number is odd.

    `entrants` are in their order of seeding. No two players meet again, and none who has had the points of a win
    without a game has a bye (FIDE's handbook, C.04.1), where this round can avoid it, which it always can in the first
    half as many rounds as there are players. Then players of equal points meet, the upper half of a score group the
    lower one, seats permitting, as in the Dutch system, C.04.3. Two to whom the same seat is due at all costs meet only
    where nothing else is left, or where `top_meets`: then two at the top meet whatever their seats.
    """
    ranked = sorted(entrants, key=lambda entrant: -entrant.points)
    best = max((entrant.points for entrant in ranked), default=0.0)
    wishes = [wish(entrant.seats) for entrant in ranked]

    def wanted(one: int, other: int) -> Strength:
        """Return how much two players want the same seat."""
        are_exempt = top_meets and ranked[one].points == ranked[other].points == best
        return min(clash(wishes[one], wishes[other]), Strength.STRONG if are_exempt else Strength.ABSOLUTE)

    def meetings_allowed(again: int, *, minds_seats: bool) -> list[list[int]]:
        def may_meet(one: int, other: int) -> bool:
            allowed = ranked[one].met.count(ranked[other].name) <= again
            return allowed and (not minds_seats or wanted(one, other) < Strength.ABSOLUTE)

        return graph(len(ranked), may_meet)

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
                        meetings = _meetings(ranked, rest, bye, wanted)
                        seated = [_seated(a, b, board) for board, (a, b) in enumerate(meetings)]
                        return seated, None if bye is None else ranked[bye]
    raise AssertionError("with enough meetings allowed any two players can meet")


def _resting(ranked: Sequence[Entrant]) -> Iterator[list[int] | list[None]]:
    """Yield the candidates for the bye, the best first: the fewest byes before, the fewest points, and of those the
    fewest unplayed rounds (C.04.3, C.5 and C.9), and the lowest rank."""
    if len(ranked) % 2 == 0:
        yield [None]
        return
    for byes in sorted({entrant.byes for entrant in ranked}):
        candidates = [rank for rank in range(len(ranked)) if ranked[rank].byes == byes]
        yield sorted(candidates, key=lambda rank: (ranked[rank].points, ranked[rank].unplayed, -rank))


def _meetings(
    ranked: Sequence[Entrant], matching: Matching, bye: int | None, wanted: Callable[[int, int], Strength]
) -> Iterator[tuple[Entrant, Entrant]]:
    """Yield the meetings from the top: each player's best opponent that leaves the others a way to be paired.

    `matching` has a mate for each player but the one with the `bye`; `wanted` returns how much two players want the
    same seat.
    """
    left = [rank for rank in range(len(ranked)) if rank != bye]
    while left:
        player = left.pop(0)
        group = [other for other in left if ranked[other].points == ranked[player].points]
        half = (len(group) + 1) // 2
        wished = {other: place for place, other in enumerate([*group[half - 1 :], *reversed(group[: half - 1])])}

        def price(other: int, player: int = player, wished: dict[int, int] = wished) -> tuple[float, ...]:
            one, two = ranked[player], ranked[other]
            strength = wanted(player, other)
            is_absolute = strength == Strength.ABSOLUTE
            return one.met.count(two.name), is_absolute, one.points - two.points, strength, wished.get(other, 0)

        for other in sorted((other for other in left if matching.may_meet(player, other)), key=price):
            rest = matching.without(player, other)
            if not rest.exposed():
                yield ranked[player], ranked[other]
                left.remove(other)
                matching = rest
                break


def _seated(a: Entrant, b: Entrant, board: int) -> tuple[Entrant, Entrant]:
    """Return two players by seat, `a` being ranked better; where neither has played the boards alternate."""
    return (a, b) if has_first_seat(a.seats, b.seats, otherwise=board % 2 == 0) else (b, a)
