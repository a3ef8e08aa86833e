"""Wrong codes of groups, bounded for each player and each address, so that nobody finds a group by trying."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

from cornered.server.refusal import Refusal
from cornered.server.runtime.token_bucket import TokenBucket

__all__ = ["ADDRESS_GUESSES", "KEPT", "PLAYER_GUESSES", "Guesses"]

PLAYER_GUESSES: Final = 10
"""Wrong codes of a player at once; one more each minute."""
PLAYER_RATE: Final = 1 / 60
ADDRESS_GUESSES: Final = 60
"""Wrong codes from an address at once, such as a class's; one more every ten seconds."""
ADDRESS_RATE: Final = 1 / 10
KEPT: Final = 10_000
"""Players and addresses that are remembered; the one whose last wrong code was longest ago makes room."""


class Guesses:
    """The wrong codes at one node."""

    def __init__(self) -> None:
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def check(self, player: str, address: str) -> None:
        """Raise a Refusal where a player or an address has named too many wrong codes."""
        now = asyncio.get_running_loop().time()
        known = (self._buckets.get(key) for key in (f"player {player}", f"address {address}"))
        wait = max((bucket.wait(now) for bucket in known if bucket is not None), default=0.0)
        if wait:
            text = "too many codes that no group has; look at the code again, and try it in a moment"
            raise Refusal("too_fast", text, retry_after=round(wait * 1000))

    def failed(self, player: str, address: str) -> None:
        """A player has named a code that no group has."""
        now = asyncio.get_running_loop().time()
        self._count(f"player {player}", PLAYER_RATE, PLAYER_GUESSES, now)
        self._count(f"address {address}", ADDRESS_RATE, ADDRESS_GUESSES, now)

    def _count(self, key: str, rate: float, burst: float, now: float) -> None:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = TokenBucket(rate, burst, now)
        self._buckets.move_to_end(key)
        bucket.drain(now, 1.0)
        if len(self._buckets) > KEPT:
            self._buckets.popitem(last=False)
