"""Expectiminimax by its definition, and Star1, which prunes it."""

from __future__ import annotations

import math

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.roster import create
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.assumed import ASSUMED_BY_NAME, assuming
from cornered.bots.textbook.expectiminimax import expectiminimax, farthest, leaf, score
from cornered.bots.textbook.search import TextbookSearch
from cornered.bots.textbook.star1 import star1
from cornered.bots.textbook.utilities import squashed, unsquashed
from cornered.clients.sdk import Limit
from cornered.engine import CHANCE, Game, State
from tests.bots.scenes import fresh, positions

DICE = [
    (engine.load("isolation", width=3, height=2, dice=True), 8, 8),
    (engine.load("isolation", width=3, height=3, dice=True), 5, 14),
    (engine.load("isolation", width=5, height=4, dice=True), 4, 10),
    (engine.load("isolation", dice=True), 3, 8),
]
PLAIN = [engine.load("trapgrid", size=4), engine.load("quoridor", size=3), engine.load("bamboo", radius=1)]


@pytest.mark.parametrize(("game", "depth", "count"), DICE, ids=str)
def test_bounds_do_not_change_the_value_and_a_window_bounds_it(game: Game, depth: int, count: int) -> None:
    saved = 0
    for state in positions(game, 1, count):
        plain, pruned = fresh(state), fresh(state)
        value, _ = expectiminimax(state, depth, 0, plain)
        found, _ = star1(state, depth, -farthest(0), farthest(0), 0, pruned)
        assert found == pytest.approx(value, abs=1e-12)
        assert pruned.nodes <= plain.nodes
        saved += plain.nodes - pruned.nodes
        # Star1 is correct at chance nodes too, for any window: dice are looked through before they are rolled.
        after, search = state.play(state.moves()[0]), fresh(state)
        if after.outcome is not None or after.to_move != CHANCE:
            continue
        value, _ = expectiminimax(after, depth - 1, 1, search)
        for low, high in ((value - 0.1, value + 0.1), (value + 0.05, value + 0.1), (value - 0.1, value - 0.05)):
            found, _ = star1(after, depth - 1, low, high, 1, search)
            if low < value < high:
                assert found == pytest.approx(value, abs=1e-12)
            elif value <= low:
                assert value - 1e-12 <= found <= low
            else:
                assert high <= found <= value + 1e-12
    assert saved > 0


def test_without_dice_it_is_minimax() -> None:
    for state in (state for game in PLAIN for state in positions(game, 3, 12)):
        value, _ = alpha_beta(state, 3, -math.inf, math.inf, 0, fresh(state))
        found, _ = star1(state, 3, -farthest(0), farthest(0), 0, fresh(state))
        assert score(found, 3, 1) == pytest.approx(value, abs=1e-4)


def test_a_roll_counts_for_its_part() -> None:
    for state in positions(engine.load("isolation", width=3, height=3, dice=True), 5, 10):
        search = fresh(state)
        for after in map(state.play, state.moves()):
            if after.outcome is None and after.to_move == CHANCE:
                rolls = [expectiminimax(after.play(roll), 2, 2, search)[0] for roll in "123"]
                assert expectiminimax(after, 3, 1, search)[0] == pytest.approx(sum(rolls) / 3)


@pytest.mark.parametrize("pruning", ["star1", "none"])
def test_only_what_every_roll_decides_is_proven(pruning: str) -> None:
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


@pytest.mark.parametrize("looseness", [1.0, 2.0, math.inf])
def test_looser_bounds_keep_the_value_and_prune_no_more(looseness: float) -> None:
    saved = 0
    for state in positions(engine.load("isolation", width=4, height=4, dice=True), 6, 12):
        plain, tight, loose = fresh(state), fresh(state), fresh(state)
        value, _ = expectiminimax(state, 4, 0, plain)
        star1(state, 4, -math.inf, math.inf, 0, tight)
        found, _ = star1(state, 4, -math.inf, math.inf, 0, loose, looseness)
        assert found == pytest.approx(value, abs=1e-12)
        assert tight.nodes <= loose.nodes <= plain.nodes
        saved += plain.nodes - loose.nodes
    assert saved > 0, "even without bounds the last roll has a window"


def test_the_middle_roll_is_one_and_the_worst_is_any() -> None:
    assert ASSUMED_BY_NAME["middle"](["1", "2", "3"]) == ["2"]
    assert ASSUMED_BY_NAME["worst"](["1", "2", "3"]) == ["1", "2", "3"]


@pytest.mark.parametrize("name", ASSUMED_BY_NAME)
def test_an_assumed_roll_stands_for_the_dice(name: str) -> None:
    rolls = ASSUMED_BY_NAME[name]
    game = engine.load("isolation", width=5, height=4, dice=True)

    def by_definition(state: State, depth: int, ply: int, search: TextbookSearch) -> float:
        if (value := leaf(state, depth, ply, search)) is not None:
            return value
        is_roll = state.to_move == CHANCE
        moves = ["2"] if is_roll and name == "middle" else state.moves()
        values = [by_definition(state.play(move), depth - 1, ply + 1, search) for move in moves]
        return max(values) if state.to_move == search.seat else min(values)

    for state in positions(game, 7, 20):
        found, _ = assuming(state, 3, -math.inf, math.inf, 0, fresh(state), rolls)
        assert found == by_definition(state, 3, 0, fresh(state))


def test_an_assumed_roll_proves_nothing_and_changes_nothing_without_dice() -> None:
    for state in positions(engine.load("isolation", width=3, height=3, dice=True), 8, 10):
        for name in ASSUMED_BY_NAME:
            assert create(f"expectiminimax:depth=5,rolls={name}").choose(state, Limit()).proven is None
    for state in positions(PLAIN[0], 9, 5):
        mean, middle = (
            create(f"expectiminimax:rolls={name}", seed=1).choose(state, Limit()) for name in ("mean", "middle")
        )
        assert mean == middle
