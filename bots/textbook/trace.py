"""What a search tells of its steps, so that they can be watched. Without a listener a step is one empty call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

from cornered.engine import State

__all__ = ["SILENT", "Trace", "TraceValue"]

TraceValue: TypeAlias = float | Sequence[float]
"""A value as the search has it: one number, or one of each seat."""


class Trace:
    """The listener of a search; this one records nothing. Each `enter` has its `leave`, unless the limit is used up."""

    __slots__ = ()

    def has_left(self) -> bool:
        """Return whether the listener is gone: then the search ends, as at its limit."""
        return False

    def iteration(self, depth: int) -> None:
        """A search of the root to `depth` begins: the next `enter` is the root."""

    def enter(
        self,
        move: str,
        after: State,
        alpha: float = math.nan,
        beta: float = math.nan,
        *,
        rolls: int = 0,
    ) -> None:
        """The search goes on to `after`, with the window from `alpha` to `beta`, if it has one.

        `rolls` is the number of equally likely rolls where the move is one of them.
        """

    def leave(
        self, value: TraceValue, best: TraceValue = math.nan, alpha: float = math.nan, beta: float = math.nan
    ) -> None:
        """The position entered last has `value`; its parent now has the value `best` and this window."""

    def cut(self, remaining: int) -> None:
        """The `remaining` moves of the position entered last are pruned."""

    def select(self, move: str, bound: float = math.nan) -> None:
        """The path goes on to a child that was entered before, by its upper confidence bound or by chance.

        An empty move is the root, where each path begins.
        """

    def playout(self, plies: int, rewards: Sequence[float]) -> None:
        """A random game of `plies` plies from the last position of the path gave each seat its reward."""

    def back_up(self, visits: int, mean: float) -> None:
        """The last position of the path has this many visits and this mean now; the path ends at its parent."""


SILENT: Final = Trace()
