"""Whom players block, as far as it decides who meets whom. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Final, TypeAlias

__all__ = ["NO_BLOCKS", "Blocks", "BlocksOf", "block_each_other", "nobody_blocks"]

Blocks: TypeAlias = Mapping[str, frozenset[str]]
"""Whom players block, by their ids; those who block nobody are left out."""
NO_BLOCKS: Final[Blocks] = {}
BlocksOf: TypeAlias = Callable[[Collection[str]], Awaitable[Blocks]]
"""Reads whom each of some players blocks. Raises SocialUnavailable."""


async def nobody_blocks(_: Collection[str]) -> Blocks:
    """Return the blocks of players of whom none blocks any other."""
    return NO_BLOCKS


def block_each_other(blocks: Blocks, one: str, other: str) -> bool:
    """Return whether one of two players blocks the other."""
    return other in blocks.get(one, ()) or one in blocks.get(other, ())
