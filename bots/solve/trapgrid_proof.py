"""The proof of a TrapGrid position: the winner and the number of plies, compiled.

While both pawns can still reach a cell in common, the game is searched, with a memo; once they cannot, each pawn is
alone and the longest paths decide: the mover wins when it has a step more than the other (the parity rule of
trapgrid-deep-dive, section 9, is right only where a path leads through every cell of both pockets).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cornered.bots.evaluate.pockets import NO_MOVE, cell_of, inserted, path_bound, pocket_of, separated_value
from cornered.bots.evaluate.trapgrid import voronoi_lead
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.trapgrid import neighbours
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import lowest, popcount

__all__ = ["PROOF", "STOPPED", "distance", "wins"]

PROOF_SLOTS: Final = 1 << 21

PROOF: Final = np.dtype([("shift", np.int64), ("age", np.int64), ("memo", np.uint64, (PROOF_SLOTS, 2))])
"""The memo of a proof. `shift` is how far an image by `mirrored` must be shifted right to lie on the board. `memo`
holds free cells, and beside them a word: the mover's bit in bits 0 to 5, the other's from 6, the kind of entry in
12, the age from 13 (entries of another age are void), and from 32 the value, or the least and, from 38, the greatest
distance."""

VALUE: Final = 0
DISTANCE: Final = 1
TAG_MASK: Final = np.uint64(0xFFFF_FFFF)
DISTANCE_PLIES_MAX: Final = 63
STOPPED: Final = -1
"""Returned by kernels once `stop` of the pockets' record is set."""


@kernel
def mirrored(cells: np.uint64, shift: int) -> np.uint64:
    """Return the image of a board's cells in the diagonal on which both pawns start."""
    x = cells
    x ^= (x ^ x << np.uint64(36) ^ x >> np.uint64(36)) & np.uint64(0xF0F0_F0F0_0F0F_0F0F)
    t = (x ^ x << np.uint64(18)) & np.uint64(0xCCCC_0000_CCCC_0000)
    x ^= t ^ t >> np.uint64(18)
    t = (x ^ x << np.uint64(9)) & np.uint64(0xAA00_AA00_AA00_AA00)
    x ^= t ^ t >> np.uint64(9)
    return x >> np.uint64(shift)


@kernel
def entry(
    record: Any, free: np.uint64, mover: np.uint64, other: np.uint64, kind: int
) -> tuple[int, np.uint64, np.uint64]:
    """Return the slot of a position in the memo, and its two key words.

    A position and its mirror image share an entry. Of its two slots the one that holds it is returned, else the one to
    replace: a void entry, or the one with fewer free cells.
    """
    image = mirrored(free, record["shift"])
    if image < free or (image == free and mirrored(mover, record["shift"]) < mover):
        free, mover, other = image, mirrored(mover, record["shift"]), mirrored(other, record["shift"])
    tag = np.uint64(lowest(mover) | lowest(other) << 6 | kind << 12 | record["age"] << 13)
    slot = mixed(mixed(kind, np.int64(free)), np.int64(mover ^ other >> np.uint64(1))) & (PROOF_SLOTS - 1)
    memo = record["memo"]
    beside = slot ^ 1
    if memo[slot, 0] == free and memo[slot, 1] & TAG_MASK == tag:
        return slot, free, tag
    if memo[beside, 0] == free and memo[beside, 1] & TAG_MASK == tag:
        return beside, free, tag
    if (memo[slot, 1] & TAG_MASK) >> np.uint64(13) != np.uint64(record["age"]):
        return slot, free, tag
    if (memo[beside, 1] & TAG_MASK) >> np.uint64(13) != np.uint64(record["age"]):
        return beside, free, tag
    return slot if popcount(memo[slot, 0]) <= popcount(memo[beside, 0]) else beside, free, tag


