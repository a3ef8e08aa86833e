"""The Bamboo paper's minimax: its evaluation by hand, its three forms alike, and the plain definition as the oracle."""

from __future__ import annotations

import random

import numpy as np

from cornered import engine
from cornered.bots.bamboo.cells import cubes, squares
from cornered.bots.bamboo.minimax import estimate, new_counters, search, sort_moves
from cornered.bots.roster import create
from cornered.clients.sdk import Limit
from cornered.engine.games.bamboo import BambooState, cell_names, sizes, whole
from cornered.engine.kernels.hexagon import MAX_MOVES, placements, turned
from tests.bots.scenes import bamboo, random_game


def at_random(radius: int, plies: int, seed: int) -> BambooState:
    state: BambooState = random_game(engine.load("bamboo", radius=radius), seed, plies + 1)[-1]
    return state


def definition(state: BambooState) -> int:
    """Return equation 7, counted from the rules."""
    moves = [0, 0]
    moves[state.to_move] = whole(placements(state.position)).bit_count()
    moves[1 - state.to_move] = whole(placements(turned(state.position))).bit_count()
    red, blue = (len(sizes(stones)) + count for stones, count in zip(state.stones(), moves, strict=True))
    return red - blue


def value(state: BambooState, depth: int) -> int:
    """Return the value by appendix A."""
    if depth == 0 or state.outcome is not None:
        return definition(state)
    values = [value(state.play(move), depth - 1) for move in state.moves()]
    return max(values) if state.to_move == 0 else min(values)


def test_the_evaluation_is_groups_and_moves_of_red_less_those_of_blue() -> None:
    expected = {
        "": 0,
        # Red's b3 forbids its neighbours a2, b2 and c2 to red: one group and three moves; blue has six moves.
        "b3": 1 + 3 - 6,
        # One group each; red may place on a1 and c1, blue on a2 and c2.
        "b3 b1": 0,
        # Red has two groups and the moves c1 (a third) and c2 (a pair); blue one group and still a2 and c2.
        "b3 b1 a1": (2 + 2) - (1 + 2),
    }
    assert {moves: estimate(bamboo(1, moves).position, 0) for moves in expected} == expected


def test_the_papers_groups_have_two_stones_or_more() -> None:
    # No group of two stones: only the moves count.
    expected = {"b3": 3 - 6, "b3 b1 a1": 2 - 2}
    assert {moves: estimate(bamboo(1, moves).position, 1) for moves in expected} == expected


def test_the_paper_counts_all_groups_but_those_of_one_stone() -> None:
    for radius in range(1, 7):
        for state in random_game(engine.load("bamboo", radius=radius), radius):
            red, blue = (sum(size == 1 for size in sizes(stones)) for stones in state.stones())
            assert estimate(state.position, 1) == definition(state) - red + blue


def test_the_bot_takes_the_definition_of_a_group_as_a_setting() -> None:
    scores = {
        groups: create(f"bamboo-minimax:groups={groups},depth=1").choose(bamboo(1, "b3 b1"), Limit()).score
        for groups in ("all", "pairs")
    }
    # After a1 or c1 red has two single stones and two moves, blue one stone and two moves.
    assert scores == {"all": 1.0, "pairs": 0.0}


def test_one_ply_ahead_red_takes_the_highest_and_blue_the_lowest() -> None:
    red = bamboo(1, "b3 b1")
    found = search(red.position, 1, 1, "plain", new_counters(None))
    assert found.value == 1
    assert {cell_names(1)[move]: value for move, value in found.values.items()} == {"a1": 1, "c1": 1}
    blue = bamboo(1, "b3")
    found = search(blue.position, 1, 1, "plain", new_counters(None))
    assert found.value == min(definition(blue.play(move)) for move in blue.moves())


def test_the_compiled_search_is_the_printed_one() -> None:
    for seed in range(12):
        radius = 1 + seed % 2
        state = at_random(radius, 3 + seed, seed)
        for depth in (1, 2, 3) if radius == 1 else (1, 2):
            assert search(state.position, radius, depth, "plain", new_counters(None)).value == value(state, depth)


def test_pruning_and_sorting_change_the_work_and_never_the_value() -> None:
    less = 0
    for seed in range(40):
        radius = 2 + seed % 3
        state = at_random(radius, seed, seed)
        depth = 2 + seed % 2
        plain, pruned, ordered = (
            search(state.position, radius, depth, pruning, new_counters(None))
            for pruning in ("plain", "pruned", "sorted")
        )
        assert plain.value == pruned.value == ordered.value
        assert plain.pruned == 0
        assert plain.values[pruned.move] == plain.values[ordered.move] == plain.value
        for found in (pruned, ordered):
            assert all(found.values[move] == plain.values[move] for move in found.exact)
            assert found.nodes <= plain.nodes
        less += pruned.nodes < plain.nodes
    assert less > 20


def test_sorting_puts_large_vectors_first_and_keeps_the_order_of_equal_ones() -> None:
    moves = np.zeros(MAX_MOVES, np.int64)
    cells = list(cubes(6))
    random.Random(1).shuffle(cells)
    moves[: len(cells)] = cells
    sort_moves(moves, len(cells), 6)
    assert moves[: len(cells)].tolist() == sorted(cells, key=lambda cell: -squares(cubes(6)[cell]))


def test_scores_are_the_movers_and_bounds_are_marked() -> None:
    state = at_random(3, 7, 5)
    assert state.to_move == 1
    thought = create("bamboo-minimax:depth=2").choose(state, Limit())
    assert thought.score == -value(state, 2)
    assert thought.lines[0].move == thought.move
    assert not thought.lines[0].is_bound
    assert any(line.is_bound for line in thought.lines)
    assert len(thought.lines) == len(state.moves())
    assert thought.pruned > 0


def test_as_many_of_the_best_moves_as_are_asked_for_get_exact_values() -> None:
    state = at_random(3, 8, 2)
    plain = search(state.position, 3, 2, "plain", new_counters(None))
    ranked = sorted(plain.values.values(), reverse=True)
    for lines in (1, 3, 6):
        found = search(state.position, 3, 2, "sorted", new_counters(None), lines)
        best = sorted((found.values[move] for move in found.exact), reverse=True)
        assert best[:lines] == ranked[:lines]
        assert all(plain.values[move] <= value for move, value in found.values.items())
        assert all(plain.values[move] == found.values[move] for move in found.exact)


def test_out_of_nodes_it_plays_the_best_of_what_it_has_finished() -> None:
    state = bamboo(5, "a1 k6")
    bot = create("bamboo-minimax:pruning=plain")
    for nodes in (1, 50, 500, 2000):
        thought = bot.choose(state, Limit(nodes=nodes))
        assert thought.nodes <= nodes
        assert state.is_legal(thought.move)
        if thought.lines:
            assert thought.score == max(line.score or 0.0 for line in thought.lines)
        else:
            assert thought.score is None
