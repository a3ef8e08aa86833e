"""What a game tells of its features, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["FeatureSet", "moved"]


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """The features of one game: `words` words of 64 bits, which the kernel `mark(position, marked)` writes.

    `turned()` returns where each feature goes when the board is turned round for the second seat, `symmetries()` where
    it goes by each symmetry of the board that the rules cannot tell, the identity first. `prior()` returns float64
    (64 * words): the direct weights at the start of the training, in hundredths, such as those of the hand-written
    evaluation.
    """

    words: int
    mark: Callable[[Any, Any], None]
    turned: Callable[[], Sequence[int]]
    symmetries: Callable[[], Sequence[Sequence[int]]]
    prior: Callable[[], npt.NDArray[np.float64]]

    @property
    def count(self) -> int:
        """The number of features, those that no position has included."""
        return 64 * self.words


def moved(words: int, to: Mapping[int, int]) -> list[int]:
    """Return where each feature of so many words goes: to the place in `to`, or else nowhere."""
    return [to.get(feature, feature) for feature in range(64 * words)]
