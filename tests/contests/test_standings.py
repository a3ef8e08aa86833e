"""Tie-breaks: a small table worked by hand, and the published exercise of FIDE's arbiters."""

from __future__ import annotations

import pytest

from cornered.contests.standings import Meeting, adjusted, buchholz, direct_encounter, sonneborn_berger, wins

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
    assert wins([Meeting(1.0, "ann", "unplayed")]) == 0


def test_the_direct_encounter_counts_only_where_all_who_are_equal_have_met() -> None:
    assert direct_encounter(["ann", "cas"], MEETINGS) == {"ann": 0.5, "cas": 0.5}
    assert direct_encounter(["ann", "ben", "cas"], MEETINGS) == {"ann": 1.5, "ben": 1.0, "cas": 0.5}
    assert direct_encounter(["ann", "dan"], MEETINGS | {"dan": []}) == {"ann": 0.0, "dan": 0.0}
    assert direct_encounter(["ann"], MEETINGS) == {"ann": 0.0}


REST, LOST, WON, PLAYED = (
    Meeting(0.0, None, "rest"),
    Meeting(0.0, None, "unplayed"),
    Meeting(1.0, None, "unplayed"),
    Meeting(0.0, "ann"),
)


@pytest.mark.parametrize(
    ("meetings", "more"),
    [
        ([PLAYED, REST, REST], 1.0),
        ([REST, PLAYED], 0.0),
        ([PLAYED, REST, WON], 0.0),
        ([PLAYED, LOST, REST], 0.5),
        ([PLAYED, REST, LOST], 0.5),
        ([PLAYED, Meeting(0.5, None, "rest")], 0.0),
        ([REST], 0.5),
        ([], 0.0),
    ],
)
def test_rounds_at_the_end_for_which_a_player_was_not_there_are_draws_for_its_opponents(
    meetings: list[Meeting], more: float
) -> None:
    assert adjusted(2.0, meetings) == 2.0 + more
