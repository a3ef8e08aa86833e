"""Random players that prefer some cells (Bamboo paper, section III.A and Table I): the best rated, ties at random."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import ClassVar, Final

from cornered.bots.bamboo.cells import bamboo, cubes, distances, each, outerness
from cornered.bots.bot import Bot, Limit, Setting, Thought
from cornered.engine import State
from cornered.engine.games.bamboo import BambooState, cell_names, groups, whole, words
from cornered.engine.kernels.hexagon import around

__all__ = [
    "COLOURS",
    "DISTANCE",
    "HeuristicBot",
    "SparseBot",
    "closest",
    "components_after",
    "groups_after",
    "outer",
    "sparsity",
]

DISTANCE: Final = Setting(
    "distance", "Distance to the stones: the average, or the closest one's", "average", choices=("average", "closest")
)
COLOURS: Final = Setting("colours", "The own stones, or all stones alike", "own", choices=("own", "ignored"))


def outer(state: BambooState, cell: int) -> int:
    """Return how far out a cell lies (section III.A.1, "outer weighting")."""
    return outerness(cubes(state.game.radius)[cell])


def groups_after(state: BambooState, cell: int) -> int:
    """Return how many groups the mover has with a stone on `cell` (section III.A.2, "maximise group count")."""
    return _count_after(state.stones()[state.to_move], cell)


def components_after(state: BambooState, cell: int) -> int:
    """Return how many connected components the stones of both colours have with a stone on `cell`."""
    red, blue = state.stones()
    return _count_after(red | blue, cell)


def _count_after(stones: int, cell: int) -> int:
    near = whole(around(words(1 << cell)))
    found = _groups(stones)
    return len(found) + 1 - sum(group & near != 0 for group in found)


@lru_cache(maxsize=2)
def _groups(stones: int) -> tuple[int, ...]:
    """Return the groups of some stones, which all cells of a position are rated by."""
    return tuple(groups(stones))


def sparsity(state: BambooState, cell: int, *, all_stones: bool = False) -> float:
    """Return the average distance from `cell` to the mover's stones or to all, 0 where there are none (section
    III.A.3)."""
    found = _distances(state, cell, all_stones=all_stones)
    return sum(found) / len(found) if found else 0.0


def closest(state: BambooState, cell: int, *, all_stones: bool = False) -> int:
    """Return the distance from `cell` to the closest of the mover's stones or of all, 0 where there are none (Table
    I)."""
    return min(_distances(state, cell, all_stones=all_stones), default=0)


def _distances(state: BambooState, cell: int, *, all_stones: bool) -> list[int]:
    to = distances(state.game.radius)[cell]
    stones = state.stones()
    return [to[stone] for stone in each(stones[0] | stones[1] if all_stones else stones[state.to_move])]


class HeuristicBot(Bot):
    """Plays one of the placements that its heuristic rates highest, each of them as likely as another."""

    games: ClassVar[tuple[str, ...] | None] = ("bamboo",)

    @abstractmethod
    def rate(self, state: BambooState, cell: int) -> float | tuple[float, ...]:
        """Return how much a placement is to the player's liking."""

    def choose(self, state: State, limit: Limit) -> Thought:
        del limit  # One pass over the cells takes a millisecond or two on the largest board.
        here = bamboo(state)
        rated = {cell: self.rate(here, cell) for cell in each(here.open_cells)}
        best = max(rated.values())
        cell = self.chance.choice([cell for cell, rating in rated.items() if rating == best])
        move = cell_names(here.game.radius)[cell]
        return Thought(move, nodes=1, pv=(move,))


class SparseBot(HeuristicBot):
    """A player with a choice of what sparsity means, which the paper defines twice."""

    def sparsity(self, state: BambooState, cell: int) -> float:
        """Return the distance that the settings ask for."""
        measured = closest if self.settings["distance"] == "closest" else sparsity
        return measured(state, cell, all_stones=self.settings["colours"] == "ignored")
