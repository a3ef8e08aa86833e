"""How to search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
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
    ply, and two from depth 5 on after 2 * full_depth_moves + 2 moves. A node of an open window is reduced by
    `pv_reduction` plies less, and a move by one for each `history_plies` points of the history heuristic.

    A node of `unknown_depth` or deeper that is not in the table is searched one ply less deep, from depth 2 on. In up
    to `loud_plies` plies after depth 0, at most 8, the moves that a game calls loud are searched. In each of these 0
    is never.
    """

    margins: tuple[int, ...] = ()
    move_limits: tuple[int, ...] = ()
    reduction_base: int = 0
    reduction_scale: int = 0
    full_depth_moves: int = 3
    pv_reduction: int = 0
    history_plies: int = 0
    unknown_depth: int = 0
    loud_plies: int = 0

    def reductions(self) -> npt.NDArray[np.int64]:
        """Return the reductions in plies by depth and number of the move: int64 (REDUCED_DEPTHS,
        MAX_MOVES_PER_POSITION)."""
        return _reductions(self.reduction_base, self.reduction_scale, self.full_depth_moves)

    def write(self, workspace: Any) -> None:
        """Set a search's workspace to it."""
        for field, values in ((workspace.margins, self.margins), (workspace.move_limits, self.move_limits)):
            field[:] = 0
            field[1 : 1 + len(values)] = values[: PRUNED_DEPTHS - 1]
        workspace.reductions[:] = self.reductions()
        workspace.pv_reduction, workspace.history_plies = self.pv_reduction, self.history_plies
        workspace.unknown_depth, workspace.loud_plies = self.unknown_depth, self.loud_plies


@lru_cache(maxsize=16)
def _reductions(base: int, scale: int, first: int) -> npt.NDArray[np.int64]:
    depth = np.arange(REDUCED_DEPTHS)[:, None]
    number = np.arange(MAX_MOVES_PER_POSITION)[None, :]
    if scale == 0:
        plies = 1 + ((depth >= 5) & (number >= 2 * first + 2)).astype(np.int64)
    else:
        logarithms = np.log(np.maximum(depth, 1)) * np.log(np.maximum(number, 1))
        plies = np.floor((base + scale * logarithms) / 100).astype(np.int64)
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
MARGIN: Final = 100
MARGIN_STEP: Final = 80
MARGIN_DEPTH: Final = 6
"""Of static null-move pruning: hundredths of a network's score at depth 1, how many more a ply, and the last depth.
What was tried beside them is in docs/strength.md."""
PREFERENCE_WEIGHT: Final = 16
LATE_MOVES: Final[Mapping[str, tuple[int, ...]]] = {"bamboo": (5, 8, 12, 16, 20)}
"""Where late-move pruning gains more than its time."""
FULL_WIDTH: Final = Style(selective=False)


@cache
def learnt_style(game: str) -> Style:
    """Return how players search a game whose boards may have networks."""
    margins = tuple(MARGIN + MARGIN_STEP * depth for depth in range(MARGIN_DEPTH))
    return Style(learnt=True, pruning=Pruning(margins, LATE_MOVES.get(game, ())), preference_weight=PREFERENCE_WEIGHT)
