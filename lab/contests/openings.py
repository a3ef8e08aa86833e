"""Openings of the games of a contest: two deterministic bots would otherwise repeat one game."""

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
from cornered.engine.records.files import read_text
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.terms import ContestTerms

__all__ = ["MIN_OPENINGS", "Openings", "from_file", "no_opening", "plies_for", "random_plies"]

Openings: TypeAlias = Callable[[int], tuple[str, ...]]
"""Maps the number of a pair of games to its opening."""

MIN_OPENINGS: Final = 100
"""Least number of distinct openings by default."""
MAX_PLIES: Final = 12
MAX_ATTEMPTS: Final = 1000
SEED_SALT: Final = 0x0BE1
"""Salt of the seeds of openings, which keeps them distinct from the seeds of bots."""


def no_opening(pair: int) -> tuple[str, ...]:
    """Return the empty opening for every pair."""
    return ()


@cache
def plies_for(game: Game, least: int = MIN_OPENINGS) -> int:
    """Return the least number of random plies that have `least` distinct lines. Falls back to `MIN_OPENINGS` lines, and
    then to 2 plies, for a game without as many within `MAX_PLIES` plies."""
    start = game.start()
    enough = next((plies for plies in range(1, MAX_PLIES) if engine.perft(start, plies) >= least), None)
    return enough or (plies_for(game) if least > MIN_OPENINGS else 2)


def random_plies(terms: ContestTerms, plies: int | None = None) -> Openings:
    """Return openings of `plies` random plies, by default those of `plies_for`; each pair has its own draw."""
    game = terms.load()
    count = plies_for(game) if plies is None else plies

    def opening(pair: int) -> tuple[str, ...]:
        for attempt in range(MAX_ATTEMPTS):
            seed = int(mixed(mixed(mixed(SEED_SALT, terms.seed), pair), attempt))
            if (moves := (_compiled if is_duel(game) else _with_dice)(game, count, seed)) is not None:
                return moves
        raise ValueError(f"{count} random plies end every game of {game!r}; take fewer")

    return opening


def _compiled(game: Game, plies: int, seed: int) -> tuple[str, ...] | None:
    ended = playouts(game).play((), mixed(seed, 0), mixed(seed, 1), plies)
    return ended.moves if ended.was_cut else None


def _with_dice(game: Game, plies: int, seed: int) -> tuple[str, ...] | None:
    """Return random moves after which a player is to move; None if they end the game."""
    chance, state, moves = Random(seed), game.start(), list[str]()
    while state.outcome is None and (len(moves) < plies or state.to_move == CHANCE):
        moves.append(chance.choice(state.moves()))
        state = state.play(moves[-1])
    return None if state.outcome is not None else tuple(moves)


def from_file(path: Path, terms: ContestTerms) -> Openings:
    """Return openings that repeat the lines of a file in order: moves in notation from the start, separated by spaces.
    Empty lines and lines that begin with # are skipped. Raises ValueError that names the line of an illegal move or of
    a finished game."""
    openings = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        moves = tuple(line.split())
        if not moves or moves[0].startswith("#"):
            continue
        try:
            state = position_after(terms, moves)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        if state.outcome is not None:
            raise ValueError(f"{path}:{number}: the game is over after these moves")
        openings.append(moves)
    if not openings:
        raise ValueError(f"{path} has no openings")
    return lambda pair: openings[pair % len(openings)]
