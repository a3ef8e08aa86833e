"""The dice: determined by the seed, exactly fair, and verifiable by anyone."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest

from cornered.server.match import dice
from cornered.server.match.dice import commitment_of, roll, seed_of

SEED = bytes(range(32))


def test_seeds_differ_but_not_between_restarts_and_a_commitment_is_the_hash_of_one() -> None:
    assert seed_of(b"secret", "m1") == hmac.new(b"secret", b"m1", hashlib.sha256).digest()
    assert len({seed_of(b"secret", "m1"), seed_of(b"secret", "m2"), seed_of(b"other", "m1")}) == 3
    assert commitment_of(SEED) == hashlib.sha256(SEED).hexdigest()


def test_a_roll_follows_from_seed_match_and_ply_and_rolls_are_even() -> None:
    number = int.from_bytes(hmac.new(SEED, b"m1:4", hashlib.sha256).digest(), "big")
    assert roll(SEED, "m1", 4, ["1", "2", "3"]) == str(number % 3 + 1)
    assert roll(SEED, "m1", 4, ["1", "2", "3"]) == roll(SEED, "m1", 4, ["1", "2", "3"])
    counts = Counter(roll(SEED, "m1", ply, ["1", "2", "3"]) for ply in range(3_000))
    assert all(900 < counts[side] < 1_100 for side in "123")


def test_a_number_that_would_make_one_side_likelier_is_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    # With a span of 4 and three sides the number 3 is rejected.
    monkeypatch.setattr(dice, "SPAN", 4)
    numbers = {b"m1:0": 3, b"m1:0:1": 7, b"m1:0:2": 2}
    monkeypatch.setattr(hmac, "digest", lambda _, message, __: numbers[message].to_bytes(32, "big"))
    assert roll(SEED, "m1", 0, ["1", "2", "3"]) == "3"