@kernel
def wins(record: Any, pockets: Any, free: np.uint64, mover: np.uint64, other: np.uint64) -> int:
    """Return 1 if the mover wins, 0 if it loses, STOPPED when stopped."""
    if pockets["stop"] or pockets["nodes"] >= pockets["most"]:
        pockets["stop"] = 1
        return STOPPED
    pockets["nodes"] += 1
    targets = neighbours(mover) & free
    theirs = neighbours(other) & free
    if not targets or not theirs:
        return 1 if targets else 0
    pocket = pocket_of(free, mover)
    if not pocket & theirs:
        plies = separated_value(pockets, pocket, mover, pocket_of(free, other), other)
        return STOPPED if plies == 0 else int(plies > 0)
    slot, known, tag = entry(record, free, mover, other, VALUE)
    memo = record["memo"]
    if memo[slot, 0] == known and memo[slot, 1] & TAG_MASK == tag:
        return int(np.int64(memo[slot, 1] >> np.uint64(32)))
    first = second = third = fourth = NO_MOVE
    while targets:
        bit = lowest(targets)
        target = cell_of(bit)
        # A step into a dead end gives the game away, unless nothing else is left.
        cost = voronoi_lead(free ^ target, other, target) + 64 if neighbours(target) & free else 127
        first, second, third, fourth = inserted(cost << 6 | bit, first, second, third, fourth)
        targets ^= target
    value = 0
    while first != NO_MOVE and not value:
        target = cell_of(first)
        answer = wins(record, pockets, free ^ target, other, target)
        if answer == STOPPED:
            return STOPPED
        value = 1 - answer
        first, second, third, fourth = second, third, fourth, NO_MOVE
    slot, known, tag = entry(record, free, mover, other, VALUE)
    memo[slot, 0] = known
    memo[slot, 1] = tag | np.uint64(value) << np.uint64(32)
    return value


@kernel
def distance(
    record: Any, pockets: Any, free: np.uint64, mover: np.uint64, other: np.uint64, low: int, high: int, value: int
) -> int:
    """Return the plies to the end, which the winner minimises and the loser maximises; STOPPED when stopped.

    `value` is the result of `wins`. The answer is exact between `low` and `high`, neither included; an answer of at
    most `low` is an upper bound, one of at least `high` a lower bound.
    """
    if pockets["stop"] or pockets["nodes"] >= pockets["most"]:
        pockets["stop"] = 1
        return STOPPED
    pockets["nodes"] += 1
    targets = neighbours(mover) & free
    theirs = neighbours(other) & free
    if not targets or not theirs:
        return value
    pocket, others = pocket_of(free, mover), pocket_of(free, other)
    if not pocket & others:
        plies = separated_value(pockets, pocket, mover, others, other)
        return STOPPED if plies == 0 else abs(plies)
    farthest = 2 * (path_bound(others, other) if value else path_bound(pocket, mover)) + value
    if farthest <= low:
        return farthest
    least, most = 0, DISTANCE_PLIES_MAX
    slot, known, tag = entry(record, free, mover, other, DISTANCE)
    memo = record["memo"]
    if memo[slot, 0] == known and memo[slot, 1] & TAG_MASK == tag:
        least = int(np.int64(memo[slot, 1] >> np.uint64(32))) & DISTANCE_PLIES_MAX
        most = int(np.int64(memo[slot, 1] >> np.uint64(38))) & DISTANCE_PLIES_MAX
    if least == most or least >= high:
        return least
    if most <= low:
        return most
    first = second = third = fourth = NO_MOVE
    while targets:
        bit = lowest(targets)
        target = cell_of(bit)
        targets ^= target
        answer = wins(record, pockets, free ^ target, other, target)
        if answer == STOPPED:
            return STOPPED
        if answer != value:
            cost = voronoi_lead(free ^ target, other, target) + 64
            first, second, third, fourth = inserted(cost << 6 | bit, first, second, third, fourth)
    best = DISTANCE_PLIES_MAX if value else 0
    alpha, beta = max(low, least - 1), min(high, most + 1)
    while first != NO_MOVE and alpha < beta:
        target = cell_of(first)
        plies = distance(record, pockets, free ^ target, other, target, alpha - 1, beta - 1, 1 - value)
        if plies == STOPPED:
            return STOPPED
        if value:
            best = min(best, plies + 1)
            beta = min(beta, best)
        else:
            best = max(best, plies + 1)
            alpha = max(alpha, best)
        first, second, third, fourth = second, third, fourth, NO_MOVE
    if best < high:
        most = min(most, best)
    if best > low:
        least = max(least, best)
    slot, known, tag = entry(record, free, mover, other, DISTANCE)
    memo[slot, 0] = known
    memo[slot, 1] = tag | np.uint64(least) << np.uint64(32) | np.uint64(most) << np.uint64(38)
    return best
