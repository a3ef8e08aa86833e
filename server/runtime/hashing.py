"""Passwords hashed in the turns of the addresses that they come from."""

from __future__ import annotations

from typing import Final

from cornered.server.accounts import AccountRecord
from cornered.server.passwords import Passwords
from cornered.server.refusal import Refusal
from cornered.server.runtime.limits import Limits

__all__ = ["Hashing", "too_busy"]

PATIENCE_SECONDS: Final = 10.0
"""How long a password may wait for its turn among those of all addresses; a longer wait is refused."""


class Hashing:
    """The passwords of one node's visitors. Both methods raise Refusal and PasswordsBusy."""

    def __init__(self, passwords: Passwords, limits: Limits) -> None:
        self._passwords = passwords
        self._queue = limits.passwords

    async def hash(self, password: str, key: str) -> str:
        """Return the hash of a password from the address with this key."""
        await self._take_turn(key)
        return await self._passwords.hash(password)

    async def verify(self, known: AccountRecord | None, password: str, key: str) -> bool:
        """Return whether a password is an open account's; without one, False after the same work."""
        await self._take_turn(key)
        stored = None if known is None or known.is_closed else known.hash
        return await self._passwords.verify(stored, password)

    async def _take_turn(self, key: str) -> None:
        delay = self._queue.delay(key)
        if delay > PATIENCE_SECONDS:
            raise too_busy(round(delay * 1000))
        await self._queue.take(key)


def too_busy(retry_after: int) -> Refusal:
    """Return the refusal of a password that waits too long."""
    return Refusal("busy", "too many people sign in just now; try again in a moment", retry_after=retry_after)
