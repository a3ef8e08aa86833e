"""Pairings: the circle of a round robin, the bracket of a knockout, and a Swiss round by score groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

__all__ = ["Entrant", "bracket", "can_be_paired", "circle", "swiss"]


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


def can_be_paired(count: int, may_meet: Callable[[int, int], bool]) -> bool:
    """Say whether so many players can all be paired at once: whether the graph of meetings has a perfect matching."""
    # Imported where a round is paired: a match needs no graphs.
    import networkx

    graph = networkx.Graph(pair for pair in combinations(range(count), 2) if may_meet(*pair))
    return 2 * len(networkx.max_weight_matching(graph, maxcardinality=True)) == count


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

    def may_meet(a: Entrant, b: Entrant, again: int, *, minds_seats: bool) -> bool:
        is_at_top = a.points == b.points == best
        return a.met.count(b.name) <= again and (not minds_seats or is_at_top or _clash(a, b) < 2)

    most = max((len(entrant.met) for entrant in ranked), default=0)
    for again in range(most + 1):
        for resting in _resting(ranked):
            for minds_seats in (True, False):

                def allowed(a: Entrant, b: Entrant, again: int = again, seats: bool = minds_seats) -> bool:
                    return may_meet(a, b, again, minds_seats=seats)

                for bye in resting:
                    rest = [entrant for entrant in ranked if entrant is not bye]
                    if _all_paired(rest, allowed):
                        return [_seated(a, b, board) for board, (a, b) in enumerate(_meetings(rest, allowed))], bye
    raise AssertionError("with enough meetings allowed any two players can meet")


def _resting(ranked: Sequence[Entrant]) -> Iterator[list[Entrant] | list[None]]:
    """Yield the candidates for the bye, the best first: the fewest byes before, and among those the lowest rank."""
    if len(ranked) % 2 == 0:
        yield [None]
        return
    for byes in sorted({entrant.byes for entrant in ranked}):
        yield [entrant for entrant in reversed(ranked) if entrant.byes == byes]


def _all_paired(entrants: Sequence[Entrant], allowed: Callable[[Entrant, Entrant], bool]) -> bool:
    return can_be_paired(len(entrants), lambda a, b: allowed(entrants[a], entrants[b]))


def _meetings(
    ranked: Sequence[Entrant], allowed: Callable[[Entrant, Entrant], bool]
) -> Iterator[tuple[Entrant, Entrant]]:
    """Yield the meetings from the top: each player's best opponent that leaves the others a way to be paired."""
    left = list(ranked)
    while left:
        player = left.pop(0)
        group = [other for other in left if other.points == player.points]
        half = (len(group) + 1) // 2
        wished = {id(other): place for place, other in enumerate([*group[half - 1 :], *reversed(group[: half - 1])])}

        def price(other: Entrant, player: Entrant = player, wished: dict[int, int] = wished) -> tuple[float, ...]:
            again = player.met.count(other.name)
            return again, player.points - other.points, _clash(player, other), wished.get(id(other), 0)

        for other in sorted((other for other in left if allowed(player, other)), key=price):
            rest = [entrant for entrant in left if entrant is not other]
            if _all_paired(rest, allowed):
                yield player, other
                left = rest
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
