"""The figures that the references quote."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.bots.textbook.figures import alpha_beta_saving, deepening_overhead, korf_saving, uniform_overhead


def test_deepening_costs_half_as_much_again_with_three_moves() -> None:
    assert uniform_overhead(3, 12) == pytest.approx(50, abs=0.1)
    assert uniform_overhead(2, 20) == pytest.approx(100, abs=0.1)


def test_deepening_in_a_game_costs_the_shallower_trees() -> None:
    start = engine.load("isolation", width=4, height=4).start()
    leaves = [engine.perft(start, ply) for ply in (1, 2, 3)]
    trees = [leaves[0], sum(leaves[:2]), sum(leaves)]
    assert deepening_overhead(start, 3) == pytest.approx(100 * (trees[0] + trees[1]) / trees[2])


def test_pruning_saves_what_it_leaves_out() -> None:
    start = engine.load("trapgrid").start()
    plain, ordered = alpha_beta_saving(start, 5), alpha_beta_saving(start, 5, is_sorted=True)
    assert plain.plain == ordered.plain == sum(engine.perft(start, ply) for ply in range(1, 6))
    assert 0 < ordered.pruned < plain.pruned < plain.plain
    assert 0 < plain.percent < ordered.percent < 100
    assert 0 < plain.efficiency < ordered.efficiency < 100


def test_korf_saves_something_with_three() -> None:
    start = engine.load("isolation", width=4, height=4, players=3).start()
    saving = korf_saving(start, 3)
    assert saving.plain == sum(engine.perft(start, ply) for ply in (1, 2, 3))
    assert saving.pruned < saving.plain
