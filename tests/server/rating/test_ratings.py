"""What a result does to two ratings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.protocol.events import Ended, Started
from cornered.protocol.values import NO_CLOCK, GameSpec, Player, SeatRating
from cornered.server.match.catalogue import settle
from cornered.server.rating.ratings import (
    NEW,
    PROVISIONAL_ABOVE,
    Rating,
    Result,
    change_of,
    rate,
    result_of,
    seat_rating,
)

DAY = 86_400_000
ANN, BEN = Player(id="ann", name="Ann", kind="person"), Player(id="ben", name="Ben", kind="bot")
RATINGS = st.builds(
    Rating,
    st.floats(100, 4_000),
    st.floats(45, 350),
    st.floats(0.02, 0.1),
    st.integers(1, 1_000),
    st.integers(0, 10**12),
)


def result(score: float = 1.0, at: int = 10**12) -> Result:
    return Result("m", "trapgrid:blitz", (ANN, BEN), score, at)


def test_a_first_win_moves_both_far_and_leaves_them_provisional() -> None:
    won, lost = rate(result(), (NEW, NEW))
    assert (won.player, won.kind, lost.player, lost.kind) == ("ann", "person", "ben", "bot")
    assert won.after.rating == pytest.approx(1662.3, abs=0.1)
    assert lost.after.rating == pytest.approx(1337.7, abs=0.1)
    assert won.after.deviation == lost.after.deviation == pytest.approx(290.3, abs=0.1)
    assert (won.after.games, won.after.at) == (1, 10**12)
    told = change_of(won)
    assert (told.before, told.after, told.deviation, told.provisional) == (1500, 1662, 290, True)


def test_the_deviation_of_who_plays_regularly_falls_below_the_bound_and_grows_back_in_a_year() -> None:
    one, two, at = NEW, NEW, 0
    for game in range(40):
        at += DAY
        first, second = rate(result(float(game % 2), at), (one, two))
        one, two = first.after, second.after
    assert one.deviation < PROVISIONAL_ABOVE
    assert not seat_rating(one, at).provisional
    assert at + 100 * DAY < one.established_until < at + 400 * DAY
    assert not seat_rating(one, one.established_until - DAY).provisional
    assert seat_rating(one, one.established_until + DAY).provisional


def test_a_deviation_grows_from_60_to_110_in_a_year() -> None:
    assert Rating(1500, 60, 0.06, 1, 0).deviation_at(365 * DAY) == pytest.approx(110, abs=0.5)


@given(RATINGS, RATINGS, st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 2 * 10**12))
def test_changes_stay_in_bounds_and_mirror_each_other(one: Rating, two: Rating, score: float, at: int) -> None:
    first, second = rate(result(score, at), (one, two))
    for change, before in ((first, one), (second, two)):
        after = change.after
        assert 100 <= after.rating <= 4_000
        assert 45 <= after.deviation <= 350
        assert 0 < after.volatility <= 0.1
        assert after.games == before.games + 1
        assert after.at >= before.at
    swapped = rate(Result("m", "trapgrid:blitz", (BEN, ANN), 1 - score, at), (two, one))
    assert swapped[1].after == first.after
    assert swapped[0].after == second.after
    assert first.after.rating >= one.rating or score < 1
    assert first.after.rating <= one.rating or score > 0


def started(players: tuple[Player, ...] = (ANN, BEN)) -> Started:
    spec = settle(GameSpec(name="trapgrid"))[1]
    return Started(seq=1, at=1, match="m", game=spec, players=players, clock=NO_CLOCK, commitment="c", rated=True)


def ended(*places: int, rated: bool = True) -> Ended:
    return Ended(seq=9, at=7, winner=None, places=places, reason="rules", seed="5" * 64, rated=rated)


def test_the_result_of_a_match_is_that_of_its_first_player(subtests: pytest.Subtests) -> None:
    for places, score in (((1, 2), 1.0), ((2, 1), 0.0), ((1, 1), 0.5)):
        with subtests.test(places=places, score=score):
            assert result_of(started(), ended(*places)) == Result("m", "trapgrid:untimed", (ANN, BEN), score, 7)


def test_what_does_not_count_has_no_result() -> None:
    for first, last in (
        (started(), ended(1, 2, rated=False)),
        (started(), ended()),
        (started((ANN, BEN, ANN)), ended(1, 2, 3)),
    ):
        with pytest.raises(ValueError, match="no result"):
            result_of(first, last)


def test_the_rating_of_an_anchored_bot_begins_at_its_measured_strength() -> None:
    anchor = SeatRating(rating=2_000, provisional=True, anchored=True)
    shown = SeatRating(rating=1_700, provisional=True)
    begun = started().model_copy(update={"ratings": (shown, anchor)})
    found = result_of(begun, ended(1, 2))
    assert found.begins == (NEW, Rating(2_000, 150))
    first, second = rate(found, found.before({}))
    assert (first.before, second.before, second.deviation_before) == (1_500, 2_000, 150)
    assert first.after.rating > 1_700
    known = Rating(1_900, 60, 0.06, 5, 1)
    assert found.before({("ben", "trapgrid:untimed"): known}) == (NEW, known)
