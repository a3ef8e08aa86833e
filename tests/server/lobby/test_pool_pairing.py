"""Pairing of the players who wait in one pool."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from cornered.server.lobby.pool_pairing import REPEAT_AFTER_MS, UNBOUNDED_AFTER_MS, Candidate, pair, window


def waiting(player: str, rating: float, waited: int = 0, *avoided: str) -> Candidate:
    return Candidate(player, rating, waited, avoided)


def test_near_ratings_are_paired_at_once_and_any_after_a_minute() -> None:
    assert pair([waiting("a", 1500), waiting("b", 1540)]) == [("a", "b")]
    assert window(UNBOUNDED_AFTER_MS) == math.inf
    assert pair([waiting("a", 800, UNBOUNDED_AFTER_MS), waiting("b", 2600)]) == [("a", "b")]
    for count in (2, 3, 9):
        assert len(pair([waiting(f"p{number}", 1500) for number in range(count)])) == count // 2


def test_far_ratings_wait_until_their_windows_have_widened() -> None:
    far = 400.0
    waits = [ms for ms in range(0, UNBOUNDED_AFTER_MS, 1_000) if window(ms) >= far]
    assert pair([waiting("a", 1500), waiting("b", 1500 + far)]) == []
    assert pair([waiting("a", 1500, waits[0]), waiting("b", 1500 + far, waits[0])]) == [("a", "b")]
    assert pair([waiting("a", 1500, waits[0] - 1_000), waiting("b", 1500 + far, waits[0] - 1_000)]) == []


def test_the_nearest_pairs_are_taken_first_but_a_long_wait_goes_before() -> None:
    four = [waiting("a", 1500), waiting("b", 1545), waiting("c", 1550), waiting("d", 1595)]
    assert pair(four) == [("b", "c")]
    three = [waiting("a", 1500), waiting("b", 1510), waiting("c", 1530, 10_000)]
    assert pair(three) == [("b", "c")]


def test_newest_opponents_meet_again_only_after_a_long_wait_of_both() -> None:
    soon, late = REPEAT_AFTER_MS - 1, REPEAT_AFTER_MS
    assert pair([waiting("a", 1500, late, "b"), waiting("b", 1500, soon)]) == []
    assert pair([waiting("a", 1500, soon), waiting("b", 1500, late, "a")]) == []
    assert pair([waiting("a", 1500, late, "b"), waiting("b", 1500, late, "a")]) == [("a", "b")]
    three = [waiting("a", 1500, 0, "b"), waiting("b", 1500, 0, "a"), waiting("c", 1520)]
    assert pair(three) in ([("a", "c")], [("b", "c")])


@given(
    st.lists(
        st.tuples(st.floats(0, 4000), st.integers(0, 120_000), st.lists(st.integers(0, 20), max_size=3)), max_size=20
    )
)
def test_every_pair_is_within_its_windows_and_nobody_is_in_two(
    drawn: list[tuple[float, int, list[int]]],
) -> None:
    known = {
        f"p{number}": Candidate(f"p{number}", rating, waited, tuple(f"p{one}" for one in avoided))
        for number, (rating, waited, avoided) in enumerate(drawn)
    }
    pairs = pair(list(known.values()))
    assert pairs == pair(list(reversed(known.values())))
    paired = [player for both in pairs for player in both]
    assert len(paired) == len(set(paired))
    for one, other in ((known[one], known[other]) for one, other in pairs):
        assert one.player != other.player
        assert abs(one.rating - other.rating) <= (window(one.waited) + window(other.waited)) / 2
        if other.player in one.avoided or one.player in other.avoided:
            assert min(one.waited, other.waited) >= REPEAT_AFTER_MS
