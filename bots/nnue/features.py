"""What a game tells of its features, in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FeatureSet"]


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """The features of one game: `words` words of 64 bits, which the kernel `mark(position, marked)` writes.

    `turned()` returns where each feature goes when the board is turned round for the second seat, `mirrored()` where it
    goes when left and right are exchanged. `prior()` returns float64 (64 * words): the direct weights at the start of
    the training, in hundredths, such as those of the hand-written evaluation.
    """

    words: int
    mark: Callable[[Any, Any], None]
    turned: Callable[[], list[int]]
    mirrored: Callable[[], list[int]]
    prior: Callable[[], npt.NDArray[np.float64]]

    @property
    def count(self) -> int:
        """The number of features, those that no position has included."""
        return 64 * self.words
