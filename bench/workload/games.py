"""Move lists for simulated players, chosen by chance among the legal moves before any time is measured."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cornered import engine
from cornered.engine.game import CHANCE
from cornered.protocol.values import GameSpec
from cornered.server.match.catalogue import settle

__all__ = ["ENDLESS_GAME", "ENDLESS_OPTIONS", "endless_moves", "random_games"]

ENDLESS_GAME: Final = "quoridor"
"""The game whose pawns can step back and forth, so that a match lasts until the server's limit of plies."""
ENDLESS_OPTIONS: Final[Mapping[str, None]] = {"max_plies": None, "no_progress": None}
"""Without the rules for draws that the server suggests."""


def random_games(names: Sequence[str], count: int, seed: int) -> list[tuple[str, tuple[str, ...]]]:
    """Return `count` whole random games of each of `names`, in turn: the game's name and its moves.

    Raises Refusal for an unknown game, and ValueError for one with dice, whose rolls only the server knows.
    """
    made = []
    for number, name in itertools.product(range(count), names):
        chance = random.Random(f"{seed} {name} {number}")
        game, _ = settle(GameSpec(name=name))
        state = game.start()
        moves: list[str] = []
        while state.outcome is None:
            if state.to_move == CHANCE:
                raise ValueError(f"{name} has dice by default, which only the server rolls")
            moves.append(chance.choice(state.moves()))
            state = engine.apply(state, moves[-1])
        made.append((name, tuple(moves)))
    return made


def endless_moves() -> Iterator[str]:
    """Yield moves of a match of Quoridor in which both pawns step forwards and back."""
    return itertools.cycle(("e2", "e8", "e1", "e9"))
