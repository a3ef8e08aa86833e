"""A Bamboo position seen by the other side."""

from __future__ import annotations

from cornered.engine.compiled import kernel
from cornered.engine.hexagon import Position

__all__ = ["turned"]


@kernel
def turned(position: Position) -> Position:
    """Return the same board with the other to move."""
    own_a, own_b, own_c, other_a, other_b, other_c, free_a, free_b, free_c, turn = position
    return Position(other_a, other_b, other_c, own_a, own_b, own_c, free_a, free_b, free_c, 1 - turn)
