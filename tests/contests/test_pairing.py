"""Swiss rounds with the published cases of other programs, who has the first seat, and the tables of a round robin."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from cornered.contests.matching import Matching, graph
from cornered.contests.pairing import Entrant, berger, swiss
from cornered.contests.seats import Strength, clash, has_first_seat, wish


def numbers(entrants: list[Entrant], **more: bool) -> tuple[list[tuple[str, str]], str | None]:
    meetings, bye = swiss(entrants, **more)
    return [(one.name, other.name) for one, other in meetings], None if bye is None else bye.name


# Swiss


def test_the_published_case_of_a_bye_that_leaves_players_who_have_not_met() -> None:
    """The case `dutch_2025_C5` of bbpPairings: third round; 4 is away."""
    entrants = [
        Entrant("1", 2.0, ("4", "2"), (0, 1)),
        Entrant("2", 1.0, ("5", "1"), (1, 0)),
        Entrant("3", 2.0, ("6", "4"), (0, 1)),
        Entrant("5", 1.0, ("2", "6"), (0, 1)),
        Entrant("6", 0.0, ("3", "5"), (1, 0)),
    ]
    assert numbers(entrants, top_meets=True) == ([("1", "5"), ("3", "2")], "6")


def test_the_published_case_of_a_bye_for_who_has_played_more() -> None:
    """The case `dutch_2025_C9` of bbpPairings: 5 was away in the first round."""
    entrants = [
        Entrant("1", 1.0, ("3",), (0,)),
        Entrant("2", 1.0, ("4",), (1,)),
        Entrant("3", 0.0, ("1",), (1,)),
        Entrant("4", 0.0, ("2",), (0,)),
        Entrant("5", 0.0, unplayed=1),
    ]
    assert numbers(entrants) == ([("2", "1"), ("3", "5")], "4")


def test_who_has_won_without_a_game_has_no_bye_while_another_player_has_not() -> None:
    entrants = [Entrant("a", 2.0), Entrant("b", 2.0), Entrant("c", 1.0, byes=1, unplayed=1)]
    assert numbers(entrants)[1] == "b"


@pytest.mark.parametrize("count", [6, 9, 16])
def test_nobody_has_a_seat_three_times_in_a_row_or_much_more_often_where_the_round_could_avoid_it(count: int) -> None:
    """Whether it could says a matching of its own. Before the last round the best two meet at any cost."""
    chance, rounds = Random(count), 5
    for _ in range(12):
        entrants = {str(number): Entrant(str(number)) for number in range(count)}
        for number in range(rounds - 1):
            meetings, bye = swiss(list(entrants.values()))
            there = [one for one in entrants.values() if one is not bye]

            def may_meet(a: int, b: int, there: list[Entrant] = there) -> bool:
                one, other = there[a], there[b]
                is_new = other.name not in one.met
                return is_new and clash(wish(one.seats), wish(other.seats)) < Strength.ABSOLUTE

            could_avoid = not Matching(graph(len(there), may_meet)).exposed()
            for pair in meetings:
                first = chance.choice([0.0, 0.5, 1.0])
                for seat, (one, share) in enumerate(zip(pair, (first, 1 - first), strict=True)):
                    seats = (*one.seats, seat)
                    is_far = abs(2 * sum(seats) - len(seats)) > 2 or seats[-3:] in ((0, 0, 0), (1, 1, 1))
                    assert not is_far or not could_avoid, (number, seats)
                    met = (*one.met, pair[1 - seat].name)
                    entrants[one.name] = replace(one, points=one.points + share, met=met, seats=seats)
            if bye is not None:
                entrants[bye.name] = replace(bye, points=bye.points + 1, byes=1, unplayed=1)


# Seats


@pytest.mark.parametrize(
    ("seats", "seat", "strength"),
    [
        ((), None, Strength.NONE),
        ((0, 1), 0, Strength.MILD),
        ((0,), 1, Strength.STRONG),
        ((0, 1, 0), 1, Strength.STRONG),
        ((1, 1, 0, 0), 1, Strength.ABSOLUTE),
        ((0, 1, 0, 1, 0, 0), 1, Strength.ABSOLUTE),
        ((0, 1, 1), 0, Strength.ABSOLUTE),
    ],
)
def test_the_seat_that_is_due_follows_the_whole_history(
    seats: tuple[int, ...], seat: int | None, strength: Strength
) -> None:
    assert wish(seats)[:2] == (seat, strength)


@pytest.mark.parametrize(
    ("better", "other", "is_first"),
    [
        ((0,), (1,), False),
        # The other one wants the same seat, but has had its own twice in a row.
        ((0, 1, 0), (1, 1, 0, 0), True),
        ((0, 1, 0, 0), (0, 1, 0), False),
        # Both want the same: they exchange the seats of the newest game in which they differed.
        ((0, 1, 1, 0, 1), (1, 0, 1, 0, 1), True),
        ((1, 0, 0, 1), (0, 1, 0, 1), False),
        # Never different: the better one has its wish.
        ((0, 1), (0, 1), True),
        ((), (0,), True),
        ((), (1,), False),
    ],
)
def test_the_first_seat_goes_to_the_stronger_wish(
    better: tuple[int, ...], other: tuple[int, ...], is_first: bool
) -> None:
    assert has_first_seat(better, other, otherwise=True) == is_first


# Round robin


def test_the_tables_are_those_that_fide_publishes() -> None:
    """FIDE's handbook, C.05, annex 1: for five or six players, and the beginning of that for seven or eight."""
    assert [[(one + 1, other + 1) for one, other in meetings] for meetings in berger(6)] == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]
    assert berger(5) == [[pair for pair in meetings if 5 not in pair] for meetings in berger(6)]
    assert [[(one + 1, other + 1) for one, other in meetings] for meetings in berger(8)[:2]] == [
        [(1, 8), (2, 7), (3, 6), (4, 5)],
        [(8, 5), (6, 4), (7, 3), (1, 2)],
    ]


@pytest.mark.parametrize("cycles", [1, 2, 3, 4])
def test_in_a_round_robin_all_meet_and_nobody_has_a_seat_three_times_in_a_row(cycles: int) -> None:
    for count in (*range(2, 12), 20, 39, 40):
        rounds = berger(count, cycles)
        assert len(rounds) == cycles * (count - 1 + count % 2)
        seats: dict[int, list[int]] = {player: [] for player in range(count)}
        met = Counter[frozenset[int]]()
        for meetings in rounds:
            players = [player for meeting in meetings for player in meeting]
            assert len(set(players)) == len(players) == count - count % 2
            for meeting in meetings:
                met[frozenset(meeting)] += 1
                for seat, player in enumerate(meeting):
                    seats[player].append(seat)
        assert set(met.values()) == {cycles}
        assert len(met) == count * (count - 1) // 2
        for history in seats.values():
            assert abs(2 * sum(history) - len(history)) <= 1
            streak = next(
                (first for first in range(len(history) - 2) if len(set(history[first : first + 3])) == 1), None
            )
            assert streak is None or (count == 4 and cycles > 2), (count, history)
