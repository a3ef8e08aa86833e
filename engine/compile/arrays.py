"""The integer types and arrays of kernels: those of numpy, which compiled code uses, or of Python without numba.

Python's integers have no width, so a rule may shift bits out of a word only where it then selects board cells, which
drops them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from cornered.engine.compile.kernel import HAS_COMPILER

__all__ = ["Buffer", "Planes", "empty", "int64", "uint64", "zeros"]

if TYPE_CHECKING or HAS_COMPILER:
    import numpy as np
    import numpy.typing as npt
    from numpy import empty, int64, uint64

    Buffer: TypeAlias = npt.NDArray[int64]
    """The array into which a kernel writes move numbers, with as many items as the game's MAX_MOVES."""
    Planes: TypeAlias = npt.NDArray[np.float32]
    """The array into which a kernel writes what a network sees of a position, plane after plane."""

    def zeros(length: int) -> Planes:
        """Return planes of `length` zeros."""
        return np.zeros(length, np.float32)

else:
    from array import array

    Buffer = Planes = array
    int64 = uint64 = int

    def empty(length: int, _: type[int]) -> array[int]:
        """Return a buffer of `length` items."""
        return array("q", bytes(8 * length))

    def zeros(length: int) -> array[float]:
        """Return planes of `length` zeros."""
        return array("f", bytes(4 * length))
