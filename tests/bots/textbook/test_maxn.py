"""Max^n by its definition, Korf's pruning of it, and the shares that are its values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.roster import create
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.korf import NO_SEAT_ABOVE, max_n_shallow
from cornered.bots.textbook.maxn import max_n
from cornered.bots.textbook.shares import ANY_PLY, WHOLE, estimated, final, most, score
from cornered.clients.sdk import Limit
from cornered.engine import Game, Outcome
from tests.bots.scenes import fresh, positions

GAMES = [
    (engine.load("isolation", width=3, height=3, players=3), 4, 12),
    (engine.load("isolation", width=3, height=3, players=4), 4, 6),
    (engine.load("isolation", width=4, height=4, players=3), 3, 8),
    (engine.load("quoridor", size=5, walls=0, players=4), 4, 16),
    (engine.load("quoridor", size=5, walls=1, players=4, max_plies=30), 2, 10),
    (engine.load("trapgrid", size=4), 6, 20),
    (engine.load("bamboo", radius=1), 5, 20),
]
EACH = pytest.mark.parametrize(("game", "depth", "count"), GAMES, ids=str)


@EACH
def test_shallow_pruning_finds_the_same_shares_by_the_same_line(game: Game, depth: int, count: int) -> None:
    saved = 0
    for state in positions(game, 2, count):
        shares = estimated(state, evaluator(game.name).evaluate)
        assert sum(shares) == WHOLE
        # No estimate is mistaken for a game that is over.
        assert all(ANY_PLY < share < most(game.seats, ANY_PLY) for share in shares)
        plain, pruned = fresh(state), fresh(state)
        expected = max_n(state, depth, 0, plain)
        assert (len(expected[0]), sum(expected[0])) == (game.seats, WHOLE)
        assert max_n_shallow(state, depth, 0, NO_SEAT_ABOVE, 0, pruned) == expected
        assert pruned.nodes <= plain.nodes
        saved += pruned.pruned
    assert saved


@EACH
def test_both_play_the_same_move(game: Game, depth: int, count: int) -> None:
    for seed, state in enumerate(positions(game, 3, count // 2)):
        plain = create(f"maxn:depth={depth},pruning=none", seed).choose(state, Limit())
        pruned = create(f"maxn:depth={depth},pruning=korf", seed).choose(state, Limit())
        assert (pruned.move, pruned.score, pruned.pv) == (plain.move, plain.score, plain.pv)
        exact = {line.move: line.score for line in plain.lines}
        for line in pruned.lines:
            assert line.score is not None
            expected = exact[line.move]
            assert expected is not None
            assert line.score == expected or (line.is_bound and line.score >= expected)


def test_between_two_it_is_minimax() -> None:
    for state in (state for game, _, _ in GAMES if game.seats == 2 for state in positions(game, 4, 12)):
        shares, _ = max_n(state, 4, 0, fresh(state))
        value, _ = alpha_beta(state, 4, -math.inf, math.inf, 0, fresh(state))
        assert score(shares[state.to_move], 2) == pytest.approx(value, abs=1e-5)


def test_everybody_takes_the_most_for_itself() -> None:
    # Seat 0 can win at once; seat 1, if it could choose, would go for its own win and not against seat 0's.
    game = engine.load("quoridor", size=5, walls=0, players=4)
    state = game.parse("...../..0../1.2../....3/..... 0")
    shares, line = max_n(state, 1, 0, fresh(state))
    assert line == ("c5",)
    assert shares == (WHOLE - 3, 1, 1, 1)


def test_a_draw_is_shared_and_a_win_is_not() -> None:
    assert final(Outcome(None, (1, 1, 1)), 5) == (WHOLE // 3,) * 3
    assert final(Outcome(1, (2, 1, 2, 3)), 5) == (5, WHOLE - 15, 5, 5)


@given(ply=st.integers(1, 200), seats=st.integers(2, 4))
def test_a_decided_share_is_the_score_of_its_ply(ply: int, seats: int) -> None:
    assert score(most(seats, ply), seats) == WIN - ply
    assert score(ply, seats) == ply - WIN
    assert score(WHOLE // seats, seats) == pytest.approx(0)


@given(evaluation=st.floats(-990, 990, allow_nan=False), other=st.floats(-990, 990, allow_nan=False))
def test_of_two_shares_the_better_evaluation_s_is_larger(evaluation: float, other: float) -> None:
    start = engine.load("trapgrid").start()

    def share(worth: float) -> int:
        return estimated(start, lambda state, seat: worth if seat == 0 else -worth)[0]

    assert score(share(evaluation), 2) == pytest.approx(evaluation, abs=1e-2)
    if evaluation > other + 1e-3:
        assert share(evaluation) > share(other)
