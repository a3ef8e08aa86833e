"""How to search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.search.layout import MAX_MOVES_PER_POSITION, PRUNED_DEPTHS, REDUCED_DEPTHS

__all__ = ["FULL_WIDTH", "SELECTIVE", "STEPPED", "Pruning", "Style", "learnt_style"]


@dataclass(frozen=True, slots=True)
class Pruning:
    """What a selective search leaves out, besides the moves that are no candidates.

    `margins[i]` is by how many hundredths the evaluation of a node of depth i + 1 exceeds beta for it to be its score;
    `move_limits[i]` is after how many moves a node of depth i + 1 ends. Both are of null windows only, of at most 7
    depths; 0 is never. A late move is searched `reduction_base + ln(depth) * ln(number of the move) * reduction_scale`
    plies less deep, in hundredths of a ply, from depth 3 on and after `full_depth_moves`; with a scale of 0 it is one
    ply, and two from depth 5 on after 2 * full_depth_moves + 2 moves.
    """

    margins: tuple[int, ...] = ()
    move_limits: tuple[int, ...] = ()
    reduction_base: int = 0
    reduction_scale: int = 0
    full_depth_moves: int = 3

    def reductions(self) -> npt.NDArray[np.int64]:
        """Return the reductions in plies by depth and number of the move: int64 (REDUCED_DEPTHS,
        MAX_MOVES_PER_POSITION)."""
        return _reductions(self)

    def write(self, workspace: Any) -> None:
        """Set a search's workspace to it."""
        workspace.margins[:] = workspace.move_limits[:] = 0
        for field, values in ((workspace.margins, self.margins), (workspace.move_limits, self.move_limits)):
            field[1 : 1 + len(values)] = values[: PRUNED_DEPTHS - 1]
        workspace.reductions[:] = self.reductions()


@cache
def _reductions(pruning: Pruning) -> npt.NDArray[np.int64]:
    depth = np.arange(REDUCED_DEPTHS)[:, None]
    number = np.arange(MAX_MOVES_PER_POSITION)[None, :]
    first = pruning.full_depth_moves
    if pruning.reduction_scale == 0:
        plies = 1 + ((depth >= 5) & (number >= 2 * first + 2)).astype(np.int64)
    else:
        logarithms = np.log(np.maximum(depth, 1)) * np.log(np.maximum(number, 1))
        plies = np.floor((pruning.reduction_base + pruning.reduction_scale * logarithms) / 100).astype(np.int64)
    # At least one ply is left to search.
    plies = np.clip(plies, 0, np.maximum(depth - 2, 0))
    return np.where((depth >= 3) & (number >= first), plies, 0)


STEPPED: Final = Pruning()
"""Reductions by one or two plies, and no other pruning."""


@dataclass(frozen=True, slots=True)
class Style:
    """How to search: `selective` adds candidate moves, late-move reductions, quiescence search and exact values.

    Without it every move is searched to the same depth, and the score is the value of plain minimax. `learnt` evaluates
    positions by the network of their board, where there is one, in the place of the hand-written evaluation; `pruning`
    is then for such boards, and others are searched as by STEPPED. Where the network has preferences, they order the
    moves: a logit of 1 weighs as 100 * `preference_weight` of the history heuristic's points; 0 is never.
    """

    selective: bool = True
    learnt: bool = False
    pruning: Pruning = STEPPED
    preference_weight: int = 0

    def write(self, workspace: Any, *, has_network: bool, has_preferences: bool = False) -> None:
        """Set a search's workspace to it: whether there is a network for the board, and whether it prefers moves."""
        workspace.selective, workspace.uses_network = int(self.selective), int(self.learnt and has_network)
        workspace.preference_weight = self.preference_weight if self.learnt and has_preferences else 0
        (self.pruning if has_network or not self.learnt else STEPPED).write(workspace)


SELECTIVE: Final = Style()
MARGINS: Final = (100, 180, 260, 340, 420, 500)
"""In hundredths of a network's score. What was tried beside them is in docs/strength.md."""
LATE_MOVES: Final[Mapping[str, tuple[int, ...]]] = {"bamboo": (5, 8, 12, 16, 20)}
"""Where late-move pruning gains more than its time."""
FULL_WIDTH: Final = Style(selective=False)


@cache
def learnt_style(game: str) -> Style:
    """Return how players search a game whose boards may have networks."""
    return Style(learnt=True, pruning=Pruning(MARGINS, LATE_MOVES.get(game, ())), preference_weight=16)
