"""Random games of Bamboo, compiled: a thousand of them a move is what the tree search lives on."""

from __future__ import annotations

from typing import Final

import numpy as np

from bots.evaluate.mixing import mixed
from engine.compiled import kernel
from engine.hexagon import MAX_MOVES, Position, advance, gen

__all__ = ["playout"]

SHIFT: Final = 20
"""The lower bits of a mixed number are left out: a product's upper bits are the better mixed."""


@kernel
def playout(position: Position, seed: int) -> int:
    """Play uniformly random placements to the end and return the winner's seat; `seed` decides them."""
    moves = np.empty(MAX_MOVES, np.int64)
    while True:
        count = gen(position, moves)
        if count == 0:
            return 1 - position.turn
        seed = mixed(seed, 1)
        position = advance(position, int(moves[(seed >> SHIFT) % count]))
