"""What games begin with, so that two bots that always play the same do not play one game again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from cornered import engine
from cornered.bots.evaluate import is_duel
from cornered.bots.playout import playouts
from cornered.engine import CHANCE, Game
from cornered.engine.hashing import mixed
from cornered.lab.contests.arena import opened
from cornered.lab.contests.terms import Terms

__all__ = ["VARIETY", "Openings", "from_file", "none", "plies_for", "random_plies"]

Openings: TypeAlias = Callable[[int], tuple[str, ...]]
"""The opening of a pair of games, by its number."""

VARIETY: Final = 100
"""So many openings there are at least: as many random plies as it takes come before the bots take over."""
LONGEST: Final = 12
TRIES: Final = 1000
OPENING: Final = 0x0BE1
"""Told apart by it, openings and bots never have the same seeds."""


def none(pair: int) -> tuple[str, ...]:
    """Begin every game at the start."""
    return ()


@cache
def plies_for(game: Game, least: int = VARIETY) -> int:
    """Return how many random plies give a game so many openings; where it never has them, as many as usual, or 2."""
    start = game.start()
    enough = next((plies for plies in range(1, LONGEST) if engine.perft(start, plies) >= least), None)
    return enough or (plies_for(game) if least > VARIETY else 2)


def random_plies(terms: Terms, plies: int | None = None) -> Openings:
    """Begin with so many random plies, by default as many as variety takes: another draw for each pair."""
    game = terms.load()
    count = plies_for(game) if plies is None else plies

    def opening(pair: int) -> tuple[str, ...]:
        for attempt in range(TRIES):
            seed = int(mixed(mixed(mixed(OPENING, terms.seed), pair), attempt))
            if (moves := (_compiled if is_duel(game) else _with_dice)(game, count, seed)) is not None:
                return moves
        raise ValueError(f"{count} random plies end every game of {game!r}; take fewer")

    return opening


def _compiled(game: Game, plies: int, seed: int) -> tuple[str, ...] | None:
    ended = playouts(game).play((), mixed(seed, 0), mixed(seed, 1), plies)
    return ended.moves if ended.was_cut else None


def _with_dice(game: Game, plies: int, seed: int) -> tuple[str, ...] | None:
    """Return random moves after which a player is to move, None if they end the game."""
    chance, state, moves = Random(seed), game.start(), list[str]()
    while state.outcome is None and (len(moves) < plies or state.to_move == CHANCE):
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
    return None if state.outcome is not None else tuple(moves)


def from_file(path: Path, terms: Terms) -> Openings:
    """Begin with the lines of a file in turn: moves in notation, from the start, parted by spaces.

    Empty lines and those that begin with # do not count. Raises a ValueError that names the line when one cannot be
    played, or ends the game.
    """
    openings = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        moves = tuple(line.split())
        if not moves or moves[0].startswith("#"):
            continue
        try:
            state = opened(terms, moves)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        if state.outcome is not None:
            raise ValueError(f"{path}:{number}: the game is over after these moves")
        openings.append(moves)
    if not openings:
        raise ValueError(f"{path} has no openings")
    return lambda pair: openings[pair % len(openings)]
