"""Dice that anyone can verify: rolled from a seed whose hash is published before the game, and the seed after it.

- `seed = HMAC-SHA256(key: the server's secret, message: the match's id)`
- `commitment = SHA-256(seed)`, in hexadecimal, stands in `started`; the seed itself, in hexadecimal, stands in `ended`
- the roll at ply k of a position with n equally likely chance moves reads the numbers
  `HMAC-SHA256(key: seed, message: "<match id>:<k>")`, then `<match id>:<k>:1`, `<match id>:<k>:2` and so on, each as a
  big-endian integer; the first below the largest multiple of n under 2**256 counts, and its remainder by n is the
  index of the move among the chance moves in their own order. So every move is exactly equally likely.

The roll depends on the ply alone: taking a move back never buys another roll.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from itertools import count

__all__ = ["commitment_of", "roll", "seed_of"]

SPAN = 1 << 256


def seed_of(secret: bytes, match: str) -> bytes:
    """Return the seed of a match, which cannot be computed without the server's secret."""
    return hmac.digest(secret, match.encode(), "sha256")


def commitment_of(seed: bytes) -> str:
    """Return what is published about the seed before the first roll."""
    return hashlib.sha256(seed).hexdigest()


def roll(seed: bytes, match: str, ply: int, moves: Sequence[str]) -> str:
    """Return the chance move at `ply` among `moves`, each exactly as likely as the others."""
    limit = SPAN - SPAN % len(moves)
    for attempt in count():
        message = f"{match}:{ply}:{attempt}" if attempt else f"{match}:{ply}"
        number = int.from_bytes(hmac.digest(seed, message.encode(), "sha256"), "big")
        if number < limit:
            break
    return moves[number % len(moves)]
