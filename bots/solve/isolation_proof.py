"""Proves the winner of an Isolation position of two: depth-first search over wins and losses, with a memory.

Cells that neither pawn can ever reach are taken off the board first, so positions that differ only there are one. Pawns
whose regions have come apart are decided by their longest paths. The memory keeps positions whole, not as hashes: no
two collide, and an entry holds for every board size.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cornered.bots.evaluate.regions import fields, region, separated_winner, sort_in
from cornered.engine.compile.kernel import kernel
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import lowest, popcount
from cornered.engine.kernels.slides import SLIDE_STEPS_MAX, slides

__all__ = [
    "PLIES_BEYOND_GAME",
    "PROOF_WORKSPACE_LAYOUT",
    "SET_BIT",
    "WON_BIT",
    "canonical",
    "distance",
    "forget",
    "outcome",
    "workspace",
]

PROOF_ENTRIES: Final = 1 << 19
WAYS: Final = 4
"""Entries of one slot, a cache line; the one that cost least is replaced."""
UNPLACED: Final = 64
MIRROR_CELLS_GONE_MAX: Final = 10
"""Blocked cells up to which mirror images share an entry; later they hardly recur."""
PLIES_BEYOND_GAME: Final = 100
"""More plies than any game lasts."""
WEIGHT: Final = 4
"""How much more the other's replies count than the mover's next moves, when moves are ordered."""

PROOF_WORKSPACE_LAYOUT: Final = np.dtype(
    [
        *fields(1 << 15),
        ("width", np.int64),
        ("height", np.int64),
        ("memory", np.uint64, (PROOF_ENTRIES, 2)),
        ("moves", np.int64, (65, 65)),
    ]
)
"""The workspace of one proof. An entry of the memory is the word of the free cells and a word of the pawns' cells,
seven bits each, whether the mover wins, the logarithm of its cost in nodes in six bits, and a bit that is always
set."""

PAWNS: Final = np.uint64((1 << 14) - 1)
WON_BIT: Final = np.uint64(1 << 14)
SET_BIT: Final = np.uint64(1 << 21)


def workspace(width: int, height: int) -> Any:
    """Return an empty workspace for a board of this size."""
    record = np.zeros(1, PROOF_WORKSPACE_LAYOUT).view(np.recarray)[0]
    record.width, record.height = width, height
    return record


def forget(workspace: Any) -> None:
    """Empty the memory of a workspace."""
    workspace.memory[:] = 0
    workspace.failed[:] = 0


@kernel
def upside_down(cells: np.uint64, height: int) -> np.uint64:
    """Return the cells with the first rank where the last one was."""
    cells = (cells >> np.uint64(8)) & np.uint64(0x00FF_00FF_00FF_00FF) | (
        cells & np.uint64(0x00FF_00FF_00FF_00FF)
    ) << np.uint64(8)
    cells = (cells >> np.uint64(16)) & np.uint64(0x0000_FFFF_0000_FFFF) | (
        cells & np.uint64(0x0000_FFFF_0000_FFFF)
    ) << np.uint64(16)
    return (cells >> np.uint64(32) | cells << np.uint64(32)) >> np.uint64(8 * (8 - height))


@kernel
def mirrored(cells: np.uint64, width: int) -> np.uint64:
    """Return the cells with the first file where the last one was."""
    one, two = np.uint64(0x5555_5555_5555_5555), np.uint64(0x3333_3333_3333_3333)
    four = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
    cells = (cells >> np.uint64(1)) & one | (cells & one) << np.uint64(1)
    cells = (cells >> np.uint64(2)) & two | (cells & two) << np.uint64(2)
    cells = (cells >> np.uint64(4)) & four | (cells & four) << np.uint64(4)
    return cells >> np.uint64(8 - width)


@kernel
def transposed(cells: np.uint64) -> np.uint64:
    """Return the cells with ranks and files exchanged (three delta swaps)."""
    moved = np.uint64(0x0F0F_0F0F_0000_0000) & (cells ^ cells << np.uint64(28))
    cells ^= moved ^ moved >> np.uint64(28)
    moved = np.uint64(0x3333_0000_3333_0000) & (cells ^ cells << np.uint64(14))
    cells ^= moved ^ moved >> np.uint64(14)
    moved = np.uint64(0x5500_5500_5500_5500) & (cells ^ cells << np.uint64(7))
    return cells ^ moved ^ moved >> np.uint64(7)


@kernel
def canonical(
    free: np.uint64, mover: np.uint64, other: np.uint64, width: int, height: int
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the least of the 8 positions, 4 on an oblong board, that mirrors and turns make of one."""
    best_free, best_mover, best_other = free, mover, other
    for turn in range(8 if width == height else 4):
        if turn == 4:
            free, mover, other = transposed(free), transposed(mover), transposed(other)
        elif turn & 1:
            free, mover, other = mirrored(free, width), mirrored(mover, width), mirrored(other, width)
        elif turn > 0:
            free, mover, other = upside_down(free, height), upside_down(mover, height), upside_down(other, height)
        if free < best_free or (
            free == best_free and (mover < best_mover or (mover == best_mover and other < best_other))
        ):
            best_free, best_mover, best_other = free, mover, other
    return best_free, best_mover, best_other


