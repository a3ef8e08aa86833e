"""The reference's terms, each against positions that were worked out by hand."""

from __future__ import annotations

import pytest

from cornered.bots.evaluate.trapgrid_classic import (
    WEIGHTS,
    ClassicBoard,
    centre,
    distance,
    heuristic,
    isolation,
    quick_score,
    reach,
    terms,
    wall_danger,
)
from cornered.bots.roster.trapgrid_classic import board_of
from cornered.engine.kernels.grid import CELL_BITS
from tests.bots.scenes import trapgrid


def parse(text: str, size: int = 7) -> ClassicBoard:
    return board_of(trapgrid(text, size))


def cell(name: str) -> int:
    return 1 << CELL_BITS[name]


CUT = parse("0.x..../..x..../xxx..../......./......./......./......1 0")
"""The AI on a7 has four cells, its own included, and two steps; the opponent on g1 has all others."""
SQUEEZED = parse("xxxxxxx/xxxxxxx/xxx.xxx/..10..x/xxxxxxx/xxxxxxx/xxxxxxx 0")
"""The AI on d4 reaches d5, e4 and f4; the opponent on c4 reaches a4 and b4."""


def test_territory_counts_the_own_cell() -> None:
    assert (reach(CUT.free, CUT.ai), reach(CUT.free, CUT.opponent)) == (4, 40)
    assert terms(CUT)["territory"] == (4 - 40) * 2.5
    assert terms(SQUEEZED)["territory"] == (4 - 3) * 2.5


def test_immediate_mobility_counts_steps() -> None:
    assert terms(CUT)["immediate"] == (2 - 2) * 3.0
    assert terms(SQUEEZED)["immediate"] == (2 - 1) * 3.0


def test_distance_is_by_ranks_and_files() -> None:
    assert distance(cell("a7"), cell("g1")) == 12
    assert distance(cell("c4"), cell("d4")) == 1
    assert terms(CUT)["distance"] == pytest.approx(12 * 0.3)


def test_the_centre_table_is_the_printed_one_and_counts_once() -> None:
    rows = [[centre(1 << 8 * rank + file, 7) for file in range(7)] for rank in range(7)]
    assert rows[0] == rows[6] == [0, 1, 2, 3, 2, 1, 0]
    assert rows[1] == rows[5] == [1, 2, 3, 4, 3, 2, 1]
    assert rows[2] == rows[4] == [2, 3, 4, 5, 4, 3, 2]
    assert rows[3] == [3, 4, 5, 6, 5, 4, 3]
    assert terms(SQUEEZED)["centre"] == pytest.approx((6 - 5) * 0.4)


def test_other_boards_have_a_centre_of_their_own() -> None:
    assert [centre(cell(name), 3) for name in ("a1", "b1", "b2", "c3")] == [0, 1, 2, 0]
    assert [centre(cell(name), 4) for name in ("a1", "b1", "b2", "c3", "d4")] == [0, 1, 2, 2, 0]
    assert [centre(cell(name), 8) for name in ("a1", "d4", "e5", "h8")] == [0, 6, 6, 0]


def test_walls_are_dangerous_in_corners_at_edges_and_where_it_is_narrow() -> None:
    free = parse("0....../......./......./......./......./......./......1 0").free
    danger = {name: wall_danger(free, cell(name), 7) for name in ("a1", "g7", "d1", "a4", "d4", "b7")}
    assert danger == {"a1": 4, "g7": 4, "d1": 2, "a4": 2, "d4": 0, "b7": 2}
    assert wall_danger(0, cell("a1"), 7) == 4 + 2 * 3
    assert wall_danger(cell("b1"), cell("a1"), 7) == 4 + 3
    assert wall_danger(cell("d5"), cell("d4"), 7) == 3
    # d4 of 4x4 is a corner, of 7x7 the centre.
    assert wall_danger(cell("d3") | cell("c4"), cell("d4"), 4) == 4
    # c4 has one step: 3; d4 has two: 0.
    assert terms(SQUEEZED)["wall danger"] == (3 - 0) * 1.5


def test_isolation_has_steps() -> None:
    expected = {
        **dict.fromkeys(((30, 0), (1, 0)), (200, 300)),
        **dict.fromkeys(((2, 1), (3, 1)), (80, 80)),
        **dict.fromkeys(((4, 1), (7, 1)), (40, 35)),
        **dict.fromkeys(((8, 1), (11, 3)), (15, 0)),
        **dict.fromkeys(((12, 1), (40, 4)), (0, 0)),
    }
    kinds = ((WEIGHTS.trapped_penalty, WEIGHTS.penalties), (WEIGHTS.trapped_bonus, WEIGHTS.bonuses))
    assert {each: tuple(isolation(*each, *kind) for kind in kinds) for each in expected} == expected


def test_isolation_is_bad_for_oneself_and_good_in_the_other() -> None:
    assert (terms(CUT)["isolation penalty"], terms(CUT)["isolation bonus"]) == (-40, 0)
    assert (terms(SQUEEZED)["isolation penalty"], terms(SQUEEZED)["isolation bonus"]) == (-40, 80)


def test_the_formula_adds_up() -> None:
    assert len(terms(CUT)) == 7
    # Territory, steps, distance, centre, walls (4 each), penalty, bonus.
    assert heuristic(CUT) == pytest.approx(-90 + 0 + 3.6 + 0 + 0 - 40 + 0)
    assert heuristic(SQUEEZED) == pytest.approx(2.5 + 3 + 0.3 + 0.4 + 4.5 - 40 + 80)


def test_moves_are_sorted_by_twice_the_own_territory_and_the_centre() -> None:
    # From d4 the AI's d5 leaves it 1 cell, e4 2; the opponent keeps 3, since d4 is blocked now.
    into, along = (SQUEEZED.after(cell(name), is_max=True) for name in ("d5", "e4"))
    assert quick_score(into, cell("d5")) == pytest.approx(2 * 1 - 3 + 5 * 0.2)
    assert quick_score(along, cell("e4")) == pytest.approx(2 * 2 - 3 + 5 * 0.2)
    # For the minimiser's b4 the same sum: twice the AI's territory less the own.
    reply = SQUEEZED.after(cell("b4"), is_max=False)
    assert quick_score(reply, cell("b4")) == pytest.approx(2 * 4 - 2 + 4 * 0.2)
