"""The tree search: equation 8, what an iteration does, and the tree that is kept."""

from __future__ import annotations

import math
from random import Random

import pytest

from cornered.bots.bamboo.playout import playout
from cornered.bots.bamboo.tree import BambooTreeNode, new_node, run_iteration, uct
from cornered.bots.roster import create
from cornered.bots.roster.bamboo_mcts import BambooMctsBot
from cornered.bots.solve.bamboo import solve
from cornered.clients.sdk import Limit
from cornered.engine.games.bamboo import cell_numbers
from tests.bots.scenes import bamboo


def nodes(root: BambooTreeNode) -> list[BambooTreeNode]:
    return [root, *(node for child in root.children.values() for node in nodes(child))]


def test_the_selection_value_is_equation_8() -> None:
    child = BambooTreeNode(bamboo(1, "").position, [], visits=4, wins=3)
    assert uct(child, 9, 0.4) == pytest.approx(3 / 4 + 0.4 * math.sqrt(math.log(9) / 4))


def test_playouts_are_uniformly_random() -> None:
    start = bamboo(1, "").position
    wins = sum(playout(start, seed) == 0 for seed in range(20_000))
    # The first wins one in seven; 0.01 is four standard deviations.
    assert wins / 20_000 == pytest.approx(1 / 7, abs=0.01)
    assert {playout(bamboo(1, "b3 b2 a1").position, seed) for seed in range(5)} == {0}


def test_an_iteration_goes_where_equation_8_is_highest_and_adds_one_node() -> None:
    chance = Random(4)
    root = new_node(bamboo(1, "b3").position, chance)
    seen = 0
    for count in range(300):
        before = {move: child.visits for move, child in root.children.items()}
        expected = None
        if not root.untried:
            expected = max(root.children, key=lambda move: uct(root.children[move], root.visits, 0.4))
        size = len(nodes(root))
        run_iteration(root, 0.4, 100, chance)
        visited = [move for move, child in root.children.items() if child.visits != before.get(move, 0)]
        assert root.visits == count + 1
        assert len(visited) == 1
        assert len(nodes(root)) - size in (0, 1)
        if expected is not None:
            assert visited == [expected]
            seen += 1
    assert seen > 200


def test_every_visit_is_a_childs_or_the_nodes_own_and_rewards_are_for_who_moved_there() -> None:
    chance = Random(2)
    root = new_node(bamboo(2, "a1 c3").position, chance)
    for _ in range(2000):
        run_iteration(root, 0.4, 100, chance)
    for node in nodes(root):
        inside = sum(child.visits for child in node.children.values())
        assert inside <= node.visits <= inside + (node is not root) or not node.children
        won = sum(child.visits - child.wins for child in node.children.values())
        assert abs(node.wins - won) <= 1 or not node.children


def test_it_finds_the_solved_moves_of_radius_1() -> None:
    chance, found = Random(6), 0
    while found < 12:
        state = bamboo(1, "")
        for _ in range(chance.randrange(1, 5)):
            if state.outcome is None:
                state = state.play(chance.choice(state.moves()))
        solution = None if state.outcome else solve(state, Limit())
        if solution is not None and 0 < len(solution.winning) < len(solution.moves):
            thought = create("bamboo-mcts:iterations=1000", 1).choose(state, Limit())
            assert thought.move in solution.winning
            found += 1


def test_it_plays_the_most_visited_move_with_as_many_games_as_it_may() -> None:
    state = bamboo(2, "a1 c3")
    thought = create("bamboo-mcts:iterations=300", 1).choose(state, Limit())
    assert thought.nodes == 300
    assert thought.lines[0].move == thought.move
    assert create("bamboo-mcts", 1).choose(state, Limit(nodes=40)).nodes == 40


def test_the_tree_below_the_two_moves_played_is_kept() -> None:
    bot = create("bamboo-mcts:iterations=2000", 3)
    assert isinstance(bot, BambooMctsBot)
    state = bamboo(2, "a1 c3")
    line = bot.choose(state, Limit()).pv
    later = state.play(line[0]).play(line[1])
    kept = bot.recall(later.position)
    assert kept is not None
    assert kept.visits > 20
    assert kept.position == later.position
    fresh = create("bamboo-mcts:iterations=2000", 3).choose(later, Limit())
    again = bot.choose(later, Limit())
    # The second search starts from the kept tree, so the same work covers more games.
    assert again.lines != fresh.lines
    assert bot.recall(bamboo(2, "a1 e3").position) is None


def test_other_games_in_between_do_not_change_what_it_plays() -> None:
    def play(bots: list[BambooMctsBot], openings: list[str]) -> list[list[str]]:
        states = [bamboo(2, opening) for opening in openings]
        played: list[list[str]] = [[] for _ in openings]
        for _ in range(4):
            for i, bot in enumerate(bots):
                if states[i].outcome is None:
                    move = bot.choose(states[i], Limit()).move
                    played[i].append(move)
                    states[i] = states[i].play(move)
                if states[i].outcome is None:
                    states[i] = states[i].play(min(states[i].moves(), key=cell_numbers(2).__getitem__))
        return played

    # The first and the last game are the same one, played twice at the same time.
    openings = ["a1 c3", "", "e3 b2", "a1 c3"]
    one = BambooMctsBot(7, iterations=120)
    together = play([one] * 4, openings)
    alone = [play([BambooMctsBot(7, iterations=120)], [opening])[0] for opening in openings]
    assert together == alone
