"""Kernels that prune as much as permitted: a proof under them still has to be correct."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cornered.engine.compile.kernel import kernel

__all__ = ["narrow_to_two", "never_quiet"]


@kernel
def narrow_to_two(position: Any, buffer: npt.NDArray[np.int64], count: int) -> int:
    """Keep at most the last two moves, and one in every third position."""
    buffer[0], buffer[count - 1] = buffer[count - 1], buffer[0]
    if count > 2 and (count + position.turn) % 3 != 0:
        return 2
    return 1


@kernel
def never_quiet(position: Any) -> bool:
    return False
