"""Bamboo: groups are what lets a colour grow, free placements are what it lives on."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bots.evaluate.mixing import mixed
from engine.compiled import kernel
from engine.hexagon import Position, Three, first, group_at, placements, size_of

__all__ = ["SCRATCH", "key", "known", "narrow", "quiet", "rank", "worth"]

SCRATCH: Final = np.dtype([("unused", np.int64)])


@kernel
def groups(stones: Three) -> int:
    """Count the groups of one colour."""
    a, b, c = stones
    count = 0
    while a | b | c != 0:
        group_a, group_b, group_c = group_at(first((a, b, c)), stones)
        a ^= group_a
        b ^= group_b
        c ^= group_c
        count += 1
    return count


@kernel
def worth(position: Position) -> int:
    """Return the difference in cells where each colour may place, and twice that in groups."""
    own_a, own_b, own_c, other_a, other_b, other_c, free_a, free_b, free_c, turn = position
    turned = Position(other_a, other_b, other_c, own_a, own_b, own_c, free_a, free_b, free_c, 1 - turn)
    placing = size_of(placements(position)) - size_of(placements(turned))
    return 100 * placing + 200 * (groups((own_a, own_b, own_c)) - groups((other_a, other_b, other_c)))


@kernel
def key(position: Position) -> int:
    seed = mixed(mixed(mixed(position.turn, position.own_a), position.own_b), position.own_c)
    return mixed(mixed(mixed(seed, position.other_a), position.other_b), position.other_c)


@kernel
def quiet(position: Position) -> bool:
    return True


@kernel
def rank(position: Position, move: int) -> int:
    return 0


@kernel
def narrow(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    return count


@kernel
def known(position: Position, scratch: Any) -> int:
    return 0
