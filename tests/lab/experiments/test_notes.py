"""The course notes' figures: iterative deepening, alpha-beta and Korf's pruning."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cornered.bots.textbook.figures import Saving
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine import State
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.judging import exact
from cornered.lab.experiments.notes_alpha_beta import Uniform, best_case, depth_gain, exponent, leaves
from cornered.lab.experiments.notes_deepening import EXPERIMENTS as DEEPENING
from cornered.lab.experiments.notes_deepening import overheads
from cornered.lab.experiments.notes_korf import saved
from cornered.lab.experiments.sampling import SAMPLED_GAMES, random_positions, sampled_positions
from tests.lab.experiments.inline import check, run


def worth(state: State, seat: int) -> float:
    assert isinstance(state, Uniform)
    return state.worth()


def test_the_best_order_reaches_the_best_case_and_the_worst_spares_nothing(subtests: pytest.Subtests) -> None:
    for branching, depth in ((2, 5), (3, 4), (4, 3), (5, 2)):
        with subtests.test(branching=branching, depth=depth):
            assert leaves((branching, depth, True)) == best_case(branching, depth)
            assert leaves((branching, depth, False)) == branching**depth


def test_the_first_move_of_a_uniform_tree_is_the_best_everywhere() -> None:
    value, line = depth_limited(Uniform(3), 4, 0, TextbookSearch(0, worth))
    assert line == ("0", "0", "0", "0")
    assert value == worth(Uniform(3, (0, 0, 0, 0)), 0)
    values = {worth(Uniform(3, path), 0) for path in ((a, b, c) for a in range(3) for b in range(3) for c in range(3))}
    assert len(values) == 27


def test_the_exponent_is_a_half_when_the_root_is_left_and_the_best_order_doubles_the_depth() -> None:
    assert exponent(Saving(10_000, 100, 0)) == pytest.approx(0.5)
    assert exponent(Saving(10_000, 10_000, 0)) == 1
    assert exponent(Saving(1, 1, 0)) == 1
    # 2 b^(d/2) - 1 leaves at an even depth d.
    assert depth_gain(3, 2) == pytest.approx(2 / math.log(5, 3))
    assert depth_gain(3, 400) == pytest.approx(2, rel=0.01)


def test_alpha_beta(tmp_path: Path) -> None:
    by = check("notes-alpha-beta", tmp_path)
    assert by["uniform b = 2, d = 4, best order"].ours == 7
    assert by["uniform b = 2, d = 4, worst order"].ours == 16
    for ground in SAMPLED_GAMES:
        exponent = by[f"{ground.title}, exponent, sorted"]
        assert 0.4 < exponent.ours < 1
        assert exponent.verdict == "apart", "any pruning lies in the range"
        assert 0 <= by[f"{ground.title}, saved, sorted, of all nodes"].ours < 100
    assert by["uniform b = 2, d = 4, best order"].verdict == "apart"
    assert by["best order, b = 10, depth 12, times as deep as minimax"].verdict == "agrees"
    narrow = by["best order, b = 2, depth 12, times as deep as minimax"]
    assert (narrow.verdict, narrow.reason) == ("differs", "definition")
    assert "from depth 18 on" in narrow.why


def test_deepening(tmp_path: Path) -> None:
    by = check("notes-deepening", tmp_path)
    three = by["uniform tree, b = 3"]
    assert three.verdict == "agrees"
    # Twelve iterations before the last: 1/3 + 1/9 + ... of it, and what the inner nodes add.
    assert three.ours == pytest.approx(50, abs=0.01)
    assert by["uniform tree, b = 2"].ours == pytest.approx(100, abs=0.5)
    for ground in SAMPLED_GAMES:
        assert 0 < by[f"{ground.title}, nodes at the deepest level"].ours < 100


def test_deepening_costs_what_the_shallower_trees_hold_and_names_each_game_once() -> None:
    labels = [f"TrapGrid, {kind}" for kind in ("minimax", "alpha-beta", "minimax, of all nodes")]
    rows = [exact("uniform tree, b = 3", "", None, 50.0), *(exact(label, "", None, -1.0) for label in labels)]
    rows.append(exact("TrapGrid, alpha-beta, of all nodes", "", None, -2.0))
    told = DEEPENING[0]._notes(rows, {"TrapGrid": [3.0, -1.0, -1.0]})[-1]
    assert " in TrapGrid: " in told

    terms = ContestTerms.of("isolation", {"width": 3, "height": 3})
    one = overheads((terms, (), 3))
    # 9, 9 + 72 and 9 + 72 + 376 positions.
    assert one["minimax"] == pytest.approx(100 * (9 + 81) / 457)
    assert one["moves"] == 9
    assert one["levels"] == [9, 72, 376]


def test_korf(tmp_path: Path) -> None:
    by = check("notes-korf", tmp_path)
    for depth in (2, 3):
        two, three = by[f"depth {depth}, 2 players, saved"], by[f"depth {depth}, 3 players, saved"]
        assert by[f"depth {depth}, two players save more by"].ours == pytest.approx(two.ours - three.ours)
        assert math.isfinite(three.ours)


def test_two_and_three_players_are_searched_by_what_suits_them() -> None:
    two, three = (
        saved((ContestTerms("isolation", {"width": 4, "height": 4, "players": players}), (), 2)) for players in (2, 3)
    )
    assert two["plain"] == three["plain"] == 16 + 240
    assert two["pruned"] < three["pruned"]


def test_equal_seeds_give_equal_rows_and_others_do_not(tmp_path: Path) -> None:
    first, again, other = (
        run("notes-korf", tmp_path / name, seed=seed).rows for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again != other


def test_strolls_are_of_every_length_and_come_again() -> None:
    terms = ContestTerms.of("trapgrid")
    lines = random_positions(terms, 40, 5)
    assert {len(line) for line in lines} == set(range(6))
    assert lines == random_positions(terms, 40, 5)
    assert lines != random_positions(ContestTerms.of("trapgrid", seed=2), 40, 5)
    assert sampled_positions(terms, []) == []
