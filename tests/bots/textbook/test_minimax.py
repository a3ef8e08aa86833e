"""Minimax by its definition, and its two pruned variants."""

from __future__ import annotations

import math

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.minimax import depth_limited, minimax
from cornered.bots.textbook.ordered import by_evaluation, sorted_alpha_beta
from cornered.bots.textbook.search import OutOfLimit, TextbookSearch
from cornered.clients.sdk import Limit
from cornered.engine import Game
from tests.bots.scenes import fresh, positions

GAMES = [
    (engine.load("trapgrid", size=4), 5, 40),
    (engine.load("trapgrid"), 5, 40),
    (engine.load("isolation", width=3, height=3), 5, 20),
    (engine.load("isolation", width=4, height=4), 3, 12),
    (engine.load("isolation", width=3, height=3, players=3), 4, 20),
    (engine.load("bamboo", radius=1), 5, 30),
    (engine.load("bamboo", radius=2), 3, 8),
    (engine.load("quoridor", size=3), 3, 30),
    (engine.load("quoridor", size=5, walls=1, max_plies=40), 2, 20),
    (engine.load("quoridor", size=5, walls=2, no_progress=8), 2, 8),
    (engine.load("quoridor", size=5, walls=0, players=4), 4, 20),
]
EACH = pytest.mark.parametrize(("game", "depth", "count"), GAMES, ids=str)
PRUNED = (alpha_beta, sorted_alpha_beta)


def test_minimax_looks_at_every_line() -> None:
    for game, depth in ((game, min(depth, 3)) for game, depth, _ in GAMES):
        search = fresh(game.start())
        depth_limited(game.start(), depth, 0, search)
        assert search.nodes == sum(engine.perft(game.start(), ply) for ply in range(depth + 1)), game


@EACH
def test_pruning_does_not_change_the_value_and_outside_a_window_it_is_a_bound(
    game: Game, depth: int, count: int
) -> None:
    saved = 0
    for number, start in enumerate(positions(game, 1, count)):
        plain = fresh(start)
        value, _ = depth_limited(start, depth, 0, plain)
        for pruned in PRUNED:
            state, quick = start, fresh(start)
            found, line = pruned(state, depth, -math.inf, math.inf, 0, quick)
            assert found == value
            assert quick.nodes <= plain.nodes
            assert (quick.nodes < plain.nodes) == (quick.pruned > 0)
            saved += quick.pruned
            for move in line:
                assert state.is_legal(move)
                state = state.play(move)
            if number % 2:
                low, _ = pruned(start, depth, value - 2, value - 1, 0, fresh(start))
                high, _ = pruned(start, depth, value + 1, value + 2, 0, fresh(start))
                assert value - 1 <= low <= value <= high <= value + 1
    assert saved


KNOWN = [
    (engine.load("trapgrid", size=3), 1),
    (engine.load("isolation", width=2, height=2), -1),
    (engine.load("bamboo", radius=1), -1),
]


def test_to_the_end_it_finds_who_wins_and_when(subtests: pytest.Subtests) -> None:
    for game, sign in KNOWN:
        with subtests.test(repr(game)):
            state = game.start()
            search = fresh(state)
            value, line = minimax(state, 0, search)
            for move in line:
                state = state.play(move)
            assert state.outcome is not None
            assert value == sign * (WIN - len(line))
            assert not search.saw_horizon


def test_the_order_puts_the_best_looking_position_first() -> None:
    for state in positions(engine.load("quoridor", size=5), 3, 10):
        search = fresh(state)
        ordered = by_evaluation(state, state.moves(), search, 0)
        assert sorted(move for move, _ in ordered) == sorted(state.moves())
        worth = [WIN if after.outcome is not None else search.evaluate(after, state.to_move) for _, after in ordered]
        assert worth == sorted(worth, reverse=True)
        # The other side's best is what we like least.
        search.seat = 1 - state.to_move
        worst = by_evaluation(state, state.moves(), search, 0)[0][1]
        assert worst.outcome is not None or search.evaluate(worst, search.seat) == -worth[0]


def test_what_cannot_matter_is_cut_at_once() -> None:
    # MAX is sure of 3. MIN's first answer to the second move is worth no more, so MIN's others do not matter.
    start = engine.load("trapgrid", size=3).start()
    worth = {("a2", "b1"): 3.0, ("a2", "c2"): 4.0, ("b3", "b1"): 3.0, ("b3", "c2"): 9.0}
    after = {start.play(mine).play(theirs): worth[mine, theirs] for mine, theirs in worth}
    for pruned in (alpha_beta, sorted_alpha_beta):
        search = TextbookSearch(0, lambda state, seat: after.get(state, 0.0))
        assert pruned(start, 2, -math.inf, math.inf, 0, search)[0] == 3.0
        assert (search.nodes, search.pruned) == (6, 1)


def test_good_order_prunes_more() -> None:
    start = engine.load("isolation").start()
    plain, ordered = fresh(start), fresh(start)
    alpha_beta(start, 3, -math.inf, math.inf, 0, plain)
    sorted_alpha_beta(start, 3, -math.inf, math.inf, 0, ordered)
    assert ordered.nodes < plain.nodes / 2


def test_no_position_is_visited_beyond_the_limit() -> None:
    for most in (1, 7, 100):
        search = TextbookSearch.within(Limit(nodes=most), 0, evaluator("quoridor").evaluate)
        with pytest.raises(OutOfLimit):
            depth_limited(engine.load("quoridor").start(), 3, 0, search)
        assert search.nodes == most
