"""Points and pairs of an arena, and that all who are there play about as much."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest

from cornered.contests.arena import REPEAT_AFTER_MS, Contender, arena_points, pair_free

LOOK_MS = 3_000


def test_points_of_an_arena_are_doubled_after_two_wins() -> None:
    results = ((1.0, 0), (0.5, 1), (0.0, 5), (1.0, 2), (0.5, 2), (1.0, 1))
    assert [arena_points(share, streak) for share, streak in results] == [2, 1, 0, 4, 2, 2]


def test_two_who_have_just_met_meet_nobody_else_only_where_nobody_else_is_free_for_a_while() -> None:
    ann, ben = Contender("ann", 4, 1500, "ben", (0,)), Contender("ben", 2, 1500, "ann", (1,))
    assert pair_free([ann, ben], are_alone=False) == []
    assert pair_free([ann, ben], are_alone=True) == [("ben", "ann")]
    waiting = [Contender(one.name, 0, 1500, one.last, (), REPEAT_AFTER_MS) for one in (ann, ben)]
    assert pair_free(waiting, are_alone=False) == [("ann", "ben")]
    cas = Contender("cas", 0, 1500)
    assert {"cas"} < set(*pair_free([*waiting, cas], are_alone=False))


def test_similar_scores_meet_and_the_odd_one_is_who_waited_least() -> None:
    players = [Contender(str(number), number, 1500, waited=9 - number) for number in range(5)]
    assert {frozenset(pair) for pair in pair_free(players, are_alone=False)} == {frozenset("32"), frozenset("10")}


class Played(NamedTuple):
    games: list[int]
    repeats: int


def simulated(count: int, length: Callable[[Random], int], minutes: int = 60) -> Played:
    """Hold an arena of players of different strength, whose games last for `length` milliseconds."""
    chance = Random(count)
    strength = {str(number): chance.random() for number in range(count)}
    last, since = dict[str, str](), dict.fromkeys(strength, 0)
    points, seats = dict.fromkeys(strength, 0.0), {name: list[int]() for name in strength}
    playing: list[tuple[int, str, str]] = []
    repeats = 0
    for now in range(0, minutes * 60_000, LOOK_MS):
        while playing and playing[0][0] <= now:
            at, one, other = heapq.heappop(playing)
            points[one if chance.random() < 0.5 + (strength[one] - strength[other]) / 2 else other] += 2
            since |= {one: at, other: at}
        busy = {name for _, *pair in playing for name in pair}
        free = [
            Contender(name, points[name], 1500, last.get(name), seats[name], now - since[name])
            for name in strength
            if name not in busy
        ]
        for pair in pair_free(free, are_alone=count == 2):
            for seat, name in enumerate(pair):
                repeats += last.get(name) == pair[1 - seat]
                last[name] = pair[1 - seat]
                seats[name].append(seat)
            heapq.heappush(playing, (now + length(chance), pair[0], pair[1]))
    return Played([len(seats[name]) for name in strength], repeats)


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7, 9, 31])
@pytest.mark.parametrize(
    "length", [lambda _: 60_000, lambda chance: chance.randint(10_000, 110_000)], ids=["even", "uneven"]
)
def test_all_players_of_an_arena_play_about_as_many_games(count: int, length: Callable[[Random], int]) -> None:
    games, repeats = simulated(count, length)
    assert max(games) <= 1.5 * min(games), games
    # Of four or six players two may be free for long, while all others play.
    assert repeats == 0 or count in (4, 6, 31)


@pytest.mark.parametrize("count", [60, 101, 200])
def test_all_players_of_a_large_arena_play_about_as_many_games(count: int) -> None:
    games, _ = simulated(count, lambda chance: chance.randint(10_000, 110_000))
    assert max(games) <= 1.5 * min(games), games
