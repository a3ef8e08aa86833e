"""How a player without any plan chooses: by its seed and by how often it has chosen before."""

from __future__ import annotations

from typing import Final

from cornered.engine.compile.kernel import kernel
from cornered.engine.hashing import mixed

__all__ = ["chosen", "one_of"]

SHIFT: Final = 20
"""The lower bits of a mixed number are left out: a product's upper bits are the better mixed."""


@kernel
def one_of(word: int, count: int) -> int:
    """Return which of `count` equally likely things a mixed number stands for, from 0."""
    return (word >> SHIFT) % count


@kernel
def chosen(seed: int, choice: int, count: int) -> int:
    """Return which of `count` moves is a player's choice of this number, the first being 1: all are equally likely."""
    return one_of(mixed(mixed(1, seed), choice), count)
