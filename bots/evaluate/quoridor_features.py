"""The features of a Quoridor position on 9x9 for two, as the mover sees it.

In words of 64 bits: the walls, all doors that shortest paths of either pawn go through, the pawns, the steps home of
both, and the walls left to both. The boards are the pairs of words of `cornered.engine.kernels.maze`.
"""

from __future__ import annotations

from typing import Any, Final

from cornered.bots.evaluate.paths import ways
from cornered.bots.nnue.features import Images, moved
from cornered.bots.nnue.layout import MOVES
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.maze import CELL_COUNT, SPLIT, bit, passages
from cornered.engine.kernels.walls import Position, goal, pawn, stock, walls_of

__all__ = [
    "MOST_WALLS",
    "SIZE",
    "STEPS",
    "STEPS_WORD",
    "STOCK_WORD",
    "WORDS",
    "exclusive",
    "mark",
    "symmetries",
    "turned",
]

SIZE: Final = 9
MOST_WALLS: Final = 10
BOARDS: Final = (SIZE - 1, SIZE - 1, SIZE - 1, SIZE, SIZE - 1, SIZE, SIZE, SIZE)
"""The ranks that each board uses: horizontal walls, vertical walls, the doors to the north and to the east on the
mover's shortest paths, those on the other's, the mover's pawn, the other's."""
FIRST_PAWN: Final = 6
"""The boards from this one on have one pawn each."""
FILES: Final = (SIZE - 1, SIZE - 1, SIZE, SIZE - 1, SIZE, SIZE - 1, SIZE, SIZE)
MOVES_OF_BOARD: Final = {0: CELL_COUNT, 1: 2 * CELL_COUNT, 6: 0}
"""The number of the first move that is a horizontal wall, a vertical one, and a step."""
STEPS: Final = 32
"""Steps home are counted to here."""
STEPS_WORD: Final = 2 * len(BOARDS)
STOCK_WORD: Final = STEPS_WORD + STEPS * STEPS // 64
WORDS: Final = STOCK_WORD + 2


@kernel
def mark(position: Position, marked: Any) -> None:
    """Write the features of a position. `marked` has WORDS words."""
    mover, other = position.turn, 1 - position.turn
    doors = passages(walls_of(position), position.size)
    own_lo, own_hi = goal(position, mover)
    other_lo, other_hi = goal(position, other)
    here, there = pawn(position, mover), pawn(position, other)
    own_way = ways(doors, here, own_lo, own_hi)
    other_way = ways(doors, there, other_lo, other_hi)
    marked[0], marked[1], marked[2], marked[3] = walls_of(position)
    marked[4], marked[5], marked[6], marked[7] = own_way[1], own_way[2], own_way[3], own_way[4]
    marked[8], marked[9], marked[10], marked[11] = other_way[1], other_way[2], other_way[3], other_way[4]
    marked[12], marked[13] = bit(here)
    marked[14], marked[15] = bit(there)
    for word in range(STEPS_WORD, WORDS):
        marked[word] = 0
    steps = STEPS * min(own_way[0], STEPS - 1) + min(other_way[0], STEPS - 1)
    marked[STEPS_WORD + (steps >> 6)] = 1 << (steps & 63)
    walls = (MOST_WALLS + 1) * stock(position, mover) + stock(position, other)
    marked[STOCK_WORD + (walls >> 6)] = 1 << (walls & 63)


def feature(board: int, cell: int) -> int:
    """Return the number of the feature of a cell of a board."""
    return 64 * (2 * board + (cell >= SPLIT)) + (cell - SPLIT if cell >= SPLIT else cell)


def exclusive() -> list[range]:
    """Return the sets of features of which a position has one: the cells of each pawn, the steps, the walls left."""
    pawns = [range(128 * board, 128 * (board + 1)) for board in range(FIRST_PAWN, len(BOARDS))]
    return [*pawns, range(64 * STEPS_WORD, 64 * STOCK_WORD), range(64 * STOCK_WORD, 64 * WORDS)]


def _permuted(image: Any) -> Images:
    """Return where features and moves go when cell (rank, file) of a board goes to `image(board, rank, file)`."""
    found, moves = {}, {}
    for board, (ranks, files) in enumerate(zip(BOARDS, FILES, strict=True)):
        for rank in range(ranks):
            for file in range(files):
                to_rank, to_file = image(board, rank, file)
                found[feature(board, SIZE * rank + file)] = feature(board, SIZE * to_rank + to_file)
                if board in MOVES_OF_BOARD:
                    start = MOVES_OF_BOARD[board]
                    moves[start + SIZE * rank + file] = start + SIZE * to_rank + to_file
    return Images(moved(64 * WORDS, found), moved(MOVES, moves))


def turned() -> Images:
    """Return where features and moves go when the board is turned round for the second seat: north and south
    exchanged."""
    return _permuted(lambda board, rank, file: (BOARDS[board] - 1 - rank, file))


def symmetries() -> list[Images]:
    """Return where features and moves go by the identity, and when left and right are exchanged."""
    return [
        _permuted(lambda board, rank, file: (rank, file)),
        _permuted(lambda board, rank, file: (rank, FILES[board] - 1 - file)),
    ]
