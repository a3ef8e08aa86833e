"""Random games in one call: all moves are equally likely, and seeds decide them."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.engine import State
from cornered.lab.environments.playouts import playouts


def first_wins(state: State) -> float:
    """Return the probability that seat 0 wins when every move is equally likely."""
    if state.outcome is not None:
        return float(state.outcome.winner == 0)
    moves = state.moves()
    return sum(first_wins(state.play(move)) for move in moves) / len(moves)


def test_the_first_seat_wins_its_exact_share(subtests: pytest.Subtests) -> None:
    games = 40_000
    for state in (
        engine.load("trapgrid", size=3).start(),
        engine.load("bamboo", radius=1).start(),
        engine.load("isolation", width=3, height=2).start(),
        engine.load("isolation", width=2, height=2, players=3, dice=True).start(),
        engine.load("quoridor", size=3, walls=0, max_plies=6).start(),
        engine.load("trapgrid", size=4).parse("0.../..../..../..1. 1"),
    ):
        with subtests.test(state=str(state)):
            share = first_wins(state)
            found = playouts(state, games, seed=5).wins(0)
            # Five standard deviations.
            assert abs(found - share) <= 5 * (share * (1 - share) / games) ** 0.5


def test_every_game_ends_as_the_rules_say(game: engine.Game) -> None:
    found = playouts(game, 300, seed=1)
    assert found.winners.shape == found.plies.shape == (300,)
    possible = set(range(game.seats)) | ({-2} if game.options.get("max_plies") else set())
    assert set(found.winners.tolist()) <= possible
    assert found.plies.min() > 0
    assert found.cut == 0


def test_equal_seeds_give_equal_games_and_long_ones_are_cut() -> None:
    game = engine.load("bamboo", radius=3)
    few, many, others = playouts(game, 50, seed=3), playouts(game, 200, seed=3), playouts(game, 50, seed=4)
    assert few.plies.tolist() == many.plies[:50].tolist()
    assert few.winners.tolist() == many.winners[:50].tolist()
    assert few.plies.tolist() != others.plies.tolist()

    found = playouts(engine.load("quoridor"), 100, longest=10)
    assert found.plies.max() == 10
    assert found.cut == (found.winners == -3).sum() > 90

    found = playouts(engine.load("trapgrid", size=3), 100, seed=1)
    assert repr(found).startswith("PlayoutResults(100 games, wins by seat {0: ")
    assert len(repr(found)) < 100


def test_what_is_out_of_range_is_refused() -> None:
    game = engine.load("trapgrid")
    for given in ({"games": 0}, {"games": 10**9}, {"games": 1, "longest": 0}, {"games": 1, "seed": -1}):
        with pytest.raises(ValueError, match="not "):
            playouts(game, **given)
    with pytest.raises(ValueError, match="the game is over"):
        playouts(game.start().leave(1), 1)
