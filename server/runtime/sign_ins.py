"""Failed attempts to sign in, bounded for each address and each account, and never so that the owner is locked out.

An attempt from an address that an account knows is bounded for the two together. Any other one is bounded for its
address, whatever the account, and for the account, whatever the address: so an attacker who spends an account's
attempts keeps those waiting who come from addresses that are new to it, and nobody else. Of a name that is no account
the same is counted, so that its refusals look the same. The counts are shared by all nodes, as those of other limits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256

from cornered.server.refusal import Refusal, milliseconds
from cornered.server.runtime.limits import AddressLimits, Limits
from cornered.server.runtime.token_bucket import TokenBucket

__all__ = ["Attempt", "SignIns", "address_digest"]


def address_digest(player: str, address: str) -> str:
    """Return what is stored of an address that an account knows: nothing that tells two accounts' addresses alike."""
    return sha256(f"{player} {address}".encode()).hexdigest()


class Attempt:
    """One attempt to sign in. It has failed unless it `succeeded`."""

    __slots__ = ("is_good", "is_known_address")

    def __init__(self, *, is_known_address: bool) -> None:
        self.is_known_address = is_known_address
        """Whether it comes from an address that the account knows."""
        self.is_good = False

    def succeeded(self) -> None:
        """The name and the secret were right."""
        self.is_good = True


class SignIns:
    """The attempts at one node."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # Attempts under way, each of which may fail: without them many at once would all find a token.
        self._under_way: dict[TokenBucket, int] = {}

    @contextmanager
    def attempt(self, key: str, address: AddressLimits, known_address: str) -> Iterator[Attempt]:
        """Bound one attempt to sign in as the name with this comparison key; it is counted when the block ends.

        `known_address` is the client's address where the account knows it, and otherwise empty. Raises Refusal.
        """
        # Names are as long as a client likes, and are told to other nodes.
        name = sha256(f"{key} {known_address}".encode()).hexdigest()
        with ExitStack() as stack:
            account = self._limits.accounts.enter(name)
            stack.callback(self._limits.accounts.leave, name)
            buckets = (account.failures,) if known_address else (account.failures, address.failures)
            now = asyncio.get_running_loop().time()
            waits = [self._wait(bucket, now) for bucket in buckets]
            if any(waits):
                text = "too many attempts to sign in have failed; try again later, or where you signed in before"
                raise Refusal("too_fast", text, retry_after=milliseconds(max(waits)))
            for bucket in buckets:
                self._begin(bucket)
                stack.callback(self._end, bucket)
            attempt = Attempt(is_known_address=bool(known_address))
            try:
                yield attempt
            finally:
                if not attempt.is_good:
                    now = asyncio.get_running_loop().time()
                    for bucket in buckets:
                        bucket.drain(now, 1.0)

    def _wait(self, bucket: TokenBucket, now: float) -> float:
        """Return the seconds until one more attempt may begin."""
        under_way = self._under_way.get(bucket, 0)
        # No bucket ever has more tokens than `burst`.
        return 1.0 if under_way >= bucket.burst else bucket.wait(now, under_way + 1.0)

    def _begin(self, bucket: TokenBucket) -> None:
        self._under_way[bucket] = self._under_way.get(bucket, 0) + 1

    def _end(self, bucket: TokenBucket) -> None:
        self._under_way[bucket] -= 1
        if not self._under_way[bucket]:
            del self._under_way[bucket]
