"""The game tree as data: every game's, and what its scores and marks mean."""

from __future__ import annotations

import json
import math

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.overlay.gametree import Tree, as_json, build_tree
from cornered.engine import CHANCE, Game, State
from cornered.engine.games.isolation import IsolationState
from tests.bots.scenes import minimax, random_game

GAMES = [
    engine.load("trapgrid", size=5),
    engine.load("isolation", width=4, height=4),
    engine.load("isolation", width=4, height=4, players=3, dice=True),
    engine.load("bamboo", radius=2),
    engine.load("quoridor", size=5, players=4),
]


def middle(game: Game, plies: int = 6) -> State:
    state: State = random_game(game, 3, plies + 1)[-1]
    return state


def tree_of(state: State, depth: int, width: int, most: int = 400) -> Tree:
    return build_tree(state, depth, width, evaluator(state.game.name).evaluate, most=most)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_with_room_for_all_moves_the_score_is_that_of_minimax(game: Game) -> None:
    state = middle(game)
    seat = state.play("1").to_move if state.to_move == CHANCE else state.to_move
    tree = tree_of(state, 2, 200, most=10**6)
    assert tree.score == pytest.approx(minimax(state, seat, 2))
    assert all(node.more == 0 for node in tree if node.children)


def test_dice_are_averaged() -> None:
    def squared_roll(state: State, seat: int) -> float:
        assert isinstance(state, IsolationState)
        return float(state.position.roll**2)

    tree = build_tree(middle(engine.load("isolation", width=4, height=4, dice=True), 5), 2, 20, squared_roll)
    rolls = [node for node in tree if node.to_move == CHANCE]
    assert rolls
    for node in rolls:
        assert [(child.move, child.score) for child in node.children] == [("1", 1.0), ("2", 4.0), ("3", 9.0)]
        assert node.score == pytest.approx(14 / 3)
        assert not any(child.is_best for child in node.children)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_node_is_a_legal_position_and_more_counts_what_is_missing(game: Game) -> None:
    state = middle(game)
    tree = tree_of(state, 3, 3, most=60)

    def check(node: Tree, state: State) -> None:
        assert (node.position, node.to_move, node.is_over) == (str(state), state.to_move, state.outcome is not None)
        assert node.more + len(node.children) == len(state.moves())
        moves = [child.move for child in node.children if child.move is not None]
        assert len(set(moves)) == len(node.children)
        assert set(moves) <= set(state.moves())
        # No roll is left out where others are shown: it would make the mean a lie.
        assert len(node.children) <= 3
        assert state.to_move != CHANCE or len(node.children) in (0, 3)
        for child in node.children:
            check(child, state.play(str(child.move)))

    check(tree, state)
    assert 3 < sum(1 for _ in tree) <= 60
    assert tree == tree_of(state, 3, 3, most=60)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_the_best_line_is_marked_and_keeps_the_score(game: Game) -> None:
    tree = tree_of(middle(game), 3, 4)
    node = tree
    for move in tree.best_line:
        marked = [child for child in node.children if child.is_best]
        assert [child.move for child in marked] == [move]
        assert marked[0].score == node.score
        assert not marked[0].is_cut
        node = marked[0]
    assert sum(node.is_best for node in tree) == len(tree.best_line) + 1


def visited(node: Tree, alpha: float, beta: float, found: set[int], *, is_max: bool) -> float:
    """Return the value of alpha-beta below a node; `found` collects every visited node."""
    found.add(id(node))
    if not node.children:
        return node.score
    best = -math.inf if is_max else math.inf
    for child in node.children:
        value = visited(child, alpha, beta, found, is_max=not is_max)
        best = max(best, value) if is_max else min(best, value)
        alpha, beta = (max(alpha, best), beta) if is_max else (alpha, min(beta, best))
        if alpha >= beta:
            break
    return best


def test_what_is_cut_is_what_alpha_beta_does_not_look_at() -> None:
    for size, plies, width in ((4, 4, 6), (4, 6, 9), (5, 7, 4)):
        tree = tree_of(middle(engine.load("isolation", width=size, height=size), plies), 4, width, most=2000)
        found: set[int] = set()
        assert visited(tree, -math.inf, math.inf, found, is_max=True) == tree.score
        assert {id(node) for node in tree if not node.is_cut} == found
        assert any(node.is_cut for node in tree)


def test_of_too_many_moves_the_most_promising_are_shown() -> None:
    state = middle(engine.load("trapgrid"), 5)
    evaluate = evaluator("trapgrid").evaluate
    best = max(state.moves(), key=lambda move: evaluate(state.play(move), state.to_move))
    tree = tree_of(state, 1, 1)
    assert [child.move for child in tree.children] == [best]
    assert tree.more == len(state.moves()) - 1


def test_sooner_is_better_for_a_win() -> None:
    state = engine.load("isolation", width=4, height=4).parse("0.xx/xxx1/xxxx/xxxx 0")
    tree = tree_of(state, 4, 9)
    assert tree.score == WIN - 1
    assert tree.best_line == ("b4",)
    assert tree.children[0].is_over


def test_a_tree_becomes_json() -> None:
    tree = tree_of(middle(GAMES[1]), 2, 3)
    told = json.loads(json.dumps(as_json(tree)))
    assert told["position"] == tree.position
    assert [child["score"] for child in told["children"]] == [child.score for child in tree.children]
    assert told["children"][0].keys() == told.keys() == set(Tree.__dataclass_fields__)


def test_a_tree_without_depth_width_or_room_is_refused() -> None:
    for depth, width, most in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        with pytest.raises(ValueError, match="1 or more"):
            tree_of(GAMES[0].start(), depth, width, most)
