"""TrapGrid's overlays, against positions worked out by hand."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.bots.overlay import overlays
from tests.bots.scenes import pictures, trapgrid


def test_territory_is_what_one_or_both_can_reach() -> None:
    # A wall divides the ranks; d3 and d4 are behind another, unreachable for both.
    found = pictures(trapgrid("0.x./..x./xxxx/..1. 0", 4))["territory"]
    assert found.zones == {"a3": "0", "b3": "0", "b4": "0", "a1": "1", "b1": "1", "d1": "1"}
    joined = pictures(trapgrid("0.x./..xx/xx.x/..1. 0", 4))["territory"]
    assert joined.zones == {
        **dict.fromkeys(("a3", "b3", "b4"), "0"),
        **dict.fromkeys(("a1", "b1", "d1", "c2"), "1"),
    }
    both = pictures(trapgrid("0../.../..1 0", 3))["territory"]
    assert both.zones == dict.fromkeys(("a1", "b1", "a2", "b2", "c2", "b3", "c3"), "both")
    # a1 is behind seat 0's pawn: only that one can reach it.
    assert pictures(trapgrid("xxx/.0./xx1 0", 3))["territory"].zones == {"a2": "0", "c2": "both"}


def test_who_is_there_first_depends_on_whose_turn_it_is() -> None:
    text = "0../.../..1"
    first = {"a2": "0", "b3": "0", "b1": "1", "c2": "1"}
    contested = ("a1", "b2", "c3")
    assert pictures(trapgrid(f"{text} 0", 3))["zones"].zones == first | dict.fromkeys(contested, "0")
    assert pictures(trapgrid(f"{text} 1", 3))["zones"].zones == first | dict.fromkeys(contested, "1")


def test_heat_falls_with_the_distance_from_the_nearer_pawn() -> None:
    heat = pictures(trapgrid("0../.../..1 0", 3))["distance"].heat
    assert heat == {cell: pytest.approx(0.75) for cell in ("a2", "b3", "b1", "c2")} | {
        cell: pytest.approx(0.5) for cell in ("a1", "b2", "c3")
    }


def test_danger_is_the_references_wall_danger() -> None:
    danger = pictures(trapgrid("0.../..../.x../...1 0", 4))["danger"].heat
    # a1: a corner with two ways; b1: an edge, and only a1 and c1 beside it; a2: an edge with a1 and a3; c3: free.
    assert danger["a1"] == pytest.approx(0.4)
    assert danger["b1"] == pytest.approx(0.2)
    assert danger["c3"] == 0
    narrow = pictures(trapgrid("0x../x.../.x../...1 0", 4))["danger"].heat
    # a2 has only a1 left: an edge and one step too few.
    assert narrow["a2"] == pytest.approx(0.5)


def test_at_the_start_every_free_cell_is_shown() -> None:
    for size in range(3, 9):
        for one in overlays(engine.load("trapgrid", size=size).start()):
            assert len(one.zones or one.heat) == size * size - 2
