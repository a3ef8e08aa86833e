"""What a bot is: something with a name that looks at a position and says what it would play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from clients.sdk import Limit
from engine import State

__all__ = ["WIN", "Bot", "Limit", "Proven", "Thought"]

WIN: Final = 10_000.0
"""The score of a won game, less one for each ply that it takes; evaluations stay below 1,000 either way."""

Proven: TypeAlias = Literal["win", "draw", "loss"]


@dataclass(frozen=True, slots=True)
class Thought:
    """A move and why. Scores are the mover's: positive is good, in the units of the game's evaluation.

    `pruned` counts moves that a search left out because they could not matter; `pv`, the principal variation, starts
    with `move`. `proven` is what the game comes to when everybody plays on without a mistake, where that is certain.
    """

    move: str
    score: float | None = None
    depth: int = 0
    nodes: int = 0
    pruned: int = 0
    pv: tuple[str, ...] = ()
    proven: Proven | None = None


class Bot(ABC):
    """Chooses moves. The same seed, positions, depths and nodes give the same moves; a time limit may not."""

    name: ClassVar[str]
    description: ClassVar[str]
    games: ClassVar[tuple[str, ...] | None] = None
    """The names of the games that it plays, with all their options; None is every game there is."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed

    @classmethod
    def plays(cls, game: str) -> bool:
        """Say whether this bot plays the game called so."""
        return cls.games is None or game in cls.games

    @abstractmethod
    def choose(self, state: State, limit: Limit) -> Thought:
        """Return what to play in `state`, which is not over and waits for a player, within `limit`."""
