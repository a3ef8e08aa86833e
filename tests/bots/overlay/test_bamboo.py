"""What Bamboo's overlays show, on positions worked out by hand."""

from __future__ import annotations

from tests.bots.scenes import bamboo, pictures


def test_places_distinguishes_the_seats_on_either_turn() -> None:
    expected = {"a1": "0", "c1": "0", "a2": "1", "c2": "1"}
    assert pictures(bamboo(1, "b3 b1"))["places"].zones == expected
    # With a pair allowed red may also join c2; b2 would join all of its stones.
    assert pictures(bamboo(1, "b3 b1 a1"))["places"].zones == {"c1": "0", "c2": "both", "a2": "1"}


def test_sparsity_is_hottest_far_from_the_movers_stones() -> None:
    heat = pictures(bamboo(2, "a1 c3"))["sparsity"].heat
    assert {cell for cell, value in heat.items() if value == 1.0} == {"c5", "d4", "e1", "e2", "e3"}
    assert heat["a3"] == 0.5
    assert "a2" not in heat
    assert set(pictures(bamboo(2))["sparsity"].heat.values()) == {0.0}


def test_strain_is_full_where_the_rules_forbid_a_stone() -> None:
    heat = pictures(bamboo(1, "b3 b1"))["strain"].heat
    assert heat == {"a1": 1 / 3, "c1": 1 / 3, "a2": 1.0, "b2": 1.0, "c2": 1.0}
