"""The course notes' horizon effect, quiescence search and expectiminimax."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.textbook.minimax import minimax
from cornered.bots.textbook.search import TextbookSearch
from cornered.lab.contests.arena import position_after
from cornered.lab.experiments.findings import FigureRow
from cornered.lab.experiments.judging import exact
from cornered.lab.experiments.notes_expectiminimax import PRUNED, SOLVED, chance_to_win, chances, costs
from cornered.lab.experiments.notes_horizon import believed, is_pushed, is_wrong
from cornered.lab.experiments.notes_quiescence import NODES, explained, judgement, pair_scores
from cornered.lab.experiments.proven import PROVEN_GAMES, TESTS, deepened, solution
from tests.lab.experiments.inline import check

SMALL = PROVEN_GAMES["Isolation 4x4"]
LINE = ("a1", "d4", "b2", "c3", "b1", "c1")
"""Six plies on 4x4."""


def test_horizon(tmp_path: Path) -> None:
    by = check("notes-horizon", tmp_path)
    for ground in PROVEN_GAMES.values():
        wrong = [by[f"{ground.label}, evaluation wrong about the winner, {kind}"] for kind in ("volatile", "quiet")]
        more = by[f"{ground.label}, wrong more often in volatile positions by"]
        assert more.ours == pytest.approx(wrong[0].ours - wrong[1].ours)
        assert sum(row.count for row in wrong) == more.count == 8
    assert {row.verdict for label, row in by.items() if "lasts longer" in label} == {"apart"}, "it could hardly fail"


def test_a_position_is_looked_at_by_the_solver_and_by_the_search() -> None:
    found = believed((SMALL.label, 1, LINE))
    state = position_after(SMALL.terms(1), LINE)
    solved = solution(state)
    assert found["proven"] == solved.value
    assert sorted(found["lengths"]) == sorted(solved.lengths.values())
    value, _ = minimax(state, 0, TextbookSearch(state.to_move, SMALL.evaluate))
    assert (value > 0) == (solved.value == "win")
    for depth in SMALL.depths:
        assert math.isfinite(found[f"value {depth}"])
        assert found[f"lasts {depth}"] in solved.lengths.values()


def test_a_loss_is_pushed_where_some_moves_delay_it_beyond_the_depth() -> None:
    def lost(*lengths: int) -> dict[str, object]:
        return {"proven": "loss", "lengths": lengths}

    assert is_pushed(lost(2, 6), 4)
    assert is_pushed(lost(4, 6), 4)
    assert not is_pushed(lost(2, 4), 4)
    assert not is_pushed(lost(6, 8), 4)
    assert not is_pushed({"proven": "win", "lengths": (2, 6)}, 4)
    assert is_wrong(0.0, "loss")
    assert is_wrong(0.0, "win")
    assert not is_wrong(-1.0, "loss")


def test_quiescence(tmp_path: Path) -> None:
    by = check("notes-quiescence", tmp_path)
    assert len(by) == len(PROVEN_GAMES) * len(TESTS) * 2 * 4
    claimed = [label for label, row in by.items() if row.claimed]
    # The notes speak of evaluations and losses, not of moves, games or cost.
    assert len(claimed) == len(PROVEN_GAMES) * len(TESTS) * 2
    assert all("equal depth" in label and ("winner" in label or "losses" in label) for label in claimed)


def test_a_search_is_judged_by_the_solution_and_both_games_of_a_pair_by_their_opening() -> None:
    one = judgement((SMALL.label, 1, LINE))
    assert one["proven"] == solution(position_after(SMALL.terms(1), LINE)).value == "win"
    # Five plies before the end, which so many positions reach and so little depth does not.
    for test in ("plain", *TESTS):
        assert one[f"sign nodes {test}"]
        assert one[f"kept nodes {test}"]
        assert one[f"unseen depth {test}"] is None
    lost = judgement((SMALL.label, 1, (*LINE, "c2")))
    assert (lost["kept depth plain"], lost["unseen nodes plain"]) == (None, True)
    assert lost["nodes plain"] <= lost["nodes moves"]

    # The winner is decided after these moves, whoever searches it.
    opening = (*LINE, "c2", "d2")
    winner = solution(position_after(SMALL.terms(1), opening))
    scores = pair_scores((SMALL.label, 1, opening, "moves", "depth"))
    mover = len(opening) % 2
    first = (winner.value == "win") == (mover == 0)
    assert scores == [float(first), float(not first)]


def test_equal_nodes_are_not_exceeded_and_the_last_whole_iteration_counts() -> None:
    state = position_after(SMALL.terms(1), LINE)
    for nodes in (5, NODES):
        for test in ("", *TESTS):
            value, line = deepened(SMALL, state, nodes, test)
            assert line[0] in state.moves()
            assert math.isfinite(value)
    assert deepened(SMALL, state, 1, "") == (0.0, (state.moves()[0],))
    assert deepened(SMALL, state, 10**6, "")[0] == minimax(state, 0, TextbookSearch(state.to_move, SMALL.evaluate))[0]


def test_a_row_that_differs_names_the_test_that_agrees() -> None:
    def rows(*spans: tuple[float, float]) -> list[FigureRow]:
        return [
            exact(f"A, equal depth, {test}, games won", "more than 0", span, 1.0)
            for test, span in zip(TESTS.values(), spans, strict=True)
        ]

    one, other = explained(rows((2, math.inf), (0, math.inf)))
    assert (one.reason, other.reason) == ("definition", "")
    assert TESTS["moves"] in one.why
    assert {row.reason for row in explained(rows((2, math.inf), (2, math.inf)))} == {"vague"}


def test_expectiminimax(tmp_path: Path) -> None:
    by = check("notes-expectiminimax", tmp_path)
    for label in ("values that are the sum of P x V", "values that pruning leaves as they are"):
        assert (by[f"3x3, {label}"].ours, by[f"3x3, {label}"].verdict) == (100, "apart")
    for board in PRUNED:
        tight, none = (by[f"{board.label}, nodes saved, {words}"] for words in ("known bounds", "no bounds"))
        assert tight.ours >= none.ours > 0
        assert none.verdict in ("unclear", "differs")


def test_a_chance_to_win_is_the_mean_over_the_rolls_and_compared_with_exact_fractions() -> None:
    game = engine.load("isolation", width=3, height=2, dice=True)
    state = game.start()
    for move in ("a1", "c2"):
        state = state.play(move)
    known: dict[engine.State, Fraction] = {}
    after = [chance_to_win(state.play(roll), 0, known) for roll in "123"]
    assert chance_to_win(state, 0, known) == sum(after) / 3
    assert chance_to_win(state, 0, {}) + chance_to_win(state, 1, {}) == 1

    opening = ("a1", "c3", "2", "b1", "1", "c2", "1")
    one = chances((SOLVED, 1, opening))
    assert one["exact"]
    assert one["same"]
    assert -1 <= one["expectation"] <= 1
    plain, *pruned = costs((PRUNED[0], 1, ("a1", "d4", "3", "a4", "2", "c3", "1")))
    assert pruned == sorted(pruned)
    assert pruned[-1] <= plain
