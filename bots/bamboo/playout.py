"""Random playouts of Bamboo, compiled, for Monte Carlo tree search."""

from __future__ import annotations

import numpy as np

from cornered.bots.playout.choice import one_of
from cornered.engine.compile.kernel import kernel
from cornered.engine.hashing import mixed
from cornered.engine.kernels.hexagon import MAX_MOVES, Position, advance, gen

__all__ = ["playout"]


@kernel
def playout(position: Position, seed: int) -> int:
    """Play uniformly random placements to the end and return the winner's seat; `seed` decides them."""
    moves = np.empty(MAX_MOVES, np.int64)
    while True:
        count = gen(position, moves)
        if count == 0:
            return 1 - position.turn
        seed = mixed(seed, 1)
        position = advance(position, int(moves[one_of(seed, count)]))
