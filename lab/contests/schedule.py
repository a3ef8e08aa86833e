"""Schedules that do not depend on results: round robin, of two or more a game, and gauntlet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

from cornered.contests.pairing import circle
from cornered.lab.contests.match import meeting
from cornered.lab.contests.openings import Openings
from cornered.lab.contests.terms import Fixture, PlayedGame

__all__ = ["Gauntlet", "RoundRobin", "SeatRotation", "arranged"]


def arranged(
    meetings: Iterable[tuple[int, str, str]], openings: Openings, games: int, played: Sequence[PlayedGame] = ()
) -> list[Fixture]:
    """Return the fixtures of meetings, `games` games each, numbered on from those already played. A meeting is its
    round and two bots; the first of them has seat 0 in the first game. Openings are the same for all meetings."""
    fixtures: list[Fixture] = []
    number = len(played)
    pair = played[-1].fixture.pair + 1 if played else 0
    opening = cache(openings)
    for round_, first, second in meetings:
        fixtures += meeting(first, second, opening, games, number=number, pair=pair, round_=round_)
        number, pair = number + games, pair + (games + 1) // 2
    return fixtures


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """All pairs of bots, `each` games a pair, with the seats divided equally."""

    bots: tuple[str, ...]
    each: int
    openings: Openings

    def games(self) -> int:
        return len(self.bots) * (len(self.bots) - 1) // 2 * self.each

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> list[Fixture]:
        if round_ > 0:
            return []
        rounds = enumerate(circle(len(self.bots)))
        meetings = ((number, self.bots[a], self.bots[b]) for number, met in rounds for a, b in met)
        return arranged(meetings, self.openings, self.each)


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The first `tested` bots against all others, who do not play each other."""

    bots: tuple[str, ...]
    each: int
    openings: Openings
    tested: int = 1

    def games(self) -> int:
        return self.tested * (len(self.bots) - self.tested) * self.each

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> list[Fixture]:
        if round_ > 0:
            return []
        others = enumerate(self.bots[self.tested :])
        meetings = ((number, tested, other) for number, other in others for tested in self.bots[: self.tested])
        return arranged(meetings, self.openings, self.each)


@dataclass(frozen=True, slots=True)
class SeatRotation:
    """All groups of as many bots as a game has seats, `each` games a group, which is a multiple of the seats.

    As many games as seats have one opening, in which each bot of the group has each seat once. The next ones have
    another order around the board, until all have been played.
    """

    bots: tuple[str, ...]
    seats: int
    each: int
    openings: Openings

    def games(self) -> int:
        return math.comb(len(self.bots), self.seats) * self.each

    def fixtures(self, round_: int, played: Sequence[PlayedGame]) -> list[Fixture]:
        if round_ > 0:
            return []
        opening = cache(self.openings)
        fixtures: list[Fixture] = []
        for number, (first, *others) in enumerate(combinations(self.bots, self.seats)):
            orders = [(first, *rest) for rest in permutations(others)]
            sets = self.each // self.seats
            for turn in range(sets):
                order = orders[turn % len(orders)]
                for shift in range(self.seats):
                    players = order[shift:] + order[:shift]
                    fixtures.append(Fixture(len(fixtures), players, opening(turn), number * sets + turn, number))
        return fixtures
