"""A mixing hash for the words of a position, compiled: transposition keys, in the place of Zobrist hashing."""

from __future__ import annotations

from typing import Any, Final

from cornered.engine.compile.arrays import int64
from cornered.engine.compile.kernel import HAS_COMPILER, kernel

__all__ = ["mixed"]

MASK_63: Final = 0x7FFF_FFFF_FFFF_FFFF


def times(word: int, factor: int) -> int:
    """Return the lowest 63 bits of a product: compiled, signed numbers must not overflow."""
    return (int(word) * factor) & MASK_63


if HAS_COMPILER:
    import numpy as np
    from numba import types
    from numba.extending import overload

    @overload(times)
    def _compiled_times(word: Any, factor: Any) -> Any:
        def implementation(word: Any, factor: Any) -> Any:
            return np.int64((np.uint64(word) * np.uint64(factor)) & np.uint64(MASK_63))

        return implementation if isinstance(word, types.Integer) else None


@kernel
def mixed(seed: int, word: int | int64) -> int:
    """Return `seed` with `word` worked into it, 63 bits wide: every bit of either changes about half of them."""
    # A plain seed, such as whose turn it is, must not cancel against bits of the word; nor is its 64th bit lost.
    x = (times(seed, 0x1D8E_4E27_C47D_124F) ^ int(word) ^ ((int(word) >> 63) & 0x0F39_A5C6_2B71_D84D)) & MASK_63
    x = times(x ^ (x >> 31), 0x2545_F491_4F6C_DD1D)
    x = times(x ^ (x >> 29), 0x1B87_3593_2D51_9E37)
    return x ^ (x >> 32)
