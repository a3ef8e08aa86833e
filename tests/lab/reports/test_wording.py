import math

import pytest

from cornered.lab.contests.results import Score
from cornered.lab.reports.wording import counted, duration, interval, likely, number, percent, points, signed


def test_shares_are_percentages() -> None:
    assert percent(0.5) == "50.0"
    assert percent(2 / 3, 0) == "67"
    assert interval(Score(5, 0, 5)) == "23.7 to 76.3"
    assert interval(Score()) == "-"


@pytest.mark.parametrize(
    ("share", "text"), [(0.5, "50.0"), (0.9994, "99.9"), (0.99999, ">99.9"), (1.0, ">99.9"), (0.0, "<0.1")]
)
def test_what_is_almost_sure_is_not_called_sure(share: float, text: str) -> None:
    assert likely(share) == text


def test_elo_may_be_infinite() -> None:
    assert [signed(elo) for elo in (12.6, -12.4, 0.2, -0.2)] == ["+13", "-12", "+0", "+0"]
    assert [signed(math.inf), signed(-math.inf)] == ["+infinite", "-infinite"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (12.34e-6, "12.3 µs"), (0.00123, "1.23 ms"), (0.4567, "457 ms"), (1.5, "1.5 s"), (1234.4, "1234 s")],
)
def test_times_have_the_unit_that_suits_them(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_numbers_and_points_are_as_short_as_they_can_be() -> None:
    assert (points(3.0), points(2.5), points(2.375, 2)) == ("3", "2.5", "2.38")
    assert (number(1234567.8), number(4.25, 1), number(None)) == ("1,234,568", "4.2", "-")
    assert (counted(1, "game"), counted(1200, "game")) == ("1 game", "1,200 games")
