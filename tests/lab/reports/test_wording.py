import math

from cornered.lab.contests.results import Score
from cornered.lab.reports.wording import counted, duration, interval, likely, number, percent, points, signed


def test_numbers_are_as_short_as_they_can_be_and_what_is_almost_sure_is_not_called_sure() -> None:
    assert percent(0.5) == "50.0"
    assert percent(2 / 3, 0) == "67"
    assert interval(Score(5, 0, 5)) == "23.7 to 76.3"
    assert interval(Score()) == "-"
    told = {share: likely(share) for share in (0.5, 0.9994, 0.99999, 1.0, 0.0)}
    assert told == {0.5: "50.0", 0.9994: "99.9", 0.99999: ">99.9", 1.0: ">99.9", 0.0: "<0.1"}
    assert [signed(elo) for elo in (12.6, -12.4, 0.2, -0.2)] == ["+13", "-12", "+0", "+0"]
    assert [signed(math.inf), signed(-math.inf)] == ["+infinite", "-infinite"]
    times = (None, 12.34e-6, 0.00123, 0.4567, 1.5, 1234.4)
    assert [duration(seconds) for seconds in times] == ["-", "12.3 µs", "1.23 ms", "457 ms", "1.5 s", "1234 s"]
    assert (points(3.0), points(2.5), points(2.375, 2)) == ("3", "2.5", "2.38")
    assert (number(1234567.8), number(4.25, 1), number(None)) == ("1,234,568", "4.2", "-")
    assert (counted(1, "game"), counted(1200, "game")) == ("1 game", "1,200 games")
