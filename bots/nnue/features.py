"""What a game tells of its features, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from cornered.engine import Game
from cornered.engine.encoding import encoding

__all__ = ["FeatureSet", "board_symmetries", "moved"]


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """The features of one game: `words` words of 64 bits, which the kernel `mark(position, marked)` writes.

    `turned()` returns where each feature goes when the board is turned round for the second seat, `symmetries()` where
    it goes by each symmetry of the board that the rules cannot tell, the identity first. `prior()` returns float64
    (64 * words): the direct weights at the start of the training, in hundredths, such as those of the hand-written
    evaluation. `exclusive()` returns disjoint sets of features of which a position has at most one: by them
    `Network.check_sums` bounds the sums of a network.
    """

    words: int
    mark: Callable[[Any, Any], None]
    turned: Callable[[], Sequence[int]]
    symmetries: Callable[[], Sequence[Sequence[int]]]
    prior: Callable[[], npt.NDArray[np.float64]]
    exclusive: Callable[[], Sequence[Sequence[int]]]

    @property
    def count(self) -> int:
        """The number of features, those that no position has included."""
        return 64 * self.words


def moved(words: int, to: Mapping[int, int]) -> list[int]:
    """Return where each feature of so many words goes: to the place in `to`, or else nowhere."""
    return [to.get(feature, feature) for feature in range(64 * words)]


def board_symmetries(game: Game, words: int, boards: int, feature: Callable[[int, int], int]) -> list[list[int]]:
    """Return where each feature of so many words goes by each symmetry of a game's board, the identity first.

    `feature(board, cell)` is the number of the feature of a cell, by its number in the kernels, of one of `boards`.
    """
    known = encoding(game)
    cells = list(known.move_numbers.values())
    found = []
    for symmetry in known.symmetries:
        images = [(cell, cells[action]) for cell, action in zip(cells, symmetry.actions, strict=True)]
        to = {feature(board, cell): feature(board, image) for board in range(boards) for cell, image in images}
        found.append(moved(words, to))
    return found
