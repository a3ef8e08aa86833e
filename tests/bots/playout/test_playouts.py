"""Compiled random games are those of two `random` bots, and every move is as likely as another."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate import is_duel
from cornered.bots.playout import playouts
from cornered.bots.playout.choice import chosen
from cornered.bots.roster import create
from cornered.engine import Game, State

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("trapgrid", {}),
    ("trapgrid", {"size": 4}),
    ("isolation", {}),
    ("isolation", {"width": 8, "height": 3}),
    ("bamboo", {}),
    ("bamboo", {"radius": 2}),
    ("quoridor", {"max_plies": 200, "no_progress": 50}),
    ("quoridor", {"size": 5, "max_plies": 100}),
    ("quoridor", {"size": 3}),
]


def by_bots(game: Game, opening: tuple[str, ...], first: int, second: int, longest: int) -> tuple[list[str], State]:
    bots = [create("random", first), create("random", second)]
    state, moves = game.start(), list[str]()
    for move in opening:
        state = engine.apply(state, move)
        moves.append(move)
    while state.outcome is None and len(moves) < longest:
        move = bots[state.to_move].choose(state, Limit()).move
        state = engine.apply(state, move)
        moves.append(move)
    return moves, state


def test_they_are_the_games_that_random_bots_play(subtests: pytest.Subtests) -> None:
    for game in (engine.load(name, **options) for name, options in GAMES):
        with subtests.test(repr(game)):
            for seed in range(6):
                opening = playouts(game).play((), 7, 9, seed).moves
                moves, last = by_bots(game, opening, seed, 1000 + seed, 400)
                ended = playouts(game).play(opening, seed, 1000 + seed, 400)
                assert list(ended.moves) == moves
                assert ended.was_cut == (last.outcome is None)
                assert ended.winner == (None if last.outcome is None else last.outcome.winner)


def test_a_game_may_be_cut_at_any_ply_and_one_that_just_ended_is_not() -> None:
    game = engine.load("trapgrid", size=3)
    whole = playouts(game).play((), 3, 4, 100)
    for longest in range(len(whole.moves)):
        cut = playouts(game).play((), 3, 4, longest)
        assert cut.was_cut
        assert cut.moves == whole.moves[:longest]
    assert playouts(game).play((), 3, 4, len(whole.moves)) == whole


def test_counting_plays_the_same_games_for_the_same_seed() -> None:
    game = playouts(engine.load("bamboo", radius=3))
    assert game.count(5, 50, 200) == game.count(5, 50, 200)
    assert game.count(5, 50, 200) != game.count(6, 50, 200)


def test_the_first_player_of_the_smallest_bamboo_wins_one_game_in_seven() -> None:
    counted = playouts(engine.load("bamboo", radius=1)).count(1, 20_000, 100)
    # Five standard deviations of a share of 1/7 in so many games.
    assert counted.first / counted.games == pytest.approx(1 / 7, abs=0.0124)
    assert counted.first + counted.second == counted.games


def test_every_move_is_as_likely_as_another() -> None:
    draws = 4000
    for count in (2, 3, 7, 131):
        found = Counter(int(chosen(seed, choice, count)) for seed in range(draws // 10) for choice in range(1, 11))
        assert set(found) == set(range(count))
        chi_squared = sum((found[move] - draws / count) ** 2 for move in range(count)) / (draws / count)
        # The mean is count - 1, its variance twice that; six standard deviations are never seen by chance.
        assert chi_squared < (count - 1) + 6 * (2 * (count - 1)) ** 0.5


def test_dice_and_crowds_are_not_for_two_random_bots() -> None:
    assert not is_duel(engine.load("isolation", dice=True))
    assert not is_duel(engine.load("quoridor", players=4))
