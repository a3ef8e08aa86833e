"""Isolation's overlays, against slides counted by hand."""

from __future__ import annotations

from cornered import engine
from cornered.bots.overlay import overlays
from tests.bots.scenes import isolation, pictures


def test_slides_are_the_moves_of_each_pawn() -> None:
    state = isolation("0.x./.xx./xx../1... 0")
    zones = pictures(state)["slides"].zones
    assert sorted(cell for cell, owner in zones.items() if owner in ("0", "both")) == state.moves()
    assert zones == {"a3": "0", "b4": "0", "b1": "1", "c1": "1", "d1": "1"}


def test_territory_goes_to_who_needs_fewer_slides() -> None:
    zones = pictures(isolation("0.../xxxx/xxx./1... 0"))["territory"].zones
    assert {cell: zones[cell] for cell in ("b4", "d4", "b1", "d2")} == {"b4": "0", "d4": "0", "b1": "1", "d2": "1"}
    both = pictures(isolation("0.../..../..../1... 0"))["territory"].zones
    assert (both["c4"], both["c1"]) == ("0", "1")
    assert both["a3"] == both["a2"] == both["d4"] == "both"


def test_heat_falls_with_the_number_of_slides() -> None:
    heat = pictures(isolation("0.../xxx./..../1..x 0"))["distance-0"].heat
    # Along the fourth rank, down the d-file, back along the second rank or diagonal, and so on.
    assert heat["d4"] == heat["b4"] == 1.0
    assert 1.0 > heat["d3"] > heat["b1"] > 0.0
    assert "a4" not in heat
    assert "a3" not in heat


def test_with_dice_a_slide_is_no_longer_than_the_roll() -> None:
    waiting = engine.load("isolation", width=7, height=2, dice=True).parse("0....../1...... c mover=0")
    assert set(pictures(waiting)["slides"].zones) == {"b1", "c1", "d1", "b2", "c2", "d2"}
    rolled = waiting.play("1")
    zones = pictures(rolled)["slides"].zones
    assert sorted(cell for cell, owner in zones.items() if owner in ("0", "both")) == rolled.moves() == ["b1", "b2"]
    assert zones["d1"] == "1"


def test_pawns_that_are_not_placed_or_out_have_no_picture() -> None:
    start = engine.load("isolation", players=3).start()
    assert overlays(start) == ()
    placed = pictures(start.play("d4"))
    assert set(placed) == {"slides", "territory", "distance-0"}
    assert set(placed["territory"].zones.values()) == {"0"}
    out = isolation("0.x2/..xx/xxxx/1..x 0 out=2", players=3)
    assert set(pictures(out)) == {"slides", "territory", "distance-0", "distance-1"}
