"""Tie-breaks, worked by hand on a small table, and the points and pairs of an arena."""

from __future__ import annotations

from cornered.contests.arena import Contender, arena_points, pair_free
from cornered.contests.standings import Meeting, buchholz, direct_encounter, sonneborn_berger, wins

# Ann beat Ben and drew with Cas; Ben beat Cas; Cas had a bye.
MEETINGS = {
    "ann": [Meeting(1.0, "ben"), Meeting(0.5, "cas")],
    "ben": [Meeting(0.0, "ann"), Meeting(1.0, "cas")],
    "cas": [Meeting(0.5, "ann"), Meeting(0.0, "ben"), Meeting(1.0)],
}
POINTS = {"ann": 1.5, "ben": 1.0, "cas": 1.5}


def test_buchholz_is_the_sum_of_the_opponents_points_and_a_bye_is_an_equal_opponent() -> None:
    assert [buchholz(name, MEETINGS[name], POINTS) for name in MEETINGS] == [2.5, 3.0, 1.5 + 1.0 + 1.5]


def test_sonneborn_berger_counts_beaten_opponents_whole_and_draws_half() -> None:
    assert [sonneborn_berger(name, MEETINGS[name], POINTS) for name in MEETINGS] == [1.75, 1.5, 0.75 + 1.5]


def test_wins_are_those_on_the_board() -> None:
    assert [wins(MEETINGS[name]) for name in MEETINGS] == [1.0, 1.0, 0.0]


def test_the_direct_encounter_counts_only_where_all_who_are_equal_have_met() -> None:
    assert direct_encounter(["ann", "cas"], MEETINGS) == {"ann": 0.5, "cas": 0.5}
    assert direct_encounter(["ann", "ben", "cas"], MEETINGS) == {"ann": 1.5, "ben": 1.0, "cas": 0.5}
    assert direct_encounter(["ann", "dan"], MEETINGS | {"dan": []}) == {"ann": 0.0, "dan": 0.0}
    assert direct_encounter(["ann"], MEETINGS) == {"ann": 0.0}


def test_points_of_an_arena_are_doubled_after_two_wins() -> None:
    results = ((1.0, 0), (0.5, 1), (0.0, 5), (1.0, 2), (0.5, 2), (1.0, 1))
    assert [arena_points(share, streak) for share, streak in results] == [2, 1, 0, 4, 2, 2]


def test_free_players_meet_by_score_and_nobody_the_newest_opponent_again() -> None:
    ann = Contender("ann", 4, 1500, last="ben", balance=1)
    ben = Contender("ben", 2, 1500, last="ann")
    cas = Contender("cas", 0, 1600)
    assert pair_free([cas, ben, ann], may_repeat=False) == [("cas", "ann")]
    assert pair_free([ben, ann], may_repeat=False) == []
    assert pair_free([ben, ann], may_repeat=True) == [("ben", "ann")]
