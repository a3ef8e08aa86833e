"""What a game tells of its features, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cornered.bots.nnue.layout import MOVES
from cornered.engine import Game
from cornered.engine.encoding import encoding

__all__ = ["FeatureSet", "Images", "board_symmetries", "moved"]


class Images(NamedTuple):
    """Where each feature goes, and where each move goes by its number; a number that is no move's goes nowhere."""

    features: Sequence[int]
    moves: Sequence[int]

    @classmethod
    def identity(cls, words: int) -> Images:
        """Return what leaves the features of so many words, and all moves, where they are."""
        return cls(range(64 * words), range(MOVES))


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """The features of one game: `words` words of 64 bits, which the kernel `mark(position, marked)` writes.

    `turned()` returns where each feature goes, and where each move goes by its number, when the board is turned round
    for the second seat; `symmetries()` returns this for each symmetry of the board that the rules cannot tell, the
    identity first. `prior()` returns float64 (64 * words): the direct weights at the start of the training, in
    hundredths, such as those of the hand-written evaluation. `exclusive()` returns disjoint sets of features of which a
    position has at most one: by them `Network.check_sums` bounds the sums of a network.
    """

    words: int
    mark: Callable[[Any, Any], None]
    turned: Callable[[], Images]
    symmetries: Callable[[], Sequence[Images]]
    prior: Callable[[], npt.NDArray[np.float64]]
    exclusive: Callable[[], Sequence[Sequence[int]]]

    @property
    def count(self) -> int:
        """The number of features, those that no position has included."""
        return 64 * self.words


def moved(count: int, to: Mapping[int, int]) -> list[int]:
    """Return where each of so many numbers goes: to the place in `to`, or else nowhere."""
    return [to.get(number, number) for number in range(count)]


def board_symmetries(game: Game, words: int, boards: int, feature: Callable[[int, int], int]) -> list[Images]:
    """Return where the features of so many words and the moves go by each symmetry of a game's board, the identity
    first. The number of a move is that of its cell.

    `feature(board, cell)` is the number of the feature of a cell, by its number in the kernels, of one of `boards`.
    """
    known = encoding(game)
    cells = list(known.move_numbers.values())
    found = []
    for symmetry in known.symmetries:
        images = [(cell, cells[action]) for cell, action in zip(cells, symmetry.actions, strict=True)]
        to = {feature(board, cell): feature(board, image) for board in range(boards) for cell, image in images}
        found.append(Images(moved(64 * words, to), moved(MOVES, dict(images))))
    return found
