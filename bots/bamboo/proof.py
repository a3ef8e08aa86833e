"""Exact values of Bamboo positions, compiled: alpha-beta to the end, with a transposition table under all symmetries.

The sooner the game ends, the larger its value for the winner: with `stones` on the board at the end it is
`END_VALUE - stones` for the winner and the negative of that for the loser, whatever moves led there.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from cornered.bots.bamboo.cells import cubes, symmetries
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import lowest
from cornered.engine.kernels.hexagon import MAX_MOVES, WORD, Position, Three, advance, gen, placements, size_of, turned

__all__ = ["END_VALUE", "PROOF_LAYOUT", "new_memory", "value"]

END_VALUE: Final = 200
PROOF_SLOTS: Final = 1 << 20
SYMMETRY_CELLS: Final = 183
EXACT_KEY_RADIUS: Final = 2
"""Up to this radius a key is the position itself, two bits a cell; beyond, a hash of 62 bits."""
PROOF_LAYOUT: Final = np.dtype(
    [
        ("nodes", np.int64),
        ("most_nodes", np.int64),
        # Stones up to which a position is looked up under all its symmetries.
        ("symmetric", np.int64),
        ("codes", np.int64, (2, SYMMETRY_CELLS, 12)),
        ("keys", np.int64, (PROOF_SLOTS,)),
        ("lower", np.int16, (PROOF_SLOTS,)),
        ("upper", np.int16, (PROOF_SLOTS,)),
    ]
)


@cache
def _codes(radius: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the code that a stone on a cell, the mover's or the other's, adds to the key under each symmetry."""
    random = np.random.default_rng(radius)
    drawn = random.integers(0, 1 << 62, (2, SYMMETRY_CELLS))
    index = {number: i for i, number in enumerate(cubes(radius))}
    codes = np.zeros((2, SYMMETRY_CELLS, 12), np.int64)
    for s, symmetry in enumerate(symmetries(radius)):
        for cell, image in symmetry.items():
            for side in (0, 1):
                exact = 1 << (index[image] + side * len(index)) if radius <= EXACT_KEY_RADIUS else drawn[side, image]
                codes[side, cell, s] = exact
    return codes


def new_memory(radius: int) -> Any:
    """Return an empty memory for boards of this radius."""
    memory = np.zeros(1, PROOF_LAYOUT)
    memory["codes"][0] = _codes(radius)
    memory["symmetric"] = SYMMETRY_CELLS if radius <= EXACT_KEY_RADIUS else 2 * radius
    return memory[0]


@kernel
def coded(stones: Three, side: int, symmetry: int, memory: Any) -> int:
    """Return the part of a key that is one side's."""
    code = 0
    offset = 0
    for word in stones:
        while word != 0:
            code ^= memory["codes"][side, offset + lowest(word), symmetry]
            word &= word - 1
        offset += WORD
    return code


@kernel
def key_of(position: Position, memory: Any) -> int:
    """Return the key of a position, the same for all its mirror images while it has few stones."""
    own = position.own_a, position.own_b, position.own_c
    other = position.other_a, position.other_b, position.other_c
    key = coded(own, 0, 0, memory) ^ coded(other, 1, 0, memory)
    if size_of(own) + size_of(other) <= memory["symmetric"]:
        for symmetry in range(1, 12):
            key = min(key, coded(own, 0, symmetry, memory) ^ coded(other, 1, symmetry, memory))
    return key + 1


@kernel
def value(position: Position, alpha: int, beta: int, memory: Any) -> int:
    """Return the position's value to the mover, exact between `alpha` and `beta`, else a bound on its side of them.

    0 means that the nodes are used up; no position has the value 0.
    """
    if memory["nodes"] >= memory["most_nodes"]:
        return 0
    memory["nodes"] += 1
    stones = size_of((position.own_a, position.own_b, position.own_c))
    stones += size_of((position.other_a, position.other_b, position.other_c))
    moves = np.empty(MAX_MOVES, np.int64)
    count = gen(position, moves)
    if count == 0:
        return stones - END_VALUE
    key = key_of(position, memory)
    slot = (key ^ key >> 20 ^ key >> 40) & (PROOF_SLOTS - 1)
    lower, upper = -END_VALUE, END_VALUE
    if memory["keys"][slot] == key:
        lower, upper = int(memory["lower"][slot]), int(memory["upper"][slot])
    elif memory["keys"][slot ^ 1] == key:
        slot ^= 1
        lower, upper = int(memory["lower"][slot]), int(memory["upper"][slot])
    elif memory["keys"][slot] != 0:
        slot ^= 1
    if lower >= beta or lower == upper:
        return lower
    if upper <= alpha:
        return upper
    order = np.empty(MAX_MOVES, np.int64)
    for i in range(count):
        child = advance(position, int(moves[i]))
        replies = size_of(placements(child))
        if replies == 0:
            return END_VALUE - stones - 1
        # Moves in rising order of the other's placements left, then in falling order of the own.
        rank = 256 * (replies - size_of(placements(turned(child)))) + int(moves[i])
        j = i
        while j > 0 and order[j - 1] > rank:
            order[j] = order[j - 1]
            j -= 1
        order[j] = rank
    best = -END_VALUE
    reached = max(alpha, lower)
    for i in range(count):
        found = value(advance(position, int(order[i] & 255)), -beta, -reached, memory)
        if found == 0:
            return 0
        best = max(best, -found)
        reached = max(reached, best)
        if reached >= beta:
            break
    # Bounds found earlier still hold.
    if best <= alpha:
        upper = min(upper, best)
    elif best >= beta:
        lower = max(lower, best)
    else:
        lower = upper = best
    memory["keys"][slot] = key
    memory["lower"][slot] = lower
    memory["upper"][slot] = upper
    return best
