"""The Quoridor specification's figures: counted, played and proven."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.evaluate.quoridor_printed import PrintedWeights, choice
from cornered.bots.roster.quoridor_classic import alpha_beta
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine.games.quoridor import QuoridorState
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.findings import FigureRow
from cornered.lab.experiments.quoridor_depth import EXPERIMENTS as DEPTH
from cornered.lab.experiments.quoridor_first_player import EXPERIMENTS as FIRST_PLAYER
from cornered.lab.experiments.quoridor_first_player import proven
from cornered.lab.experiments.quoridor_nodes import EXPERIMENTS as NODES
from cornered.lab.experiments.quoridor_nodes import full_width, looked_at, plain
from cornered.lab.experiments.quoridor_statistics import EXPERIMENTS as STATISTICS
from cornered.lab.experiments.quoridor_statistics import printed_bytes, python_bytes, shape
from cornered.lab.experiments.quoridor_weights import EXPERIMENTS as WEIGHTS
from cornered.lab.experiments.quoridor_weights import dominance
from cornered.lab.experiments.sampling import random_positions
from tests.lab.experiments.inline import check, found


def start(size: int, **options: int) -> QuoridorState:
    state = engine.load("quoridor", size=size, **options).start()
    assert isinstance(state, QuoridorState)
    return state


def searching(seat: int = 0) -> TextbookSearch:
    return TextbookSearch(seat, lambda state, seat: 0.0)


def test_the_printed_sum_of_bytes_holds_for_20_walls_only() -> None:
    # "Positions: 4 ints = 16 bytes, walls: 40 ints = 160 bytes, metadata: 5 integers (20 bytes)".
    assert printed_bytes(20) == 16 + 160 + 20
    assert printed_bytes(4) == 16 + 32 + 20
    assert python_bytes(9, 20) > 10 * printed_bytes(20)
    assert python_bytes(9, 20) > python_bytes(3, 4)


def test_a_games_shape_begins_after_its_opening() -> None:
    terms = ContestTerms.of("quoridor", {"size": 3})
    moves = ("b2", "a3", "a2")
    after = [11, len(start(3).play("b2").moves()), len(start(3).play("b2").play("a3").moves())]
    assert shape((terms, moves, 0))["branching"] == pytest.approx(sum(after) / 3)
    assert shape((terms, moves, 1))["branching"] == pytest.approx(sum(after[1:]) / 2)


def test_statistics(tmp_path: Path) -> None:
    by = check(STATISTICS[0], tmp_path)
    assert [by[f"actions {size}x{size}"].ours for size in (3, 5, 7, 9)] == [17, 57, 121, 209]
    assert [by[f"branching {size}x{size}, start"].ours for size in (3, 5, 9)] == [11, 35, 131]
    assert by["branching 9x9, start"].verdict == "differs"
    assert by["actions 9x9"].verdict == "agrees"


def test_plain_minimax_comes_to_what_alpha_beta_does() -> None:
    terms = ContestTerms.of("quoridor", {"size": 3})
    for line in random_positions(terms, 20, 6):
        for depth in (1, 2, 3):
            one = looked_at((terms, line, depth))
            assert one["same"]
            assert one["pruned"] <= one["plain"]


def test_plain_minimax_looks_at_every_candidate() -> None:
    state, search = start(5), searching()
    value = plain(state, 2, 0, search, PrintedWeights())
    children = [state.play(move) for move in choice(state, 8)]
    assert search.nodes == 1 + len(children) + sum(len(choice(child, 8)) for child in children)
    assert value == alpha_beta(state, 2, -math.inf, math.inf, 0, searching(), 8, PrintedWeights())[0]


def test_the_whole_tree_is_counted_by_perft() -> None:
    assert full_width((ContestTerms.of("quoridor"), (), 2)) == 131 + 16677
    assert full_width((ContestTerms.of("quoridor", {"size": 3}), (), 4)) == 11 + 77 + 380 + 1528


def test_nodes(tmp_path: Path) -> None:
    by = check(NODES[0], tmp_path)
    assert by["9x9, depth 2, start"].ours == 16808
    assert by["9x9, depth 2, start"].verdict == "differs"
    assert by["positions with the same value"].verdict == "agrees"
    assert 0 < by["9x9, depth 2, saved"].ours < 100


def test_depth(tmp_path: Path) -> None:
    by = check(DEPTH[0], tmp_path)
    assert by["5x5, depth 2, nodes"].ours > by["5x5, depth 1, nodes"].ours
    ratio = by["5x5, depth 2 to 1, nodes"]
    assert ratio.ours == pytest.approx(by["5x5, depth 2, nodes"].ours / by["5x5, depth 1, nodes"].ours)
    assert ratio.verdict == "differs"
    assert "9x9, depth 3 against 2" not in by


def row(low: float, high: float) -> FigureRow:
    return FigureRow("", "", (low + high) / 2, low, high, 100, "new", "%")


@pytest.mark.parametrize(
    ("path", "others", "verdict"),
    [((5, 10), (40, 60), "agrees"), ((30, 45), (40, 60), "unclear"), ((70, 80), (40, 60), "differs")],
)
def test_what_dominates_costs_most_to_do_without(
    path: tuple[float, float], others: tuple[float, float], verdict: str
) -> None:
    assert dominance({"path": row(*path), "progress": row(*others), "stock": row(*others)}) == verdict


def test_weights(tmp_path: Path) -> None:
    by = check(WEIGHTS[0], tmp_path)
    assert {f"5x5, {weight}" for weight in ("path 8", "path 16", "path 0", "wall 1", "progress 2.5")} < set(by)
    assert by["5x5, path 0"].claimed == "dominant"


def test_equal_seeds_give_equal_rows(tmp_path: Path) -> None:
    first, again = (found(WEIGHTS[0], tmp_path / name) for name in ("first", "again"))
    assert first.rows == again.rows


def test_three_by_three_is_lost_for_the_first_player() -> None:
    assert [proven((3, walls))["plies"] for walls in range(5)] == [4, 8, 12, 12, 12]
    assert {proven((3, walls))["value"] for walls in range(5)} == {"loss"}


def test_the_shortest_proof_holds_without_the_solver() -> None:
    # Four plies from the end no value is an estimate: every line of every move loses.
    search = searching()
    value, _ = depth_limited(start(3, walls=0), 4, 0, search)
    assert value == 4 - 10_000
    assert depth_limited(start(3, walls=0), 3, 0, searching())[0] == 0


def test_first_player(tmp_path: Path) -> None:
    by = check(FIRST_PLAYER[0], tmp_path)
    assert by["3x3, perfect, 2 walls"].ours == 0
    assert by["3x3, perfect, 2 walls"].verdict == "differs"
    assert "loss in 12 plies" in by["3x3, perfect, 2 walls"].note
    assert by["9x9, random, no draws"].count == 20
