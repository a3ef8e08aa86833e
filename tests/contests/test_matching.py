"""Maximum matchings, compared with trying everything, also while the graph shrinks; and Swiss rounds that need them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from cornered.contests.matching import Matching
from cornered.contests.pairing import Entrant, swiss


def by_trial(neighbours: list[list[int]], left: frozenset[int]) -> int:
    """Return the number of pairs of a maximum matching among the vertices that are left."""

    @cache
    def most(left: frozenset[int]) -> int:
        if not left:
            return 0
        first = min(left)
        rest = left - {first}
        return max(most(rest), *(1 + most(rest - {other}) for other in neighbours[first] if other in rest), 0)

    return most(left)


def test_a_matching_is_maximum_from_the_beginning_and_after_every_removal() -> None:
    chance = Random(1)
    for _ in range(300):
        count, density = chance.randrange(1, 12), chance.random()
        neighbours: list[list[int]] = [[] for _ in range(count)]
        for a in range(count):
            for b in range(a):
                if chance.random() < density:
                    neighbours[a].append(b)
                    neighbours[b].append(a)
        matching, left = Matching(neighbours), set(range(count))
        while left:
            assert len(left) - len(matching.exposed()) == 2 * by_trial(neighbours, frozenset(left))
            gone = chance.sample(sorted(left), min(len(left), chance.randrange(1, 3)))
            matching = matching.without(*gone)
            left -= set(gone)


def test_a_blossom_is_contracted() -> None:
    """Greedy pairs leave two vertices, which only a path through the odd cycle connects."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 2), (4, 5)]
    neighbours = [[b if a == vertex else a for a, b in edges if vertex in (a, b)] for vertex in range(6)]
    assert Matching(neighbours).exposed() == []


@pytest.mark.parametrize("count", [30, 31, 200])
def test_swiss_rounds_of_many_players_pair_everybody_once_and_nobody_twice(count: int) -> None:
    chance, met = Random(count), set[frozenset[str]]()
    entrants = {str(number): Entrant(str(number)) for number in range(count)}
    for _ in range(6):
        meetings, bye = swiss(list(entrants.values()))
        paired = [entrant.name for meeting in meetings for entrant in meeting]
        assert len(set(paired)) == len(paired) == count - count % 2
        assert (bye is None) == (count % 2 == 0)
        for pair in meetings:
            names = frozenset(entrant.name for entrant in pair)
            assert names not in met
            met.add(names)
            first = chance.choice([0.0, 0.5, 1.0])
            for seat, (one, share) in enumerate(zip(pair, (first, 1 - first), strict=True)):
                opponents = (*one.met, pair[1 - seat].name)
                entrants[one.name] = replace(one, points=one.points + share, met=opponents, seats=(*one.seats, seat))
        if bye is not None:
            assert bye.byes == 0
            entrants[bye.name] = replace(bye, points=bye.points + 1, byes=1, unplayed=1)
