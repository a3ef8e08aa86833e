"""TrapGrid: the start, the trail, territory, and the reasons for illegal moves."""

from __future__ import annotations

from cornered import engine
from cornered.engine.games.trapgrid import TrapGridState


def test_a_pawn_at_the_edge_does_not_step_round_the_board() -> None:
    game = engine.load("trapgrid", size=8)
    corners = "......../......../......../.......0/1......./......../......../........ "
    assert game.parse(corners + "0").moves() == ["h4", "g5", "h6"]
    assert game.parse(corners + "1").moves() == ["a3", "b4", "a5"]


def test_territory_counts_the_cells_in_reach_and_the_pawns_own_and_gauges_only_the_former() -> None:
    state = engine.load("trapgrid", size=3).parse("0x./xx./..1 1")
    assert isinstance(state, TrapGridState)
    assert state.territory() == (1, 5)
    assert state.gauges() == (("no cell left", 0), ("cells in reach", 4))


def test_a_refusal_says_why() -> None:
    state = engine.load("trapgrid", size=4).parse("..../0x../1.../.... 0")
    reasons = {
        "b3": "b3 is blocked",
        "a2": "the other pawn stands on a2",
        "a3": "your pawn already stands on a3",
        "b4": "a pawn moves one step up, down, left or right",
        "e1": "a move is the name of a cell, a1 to d4",
        "up": "a move is the name of a cell, a1 to d4",
    }
    assert {move: state.explain(move) for move in reasons} == reasons
