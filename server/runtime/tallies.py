"""Counts of what players and addresses did lately, each bounded, so that new names from one address gain little."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from cornered.server.runtime.token_bucket import TokenBucket

__all__ = ["KEPT", "Allowance", "Tally"]

KEPT: Final = 10_000
"""Players and addresses that are remembered; the one that was counted longest ago makes room."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How often at once, and how many times a second for ever."""

    burst: float
    rate: float


class Tally:
    """What was done at one node."""

    def __init__(self, *, player: Allowance, address: Allowance) -> None:
        self._player = player
        self._address = address
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, player: str, address: str) -> float:
        """Return the seconds until a player may do it once more from an address."""
        now = asyncio.get_running_loop().time()
        known = (self._buckets.get(key) for key in (f"player {player}", f"address {address}"))
        return max((bucket.wait(now) for bucket in known if bucket is not None), default=0.0)

    def count(self, player: str, address: str) -> None:
        """A player has done it from an address."""
        self._count(f"player {player}", self._player)
        self._count(f"address {address}", self._address)

    def _count(self, key: str, allowance: Allowance) -> None:
        now = asyncio.get_running_loop().time()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(allowance.rate, allowance.burst, now)
        self._buckets.move_to_end(key)
        bucket.drain(now, 1.0)
        if len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
