"""Tournament Report Files: written and read again, published ones, and files that are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.contests.pairing import swiss
from cornered.contests.trf import Report, ReportPlayer, Round, read, write

C9 = """\
012 Dutch 2025 C9 test
001    1      Test0001 Player0001               2720                             1.0    1     3 w 1
001    2      Test0002 Player0002               2701                             1.0    2     4 b 1
001    3      Test0003 Player0003               2697                             0.0    3     1 b 0
001    4      Test0004 Player0004               2689                             0.0    4     2 w 0
001    5      Test0005 Player0005               2673                             0.0    5  0000 - Z
XXR 3
"""
"""The case `dutch_2025_C9` of bbpPairings."""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_of_another_program_is_read(end: str) -> None:
    report = read(C9.replace("\n", end))
    assert (report.name, report.rounds, report.played) == ("Dutch 2025 C9 test", 3, 1)
    assert report.players[0] == ReportPlayer(1, "Test0001 Player0001", 2720, 1.0, 1, (Round("1", 3, 0),))
    assert report.players[4].rounds == (Round("Z"),)
    meetings, bye = swiss(report.entrants())
    assert [(one.name, other.name) for one, other in meetings] == [("2", "1"), ("3", "5")]
    assert bye is not None
    assert bye.name == "4"


def test_a_player_who_has_asked_for_a_bye_in_the_next_round_is_not_paired() -> None:
    lines = C9.splitlines()
    lines[1] += "  0000 - H"
    assert [entrant.name for entrant in read("\n".join(lines)).entrants()] == ["2", "3", "4", "5"]


def test_a_player_stands_at_the_columns_that_the_format_names() -> None:
    player = ReportPlayer(12, "Zoë  Long" + "g" * 40, 1875, 10.5, 3, (Round("+", 7, 1), Round("U"), Round(" ", 9, 0)))
    head, *_, line = write(Report("Open\r\n001", (player,), 9)).split("\r\n")[:-1]
    assert head == "012 Open 001"
    assert (line[0:3], line[4:8], line[48:52], line[80:84], line[85:89]) == ("001", "  12", "1875", "10.5", "   3")
    assert line[14:47] == ("Zoë Long" + "g" * 40)[:33]
    assert (line[91:99], line[101:109], line[111:119]) == ("   7 b +", "0000 - U", "   9 w  ")


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Reports of which each round pairs neighbours."""
    count = 2 * draw(st.integers(1, 5))
    rounds = draw(st.integers(0, 4))
    cells: dict[int, list[Round]] = {number: [] for number in range(1, count + 1)}
    for _ in range(rounds):
        for first in range(1, count, 2):
            one, other = tuple(draw(st.sampled_from(["10", "01", "==", "+-", "-+", "--", "DD", "  ", "UZ", "HF"])))
            is_bye = one in "UH"
            cells[first].append(Round(one) if is_bye else Round(one, first + 1, 0))
            cells[first + 1].append(Round(other) if is_bye else Round(other, first, 1))
    players = tuple(
        ReportPlayer(number, f"Player {number}", 1500 + number, 0.5 * number, number, tuple(cells[number]))
        for number in cells
    )
    return Report("Open", players, draw(st.none() | st.integers(1, 9)), {"042": "2026/01/02"})


@given(reports())
def test_what_is_written_is_read_again(report: Report) -> None:
    assert read(write(report)) == report


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("001    5", "001    4", "line 6 of the report: player 4 is there twice"),
        ("001    5", "001    0", "line 6"),
        ("001    5", "001    x", "line 6"),
        ("3 w 1", "3 w ?", "line 2 of the report: there is no result"),
        ("3 w 1", "7 w 1", "player 1 meets 7 in round 1, who does not say so"),
        ("3 w 1", "2 w 1", "player 1 meets 2 in round 1, who does not say so"),
        ("2720", "27x0", "line 2"),
        ("XXR 3", "XXR three", "line 7"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(old: str, new: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(C9.replace(old, new))
