"""Expectiminimax by its definition, and Star1, which prunes it."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.roster import create
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.expectiminimax import expectiminimax, farthest, score
from cornered.bots.textbook.search import TextbookSearch
from cornered.bots.textbook.star1 import star1
from cornered.bots.textbook.utilities import squashed, unsquashed
from cornered.clients.sdk import Limit
from cornered.engine import CHANCE, Game, State

Positions = Callable[[Game, int, int], list[State]]

DICE = [
    (engine.load("isolation", width=3, height=2, dice=True), 8, 20),
    (engine.load("isolation", width=3, height=3, dice=True), 5, 20),
    (engine.load("isolation", width=5, height=4, dice=True), 4, 10),
    (engine.load("isolation", dice=True), 3, 8),
]
PLAIN = [engine.load("trapgrid", size=4), engine.load("quoridor", size=3), engine.load("bamboo", radius=1)]


def fresh(state: State) -> TextbookSearch:
    return TextbookSearch(state.to_move, evaluator(state.game.name).evaluate)


@pytest.mark.parametrize(("game", "depth", "count"), DICE, ids=str)
def test_bounds_do_not_change_the_value(game: Game, depth: int, count: int, positions: Positions) -> None:
    saved = 0
    for state in positions(game, 1, count):
        plain, pruned = fresh(state), fresh(state)
        value, _ = expectiminimax(state, depth, 0, plain)
        found, _ = star1(state, depth, -farthest(0), farthest(0), 0, pruned)
        assert found == pytest.approx(value, abs=1e-12)
        assert pruned.nodes <= plain.nodes
        saved += plain.nodes - pruned.nodes
    assert saved > 0


@pytest.mark.parametrize(("game", "depth", "count"), DICE, ids=str)
def test_dice_are_looked_through_before_they_are_rolled(
    game: Game, depth: int, count: int, positions: Positions
) -> None:
    """Star1 is correct at chance nodes too, for any window."""
    for state in positions(game, 2, count):
        after = state.play(state.moves()[0])
        if after.outcome is not None or after.to_move != CHANCE:
            continue
        search = fresh(state)
        value, _ = expectiminimax(after, depth - 1, 1, search)
        for low, high in ((value - 0.1, value + 0.1), (value + 0.05, value + 0.1), (value - 0.1, value - 0.05)):
            found, _ = star1(after, depth - 1, low, high, 1, search)
            if low < value < high:
                assert found == pytest.approx(value, abs=1e-12)
            elif value <= low:
                assert value - 1e-12 <= found <= low
            else:
                assert high <= found <= value + 1e-12


@pytest.mark.parametrize("game", PLAIN, ids=str)
def test_without_dice_it_is_minimax(game: Game, positions: Positions) -> None:
    for state in positions(game, 3, 12):
        value, _ = alpha_beta(state, 3, -math.inf, math.inf, 0, fresh(state))
        found, _ = star1(state, 3, -farthest(0), farthest(0), 0, fresh(state))
        assert score(found, 3, 1) == pytest.approx(value, abs=1e-4)


def test_a_roll_counts_for_its_part(positions: Positions) -> None:
    for state in positions(engine.load("isolation", width=3, height=3, dice=True), 5, 10):
        search = fresh(state)
        for after in map(state.play, state.moves()):
            if after.outcome is None and after.to_move == CHANCE:
                rolls = [expectiminimax(after.play(roll), 2, 2, search)[0] for roll in "123"]
                assert expectiminimax(after, 3, 1, search)[0] == pytest.approx(sum(rolls) / 3)


@pytest.mark.parametrize("pruning", ["star1", "none"])
def test_only_what_every_roll_decides_is_proven(pruning: str, positions: Positions) -> None:
    game = engine.load("isolation", width=3, height=3, dice=True)
    proofs = 0
    for state in positions(game, 4, 25):
        thought = create(f"expectiminimax:depth=5,pruning={pruning}").choose(state, Limit())
        if thought.proven:
            proofs += 1
            assert decided(state, state.to_move, 5) == thought.proven
            assert thought.score is not None
            assert abs(thought.score) > WIN - 10
    assert proofs > 5


def decided(state: State, seat: int, depth: int) -> str | None:
    """Return the winner if it is the same for every outcome of the dice within `depth` plies."""
    if state.outcome is not None:
        return "win" if state.outcome.winner == seat else "loss"
    if depth == 0:
        return None
    values = {decided(state.play(move), seat, depth - 1) for move in state.moves()}
    if len(values) == 1:
        return values.pop()
    own = "win" if state.to_move == seat else "loss"
    return own if state.to_move != CHANCE and own in values else None


def test_evaluations_come_back_from_between_the_bounds() -> None:
    for evaluation in (-900.0, -3.5, 0.0, 0.1, 77.0):
        assert -1 < squashed(evaluation) < 1
        assert unsquashed(squashed(evaluation)) == pytest.approx(evaluation)
    assert (unsquashed(1.0), unsquashed(-1.0)) == (999.0, -999.0)
