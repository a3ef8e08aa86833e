"""The TrapGrid reference's figures, and its parity rule against solved positions."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cornered import engine
from cornered.bots.roster.trapgrid_classic import adaptive_depth, board_of
from cornered.engine import State
from cornered.engine.games.trapgrid import TrapGridState
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.trapgrid_parity import EXPERIMENTS as PARITY
from cornered.lab.experiments.trapgrid_parity import are_separated, first_separated, parity
from cornered.lab.experiments.trapgrid_pruning import EXPERIMENTS as PRUNING
from cornered.lab.experiments.trapgrid_pruning import pruned, pruning, pruning_at_start
from cornered.lab.experiments.trapgrid_turns import EXPERIMENTS as TURNS
from cornered.lab.experiments.trapgrid_turns import turns
from tests.lab.experiments.inline import check


def parsed(text: str, size: int) -> TrapGridState:
    state = engine.load("trapgrid", size=size).parse(text)
    assert isinstance(state, TrapGridState)
    return state


def wins(state: State) -> bool:
    """Return whether the mover wins, by brute force."""
    return any(not wins(state.play(move)) for move in state.moves())


def game(terms: ContestTerms, number: int) -> tuple[str, ...]:
    chance, state, moves = Random(number), terms.load().start(), list[str]()
    while state.outcome is None:
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
    return tuple(moves)


@pytest.mark.parametrize(
    ("text", "is_apart"),
    [
        ("0.../..../..../...1 0", False),
        ("0.../xxxx/..../...1 0", True),
        ("0.../xxx./..../...1 0", False),
        ("0.1./xxxx/..../.... 0", False),
        # The pawns are adjacent, and no free cell is between them.
        (".x../0x../1x../.x.. 0", True),
    ],
)
def test_pawns_are_apart_when_no_cell_is_in_reach_of_both(text: str, is_apart: bool) -> None:
    assert are_separated(board_of(parsed(text, 4))) == is_apart


def test_the_truth_about_pawns_that_are_apart_is_what_trying_everything_finds() -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4})
    seen = set()
    for number in range(60):
        moves = game(terms, number)
        one = first_separated((terms, moves))
        for ply in range(1, len(moves)):
            state = position_after(terms, moves[:ply])
            assert isinstance(state, TrapGridState)
            if are_separated(board_of(state)):
                assert one is not None
                assert one["won"] == wins(state)
                seen.add((parity(one["cells"][0]), one["won"]))
                break
        else:
            assert one is None
    # The rule is right and wrong, for odd and for even pockets.
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


def test_an_odd_pocket_wins_by_the_rule_and_loses_in_fact() -> None:
    # Three cells with the pawn's own, two steps; the other has five and four.
    state = parsed("0..x/xxxx/..../.x.1 0", 4)
    assert are_separated(board_of(state))
    assert parity(3)
    assert not wins(state)


def test_parity(tmp_path: Path) -> None:
    by = check(PARITY[0], tmp_path)
    assert by["random: parity, the mover's cells"].verdict == "differs"
    assert by["random: the larger pocket wins"].ours > by["random: parity, the mover's cells"].ours


def test_sorting_is_measured_beside_the_order_of_the_cells() -> None:
    one = pruning_at_start(7)
    assert one.nodes < one.unsorted_nodes < one.plain_nodes == 1 + 2 + 4 + 8 + 16 + 40 + 100 + 240
    assert one.saved_by_sorting == pytest.approx(100 * (1 - one.nodes / one.unsorted_nodes))
    board = board_of(parsed("0.../..../..../...1 0", 4))
    assert pruning(board, 5).score == pruning(board, 5).plain_score


def test_what_is_pruned_after_moves_is_what_is_pruned_there() -> None:
    terms = ContestTerms.of("trapgrid")
    state = position_after(terms, ("a6", "g2"))
    assert isinstance(state, TrapGridState)
    one, figures = pruning(board_of(state), 5), pruned((terms, ("a6", "g2"), 5))
    assert (figures["nodes"], figures["plain"]) == (one.nodes, one.plain_nodes)
    assert figures["efficiency"] == one.efficiency
    assert figures["same"]


def test_pruning(tmp_path: Path) -> None:
    by = check(PRUNING[0], tmp_path)
    assert by["depth 5, start, nodes of minimax"].ours == 71
    assert by["depth 5, start, nodes of minimax"].verdict == "differs"
    assert by["depth 5, start, nodes of alpha-beta"].ours == 44
    assert by["positions with the same value"].ours == 100


def test_a_turn_is_judged_by_proof() -> None:
    terms = ContestTerms.of("trapgrid", {"size": 4})
    moves = game(terms, 3)
    listed = turns((terms, moves))
    assert len(listed) == len(moves) - 4
    for ply, turn in enumerate(listed, start=4):
        state = position_after(terms, moves[:ply])
        assert isinstance(state, TrapGridState)
        assert turn["won"] == wins(state)
        assert turn["depth"] == adaptive_depth(board_of(state)) >= 7
        assert turn["kept"] <= turn["won"]


def test_turns(tmp_path: Path) -> None:
    by = check(TURNS[0], tmp_path)
    assert by["turns at depth 5 (more than 6 steps)"].ours == 0
    assert by["turns at depth 6 (5 or 6 steps)"].verdict == "differs"
    assert by["turns at depth 7 (3 or 4 steps)"].ours + by["turns at depth 8 (0 to 2 steps)"].ours == pytest.approx(100)
    assert by["most steps of a pawn"].ours <= 3
    # The printed player loses a won position in these games: `kept` depends on its move, not on the position.
    assert 80 < by["won positions kept won"].ours < 100
