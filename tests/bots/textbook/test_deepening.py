"""Alpha-beta against a full search."""

from __future__ import annotations

import math
import random

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import Evaluator, evaluator
from cornered.bots.textbook.deepening import search
from cornered.clients.sdk import Limit
from cornered.engine import CHANCE, State
from tests.bots.scenes import minimax, random_game

SMALL = [
    ("trapgrid", {"size": 3}, 9),
    ("trapgrid", {}, 5),
    ("isolation", {"width": 3, "height": 2}, 6),
    ("isolation", {"width": 3, "height": 2, "dice": True}, 6),
    ("isolation", {"width": 4, "height": 3, "dice": True}, 5),
    ("isolation", {"width": 3, "height": 2, "players": 3}, 6),
    ("isolation", {"width": 2, "height": 3, "players": 4, "dice": True}, 7),
    ("bamboo", {"radius": 1}, 6),
    ("quoridor", {"size": 3, "walls": 1}, 5),
    ("quoridor", {"size": 5, "players": 4, "walls": 0}, 5),
]


@pytest.mark.parametrize(("name", "options", "deepest"), SMALL, ids=lambda item: str(item))
def test_the_value_is_that_of_a_search_without_pruning(name: str, options: dict[str, int], deepest: int) -> None:
    game = engine.load(name, **options)
    judged = Evaluator(evaluator(name).evaluate)
    chance = random.Random(3)
    state = game.start()
    for _ in range(6):
        while state.outcome is None and state.to_move == CHANCE:
            state = state.play(chance.choice(state.moves()))
        if state.outcome is not None:
            return
        for depth in range(1, deepest + 1):
            thought = search(state, Limit(depth=depth), judged, random.Random(1))
            expected = minimax(state, state.to_move, thought.depth)
            assert thought.score == pytest.approx(expected)
            reached = minimax(state.play(thought.move), state.to_move, thought.depth - 1, ply=1)
            assert reached == pytest.approx(expected)
        state = state.play(chance.choice(state.moves()))


KNOWN: list[tuple[str, dict[str, int], str]] = [
    ("trapgrid", {"size": 3}, "win"),
    ("trapgrid", {"size": 4}, "loss"),
    ("isolation", {"width": 2, "height": 2}, "loss"),
    ("isolation", {"width": 3, "height": 3}, "win"),
    ("bamboo", {"radius": 1}, "loss"),
]


def test_small_games_are_proven(subtests: pytest.Subtests) -> None:
    for name, options, value in KNOWN:
        with subtests.test(f"{name} {options}"):
            thought = search(engine.load(name, **options).start(), Limit(), evaluator(name), random.Random(1))
            assert thought.proven == value
            assert thought.pruned > 0
            assert name != "isolation" or value == "loss" or thought.move == "b2", "only the centre wins"


def test_a_loss_is_not_proven_when_moves_are_left_out() -> None:
    # On this board every move loses, and not all of them are candidates.
    start = engine.load("quoridor", size=3).start()
    everything = Evaluator(evaluator("quoridor").evaluate)
    assert search(start, Limit(depth=12), everything, random.Random(1)).proven == "loss"
    few = Evaluator(evaluator("quoridor").evaluate, lambda state: [m for m in state.moves() if len(m) == 2])
    assert search(start, Limit(depth=12), few, random.Random(1)).proven is None


@pytest.mark.parametrize("spared", [0, 1])
def test_nothing_false_is_proven_when_a_player_s_moves_are_left_out(spared: int) -> None:
    for game in (engine.load("trapgrid", size=4), engine.load("isolation", width=3, height=3)):
        evaluate, chance, proofs = evaluator(game.name).evaluate, random.Random(2), 0
        few = Evaluator(evaluate, lambda state: state.moves()[: 1 if state.to_move == spared else None])
        for state in (state for _ in range(7) for state in random_game(game, chance) if len(state.moves()) < 9):
            found = search(state, Limit(), few, random.Random(1)).proven
            assert found in (None, search(state, Limit(), Evaluator(evaluate), random.Random(1)).proven)
            proofs += found is not None
        assert proofs > 10


def decided(state: State, seat: int, depth: int) -> bool:
    """Return whether `seat` wins within `depth` plies for every outcome of the dice."""
    if state.outcome is not None:
        return state.outcome.winner == seat
    each = (decided(state.play(move), seat, depth - 1) for move in (state.moves() if depth else ()))
    return depth > 0 and (any(each) if state.to_move == seat else all(each))


def test_dice_prove_a_win_only_when_every_roll_wins() -> None:
    game, chance, proofs = engine.load("isolation", width=3, height=3, dice=True), random.Random(1), 0
    for state in (state for _ in range(3) for state in random_game(game, chance) if state.to_move != CHANCE):
        thought = search(state, Limit(depth=6), evaluator("isolation"), random.Random(1))
        assert thought.proven in (None, "win")
        if thought.proven:
            proofs += 1
            assert decided(state, state.to_move, 6)
    assert proofs > 1


def test_a_forced_draw_is_proven() -> None:
    # One ply is left and no pawn is next to its goal.
    start = engine.load("quoridor", size=5, walls=0, max_plies=1).start()
    thought = search(start, Limit(), Evaluator(evaluator("quoridor").evaluate), random.Random(1))
    assert (thought.score, thought.proven) == (0.0, "draw")


def test_a_quick_win_is_better_than_a_slow_one() -> None:
    start = engine.load("quoridor", size=5, walls=0).parse("...../..0../....1/...../..... 0")
    thought = search(start, Limit(depth=6), evaluator("quoridor"), random.Random(4))
    assert (thought.move, thought.score, thought.proven) == ("c5", WIN - 1, "win")


def test_a_loss_is_put_off_as_long_as_it_can_be() -> None:
    start = engine.load("trapgrid", size=4).start()
    thought = search(start, Limit(), evaluator("trapgrid"), random.Random(4))
    assert thought.score == len(thought.pv) - WIN


def test_an_iteration_that_was_cut_short_does_not_forget_the_last_one() -> None:
    for name in ("trapgrid", "bamboo"):
        start = engine.load(name).start()
        whole = search(start, Limit(depth=2), evaluator(name), random.Random(9))
        cut = search(start, Limit(nodes=whole.nodes + 3, depth=3), evaluator(name), random.Random(9))
        assert cut.score is not None
        assert cut.depth >= 2 - (cut.move != whole.move)
        assert not math.isinf(cut.score)


def test_without_time_for_anything_the_move_is_legal() -> None:
    start = engine.load("quoridor").start()
    thought = search(start, Limit(time=1, started=0.0), evaluator("quoridor"), random.Random(1))
    assert start.is_legal(thought.move)
    assert thought.score is None
