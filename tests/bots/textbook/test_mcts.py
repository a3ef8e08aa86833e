"""UCT: the statistics of its tree, and results that random games can show."""

from __future__ import annotations

import math
from random import Random

import pytest

from cornered import engine
from cornered.bots.roster import create
from cornered.bots.textbook.mcts import Node, rewards, run_iteration
from cornered.bots.textbook.search import OutOfLimit, TextbookSearch
from cornered.clients.sdk import Limit
from cornered.engine import CHANCE, Game, Outcome

GAMES = [
    engine.load("trapgrid", size=4),
    engine.load("isolation", width=3, height=3),
    engine.load("isolation", width=3, height=3, players=3, dice=True),
    engine.load("bamboo", radius=1),
    engine.load("quoridor", size=3, walls=0, max_plies=30),
]


def walk(node: Node) -> list[Node]:
    return [node, *(below for child in node.children.values() for below in walk(child))]


def grown(game: Game, seed: int, iterations: int) -> Node:
    """Return the root of a tree after so many iterations."""
    chance, search = Random(seed), TextbookSearch(0, lambda state, seat: 0.0)
    root = Node.of(game.start(), chance)
    for _ in range(iterations):
        run_iteration(root, 1.0, chance, search)
    return root


def test_every_visit_is_counted_once_on_each_level(subtests: pytest.Subtests) -> None:
    for game in GAMES:
        with subtests.test(repr(game)):
            root = grown(game, 1, 300)
            assert root.visits == 300
            for node in walk(root):
                below = sum(child.visits for child in node.children.values())
                if node.parent is None or node.parent.state.to_move == CHANCE:
                    assert below == node.visits or node.state.outcome is not None
                elif node.state.outcome is None:
                    assert below == node.visits - 1, "but for the visit that added it"
                assert 0 <= node.won <= node.visits
                if node.state.outcome is None:
                    assert {*node.children, *node.untried} <= set(node.state.moves())


def test_what_one_of_two_wins_the_other_loses() -> None:
    root = grown(engine.load("bamboo", radius=1), 2, 200)
    for node in walk(root):
        won = sum(child.won for child in node.children.values())
        lost = node.visits - node.won
        if node is not root and node.children:
            assert won <= lost <= won + 1


def test_an_iteration_that_is_cut_short_leaves_no_trace() -> None:
    chance = Random(3)
    root = Node.of(engine.load("quoridor", size=5).start(), chance)
    search = TextbookSearch(0, lambda state, seat: 0.0, most_nodes=3)
    with pytest.raises(OutOfLimit):
        run_iteration(root, 1.0, chance, search)
    assert (root.visits, root.children, len(root.untried)) == (0, {}, len(root.state.moves()))


def test_the_upper_confidence_bound_weighs_what_is_known_against_what_is_not() -> None:
    chance = Random(4)
    root = Node.of(engine.load("trapgrid", size=4).start(), chance)
    good, rare = (Node.of(root.state.play(move), chance, root, move) for move in root.state.moves())
    root.children = {good.move: good, rare.move: rare}
    root.visits, good.visits, good.won, rare.visits, rare.won = 100, 90, 54.0, 10, 4.0
    bounds = [0.6 + math.sqrt(math.log(100) / 90), 0.4 + math.sqrt(math.log(100) / 10)]
    assert root.most_promising(1.0) is (good if bounds[0] > bounds[1] else rare)
    assert root.most_promising(0.0) is good
    assert root.most_promising(5.0) is rare


def test_it_finds_the_only_move_that_wins() -> None:
    start = engine.load("isolation", width=3, height=3).start()
    thought = create("mcts:iterations=6000,c=0.4", 0).choose(start, Limit())
    assert thought.move == thought.lines[0].move == "b2"


def test_it_takes_a_win_at_once() -> None:
    start = engine.load("quoridor", size=5, walls=2).parse("...../..0../....1/...../..... 0 left=2,2")
    thought = create("mcts:iterations=600", 1).choose(start, Limit())
    assert thought.move == "c5"
    assert thought.score is not None
    assert thought.score > 100


def test_more_players_share_the_prize() -> None:
    assert rewards(Outcome(2, (3, 2, 1)), 3) == (0.0, 0.0, 1.0)
    assert rewards(Outcome(None, (1, 1)), 2) == (0.5, 0.5)
    assert rewards(None, 4) == (0.25,) * 4
