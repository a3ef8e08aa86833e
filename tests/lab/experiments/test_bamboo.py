"""The Bamboo paper's experiments: exact values, and the comparison with the printed ones."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from cornered import engine
from cornered.engine import State
from cornered.lab.experiments.bamboo_agents import Agents
from cornered.lab.experiments.bamboo_costs import cost
from cornered.lab.experiments.bamboo_first_move import CLAIMED_SHARES, chance_of_first, random_games
from cornered.lab.experiments.bamboo_heuristics import Heuristics
from cornered.lab.experiments.judging import counted
from cornered.lab.statistics.tally import Tally
from tests.lab.experiments.inline import check


def expected(state: State) -> Fraction:
    """Return the first player's chance by definition: the mean over all moves, recursively."""
    if state.outcome is not None:
        return Fraction(state.outcome.winner == 0)
    moves = state.moves()
    return sum((expected(state.play(move)) for move in moves), Fraction(0)) / len(moves)


def test_the_exact_chance_on_size_1_is_that_of_the_plain_definition_and_of_random_games() -> None:
    plain = expected(engine.load("bamboo", radius=1).start())
    assert plain == Fraction(1, 7)
    assert chance_of_first(1) == pytest.approx(float(plain), abs=1e-12)
    assert random_games([1, 5, 4000]) == random_games([1, 5, 4000])
    assert random_games([1, 5, 4000]) != random_games([1, 6, 4000])
    assert counted("x", 100 / 7, Tally.of(random_games([1, 5, 4000]), 4000), of=10**9).verdict == "agrees"


def test_the_exact_chance_on_size_2_is_the_known_one() -> None:
    assert chance_of_first(2) == pytest.approx(0.412604, abs=5e-7)


def test_an_exact_value_is_compared_with_the_papers_own_sampling_error(tmp_path: Path) -> None:
    rows = check("bamboo-table-2", tmp_path)
    sampled, exactly = rows["first player wins, size 1"], rows["the same, size 1, exact value"]
    assert (sampled.kind, exactly.kind) == ("measured", "exact")
    assert exactly.ours == pytest.approx(100 / 7)
    assert exactly.verdict == "agrees"
    # 12 of 100 are 0.65 standard errors below one seventh, and tell 8 to 10 points from it.
    assert exactly.p == pytest.approx(0.51, abs=0.02)
    assert exactly.detectable == pytest.approx(9, abs=1)


def test_the_printed_shares_are_whole_and_in_the_middle_of_their_intervals() -> None:
    for share, low, high in CLAIMED_SHARES.values():
        assert (low + high) / 2 == pytest.approx(share, abs=0.01)
    for table in (Heuristics(), Agents()):
        assert len(table.printed) == 10
        assert {name for pair in table.printed for name in pair} == set(table.players)


def test_a_cost_is_the_bots_own_and_not_its_opponents() -> None:
    # Ten times the iterations cost several times as much.
    assert cost(("bamboo-mcts:iterations=50", 1, 1)) > 2 * cost(("bamboo-mcts:iterations=5", 1, 1))
