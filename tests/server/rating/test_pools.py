"""The speed of a clock, and the pool of a match."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pydantic import TypeAdapter

from cornered import engine
from cornered.protocol.ratings import RatingPool
from cornered.protocol.values import NO_CLOCK, Correspondence, Delay, Fischer, GameSpec, OptionValue, PerMove
from cornered.server.match import catalogue
from cornered.server.rating.pools import pool_of, spec_of, speed_of
from cornered.server.refusal import Refusal

BLITZ = Fischer(initial=180, increment=2)


def test_a_clock_has_the_speed_of_its_time_for_forty_moves(subtests: pytest.Subtests) -> None:
    for clock, speed in (
        (Fischer(initial=60), "bullet"),
        (Fischer(initial=179), "bullet"),
        (Fischer(initial=60, increment=2.5), "bullet"),
        (Fischer(initial=180), "blitz"),
        (Fischer(initial=60, increment=3), "blitz"),
        (Fischer(initial=300, increment=3), "blitz"),
        (Fischer(initial=480), "rapid"),
        (Fischer(initial=900, increment=10), "rapid"),
        (Fischer(initial=1_500), "classical"),
        (Delay(initial=60, delay=3), "blitz"),
        (PerMove(seconds=1), "bullet"),
        (PerMove(seconds=10), "blitz"),
        (PerMove(seconds=60), "classical"),
        (Correspondence(days=2), "correspondence"),
        (NO_CLOCK, "untimed"),
    ):
        with subtests.test(clock=clock, speed=speed):
            assert speed_of(clock) == speed


def test_a_pool_names_the_options_that_a_table_would_not_have_anyway(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[str, Any, str], ...] = (
        ("trapgrid", {}, "trapgrid:blitz"),
        ("trapgrid", {"size": 7}, "trapgrid:blitz"),
        ("trapgrid", {"size": 5}, "trapgrid:size=5:blitz"),
        ("quoridor", {}, "quoridor:blitz"),
        ("quoridor", {"size": 5}, "quoridor:size=5:blitz"),
        ("quoridor", {"max_plies": None, "no_progress": None}, "quoridor:max_plies=none,no_progress=none:blitz"),
        ("isolation", {"dice": True, "width": 5}, "isolation:dice=true,width=5:blitz"),
    )
    for name, options, pool in rows:
        with subtests.test(name=name, options=options, pool=pool):
            assert pool_of(catalogue.settle(GameSpec(name=name, options=options))[1], BLITZ) == pool


def test_a_pools_key_leads_back_to_its_game() -> None:
    chance = random.Random(3)
    checked = TypeAdapter(RatingPool)
    for kind in engine.games():
        for _ in range(60):
            some = [option for option in kind.OPTIONS if chance.random() < 0.5]
            chosen: dict[str, OptionValue] = {option.name: chance.choice(option.choices or (True,)) for option in some}
            try:
                _, spec = catalogue.settle(GameSpec(name=kind.name, options=chosen))
            except Refusal:
                continue
            pool = pool_of(spec, BLITZ)
            assert checked.validate_python(pool) == pool
            told, speed = spec_of(pool)
            assert speed == "blitz"
            assert catalogue.settle(told)[1] == spec


def test_what_is_no_pool_is_refused(subtests: pytest.Subtests) -> None:
    for pool in ("trapgrid", "trapgrid:fast", "trapgrid:size:blitz", "trapgrid:size=x:blitz", "a:b=1:c=2:blitz"):
        with subtests.test(pool=pool):
            with pytest.raises(Refusal) as caught:
                spec_of(pool)
            assert caught.value.code == "unknown_pool"


def test_a_pool_of_what_is_not_played_is_refused(subtests: pytest.Subtests) -> None:
    for pool, code in (("chess:blitz", "unknown_game"), ("trapgrid:size=99:blitz", "bad_options")):
        with subtests.test(pool=pool, code=code):
            with pytest.raises(Refusal) as caught:
                spec_of(pool)
            assert caught.value.code == code
