"""Bamboo: groups are what lets a colour grow, free placements are what it lives on."""

from __future__ import annotations

from typing import Final

from engine import State
from engine.games.bamboo import BambooState
from engine.hexagon import Position, placements

__all__ = ["evaluate"]

GROUP: Final = 2.0


def evaluate(state: State, seat: int) -> float:
    """Return the difference in cells where each colour may place, and in groups."""
    assert isinstance(state, BambooState)
    position = state.position
    own, other, free = position[:3], position[3:6], position[6:9]
    placing = _open(position) - _open(Position(*other, *own, *free, 1 - position.turn))
    (_, first), (_, second) = state.gauges()
    groups = first - second if position.turn == 0 else second - first
    score = placing + GROUP * groups
    return score if position.turn == seat else -score


def _open(position: Position) -> int:
    """Return in how many cells the mover may place."""
    return sum(word.bit_count() for word in placements(position))
