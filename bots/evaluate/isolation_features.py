"""The features of an Isolation position on 7x7 for two, as the mover sees it.

In words of 64 bits, laid out as in `cornered.engine.kernels.grid`: the free cells, the pawns, the cells that each
slides to, those that each gets to with its second slide and the other not before, and all that each gets to first; then
the numbers of slides of both as a pair, how many cells more than the other the mover gets to first, and the number of
free cells.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cornered import engine
from cornered.bots.nnue.features import Images, board_symmetries
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.slides import SLIDE_STEPS_MAX, Position, slides

__all__ = ["SIZE", "SLIDES", "SLIDES_WORD", "WORDS", "ZONES", "ZONES_WORD", "exclusive", "mark", "symmetries"]

SIZE: Final = 7
BOARDS: Final = 9
SLIDES: Final = 32
"""More than a pawn has slides on this board."""
ZONES: Final = 128
"""Twice as many as there are cells and more: a difference of cells is counted from half of it."""
SLIDES_WORD: Final = BOARDS
ZONES_WORD: Final = SLIDES_WORD + SLIDES * SLIDES // 64
FREE_WORD: Final = ZONES_WORD + ZONES // 64
WORDS: Final = FREE_WORD + 1


@kernel
def mark(position: Position, marked: Any) -> None:
    """Write the features of a position. `marked` has WORDS words."""
    free, mover, other = position.free, position.mover, position.second
    front, back, left = mover, other, free
    own_slides = others_slides = own_second = others_second = mine = theirs = np.uint64(0)
    if mover:
        own_slides = slides(free, mover, SLIDE_STEPS_MAX)
    if other:
        others_slides = slides(free, other, SLIDE_STEPS_MAX)
    if mover and other:
        step = 1
        while front | back:
            front = (own_slides if step == 1 else slides(free, front, SLIDE_STEPS_MAX)) & left
            mine |= front
            left ^= front
            back = (others_slides if step == 1 else slides(free, back, SLIDE_STEPS_MAX)) & left
            theirs |= back
            left ^= back
            if step == 2:
                own_second, others_second = front, back
            step += 1
    marked[0], marked[1], marked[2] = np.int64(free), np.int64(mover), np.int64(other)
    marked[3], marked[4] = np.int64(own_slides), np.int64(others_slides)
    marked[5], marked[6] = np.int64(own_second), np.int64(others_second)
    marked[7], marked[8] = np.int64(mine), np.int64(theirs)
    for word in range(BOARDS, WORDS):
        marked[word] = 0
    pair = SLIDES * popcount(own_slides) + popcount(others_slides)
    marked[SLIDES_WORD + (pair >> 6)] = 1 << (pair & 63)
    ahead = ZONES // 2 + popcount(mine) - popcount(theirs)
    marked[ZONES_WORD + (ahead >> 6)] = 1 << (ahead & 63)
    marked[FREE_WORD] = 1 << popcount(free)


def feature(board: int, cell: int) -> int:
    """Return the number of the feature of a cell of a board."""
    return 64 * board + cell


def exclusive() -> list[range]:
    """Return the sets of features of which a position has at most one: the cells of each pawn, and the numbers."""
    words = ((1, 2), (2, 3), (SLIDES_WORD, ZONES_WORD), (ZONES_WORD, FREE_WORD), (FREE_WORD, WORDS))
    return [range(64 * first, 64 * end) for first, end in words]


def symmetries() -> list[Images]:
    """Return where features and moves go by each of the eight symmetries of the square."""
    return board_symmetries(engine.load("isolation", width=SIZE, height=SIZE), WORDS, BOARDS, feature)