@kernel
def outcome(free: np.uint64, mover: np.uint64, other: np.uint64, workspace: Any) -> int:
    """Return 1 when the mover wins, -1 when it loses, 0 when `workspace.nodes` reached `workspace.limit` first.

    A pawn not yet placed is 0. Proofs on the way stay in the memory: a repeated call resumes there.
    """
    if workspace.nodes >= workspace.limit:
        return 0
    workspace.nodes += 1
    started = workspace.nodes
    rest = free
    if mover:
        rest = slides(free, mover, SLIDE_STEPS_MAX)
        if not rest:
            return -1
        if other:
            mine, theirs = region(free, mover), region(free, other)
            if not mine & theirs:
                return separated_winner(mine, mover, other, theirs, workspace)
            free &= mine | theirs

    size = popcount(free)
    board, first, second = free, mover, other
    if workspace.width * workspace.height - size <= MIRROR_CELLS_GONE_MAX:
        board, first, second = canonical(free, mover, other, workspace.width, workspace.height)
    cells = (lowest(first) if first else UNPLACED) | (lowest(second) if second else UNPLACED) << 7
    pawns = np.uint64(cells)
    slot = mixed(cells, np.int64(board)) & (PROOF_ENTRIES - WAYS)
    target, least = slot, 1 << 30
    for place in range(slot, slot + WAYS):
        entry = workspace.memory[place, 1]
        if workspace.memory[place, 0] == board and entry & PAWNS == pawns and entry & SET_BIT:
            return 1 if entry & WON_BIT else -1

    row = workspace.moves[size]
    count, result = 0, -1
    while rest:
        bit = lowest(rest)
        cell = np.uint64(1) << np.uint64(bit)
        rest ^= cell
        replies = 0
        if other:
            replies = popcount(slides(free ^ cell, other, SLIDE_STEPS_MAX))
            if replies == 0:
                result, count = 1, 0
                break
        # The fewest replies first; of two alike, the one with more moves to follow.
        count = sort_in(
            row, count, (64 + WEIGHT * replies - popcount(slides(free ^ cell, cell, SLIDE_STEPS_MAX))) << 6 | bit
        )
    for index in range(count):
        cell = np.uint64(1) << np.uint64(row[index] & 63)
        reply = outcome(free ^ cell, other, cell, workspace)
        if reply == 0:
            return 0
        if reply < 0:
            result = 1
            break

    cost, effort = workspace.nodes - started + 1, 0
    while cost > 0:
        cost >>= 1
        effort += 1
    for place in range(slot, slot + WAYS):
        value = int(workspace.memory[place, 1] >> np.uint64(15) & np.uint64(63))
        if value < least:
            target, least = place, value
    workspace.memory[target, 0] = board
    workspace.memory[target, 1] = (
        pawns | np.uint64(effort) << np.uint64(15) | SET_BIT | (WON_BIT if result > 0 else np.uint64(0))
    )
    return result


@kernel
def distance(
    free: np.uint64, mover: np.uint64, other: np.uint64, ply: int, alpha: int, beta: int, workspace: Any
) -> int:
    """Return how soon the game ends when the winner hurries and the loser delays, by plain alpha-beta.

    A win at ply n counts PLIES_BEYOND_GAME - n, a loss n - PLIES_BEYOND_GAME, with `ply` plies played before this
    position. It means nothing once `workspace.nodes` has reached `workspace.limit`.
    """
    if workspace.nodes >= workspace.limit:
        return 0
    workspace.nodes += 1
    rest = slides(free, mover, SLIDE_STEPS_MAX) if mover else free
    if not rest:
        return ply - PLIES_BEYOND_GAME
    row = workspace.moves[popcount(free)]
    count = 0
    while rest:
        bit = lowest(rest)
        cell = np.uint64(1) << np.uint64(bit)
        rest ^= cell
        replies = popcount(slides(free ^ cell, other, SLIDE_STEPS_MAX)) if other else 0
        count = sort_in(row, count, replies << 6 | bit)
    best = -PLIES_BEYOND_GAME
    for index in range(count):
        cell = np.uint64(1) << np.uint64(row[index] & 63)
        best = max(best, -distance(free ^ cell, other, cell, ply + 1, -beta, -max(alpha, best), workspace))
        # Nothing is better than a win with this very move.
        if best >= beta or best == PLIES_BEYOND_GAME - ply - 1:
            break
    return best
