"""The Isolation tutorial: its heuristics in two programs, against random moves, and its game tree."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.solve import isolation
from cornered.engine import State
from cornered.engine.games.isolation import IsolationState
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.experiments.isolation_heuristics import PRINTED, QUOTES_BY_HEURISTIC, bot_name, late_share, strengths
from cornered.lab.experiments.isolation_tree import lengths, states
from cornered.lab.experiments.reproduction import FOLDER, read
from tests.lab.experiments.inline import check


@pytest.mark.parametrize("name", ["isolation-heuristics", "isolation-program"])
def test_heuristics(name: str, tmp_path: Path) -> None:
    by = check(name, tmp_path)
    for size in (3, 5):
        rows = [by[f"{size}x{size}, {heuristic}"] for heuristic in QUOTES_BY_HEURISTIC]
        assert sum(row.ours for row in rows) == pytest.approx(50 * len(rows))
        assert len({row.count for row in rows}) == 1
        # The tutorial prints no figure.
        assert {row.verdict for row in rows} == {"new"}
        # Two openings at most: the four pairings of a heuristic repeat them.
        assert by[f"{size}x{size}, length of a game"].effective == {3: 2, 5: 1}[size]
        assert all(row.effective is None or row.effective < row.count for row in rows)
    table = read(tmp_path / FOLDER / f"{name}.json").series["tables"]["3"]
    for one, other in permutations(QUOTES_BY_HEURISTIC, 2):
        assert table[one][other] + table[other][one] == pytest.approx(100)


def test_strength_is_relative_to_the_mean_of_all() -> None:
    games: list[PlayedGame] = []
    order = list(QUOTES_BY_HEURISTIC)
    for one, other in permutations(order, 2):
        # Of the three games of two heuristics, the one that is first in the list wins two.
        winner = 0 if order.index(one) < order.index(other) else 1
        fixture = Fixture(len(games), (bot_name(one), bot_name(other)))
        games += [PlayedGame(fixture, (), seat, "rules") for seat in (winner, winner, 1 - winner)]
    elos = strengths(games)
    assert sum(elos.values()) == pytest.approx(0, abs=1e-6)
    assert sorted(elos, key=lambda heuristic: -elos[heuristic]) == order


def test_the_late_phase_begins_when_more_than_half_of_the_board_is_used() -> None:
    # The sixth move is the first with five of nine cells used.
    fixture = Fixture(0, ("a", "b"))
    assert late_share(PlayedGame(fixture, ("x",) * 5, 0, "rules"), 3) == 0
    assert late_share(PlayedGame(fixture, ("x",) * 6, 0, "rules"), 3) == pytest.approx(1 / 6)
    assert late_share(PlayedGame(fixture, ("x",) * 9, 0, "rules"), 4) == 0


def test_against_random_moves(tmp_path: Path) -> None:
    by = check("isolation-random", tmp_path)
    together = by["3x3, printed, all heuristics"]
    alone = [by[f"3x3, printed, {heuristic}"] for heuristic in QUOTES_BY_HEURISTIC]
    assert (together.verdict, together.claimed) == ("apart", "a distinct change"), "the tutorial prints no figure"
    assert together.ours == pytest.approx(sum(row.ours for row in alone) / len(alone))
    assert together.count == sum(row.count for row in alone)


def test_tree(tmp_path: Path) -> None:
    by = check("isolation-tree", tmp_path)
    assert by["5x5, states saved by pruning that cuts"].verdict == "apart"
    assert by["5x5, states saved by pruning that cuts"].low > 50
    assert by["states saved by the printed pruning"].reason == "refuted"
    assert by["3x3, perfect play, longest"].kind == "proven"
    assert by["3x3, longest game"].ours >= by["3x3, perfect play, longest"].ours
    assert by["3x3, perfect play, longest"].ours >= by["3x3, winner hurries, loser delays"].ours
    assert {by[f"defensive score of move {move}"].verdict for move in "AB"} == {"apart"}


def test_the_lengths_of_games_are_those_that_the_solver_and_play_find() -> None:
    begun = engine.load("isolation", width=3, height=3).start().play("a1").play("c3")
    assert isinstance(begun, IsolationState)
    whole = lengths(begun)
    solution = isolation.solve(begun, Limit())
    assert solution is not None
    assert (solution.value == "win", solution.plies) == (whole.wins, whole.contested)
    # Pawn 1 wins at once by a2, the other's only cell. Another winning move takes longer, and an error longer still.
    late = engine.load("isolation", width=3, height=3).parse(".../.1x/0xx 1")
    assert isinstance(late, IsolationState)
    assert lengths(late) == (True, 4, 1, 3)
    longest = 0
    chance = random.Random(1)
    for _ in range(200):
        state, plies = begun, 0
        while state.outcome is None:
            state, plies = state.play(chance.choice(state.moves())), plies + 1
        longest = max(longest, plies)
    assert longest == whole.longest


def test_the_states_of_the_tree_are_counted_and_those_that_pruning_evaluates() -> None:
    terms, moves = ContestTerms.of("isolation", {"width": 3, "height": 3}), ("a1", "c3")
    state = terms.load().start().play("a1").play("c3")

    def below(state: State, plies: int) -> int:
        return sum(1 + below(state.play(move), plies - 1) for move in state.moves()) if plies else 0

    counted = states((terms, moves))
    assert counted["all"] == below(state, 5)
    assert counted["cut"] == create(bot_name("simple", PRINTED)).choose(state, Limit()).nodes < counted["all"]
