"""Passwords hashed in the turns of the addresses that they come from."""

from __future__ import annotations

from typing import Final

from cornered.server.accounts import AccountRecord
from cornered.server.passwords import Passwords
from cornered.server.refusal import Refusal, milliseconds
from cornered.server.runtime.limits import Limits
from cornered.server.runtime.visits import Visit

__all__ = ["Hashing", "too_busy"]

PATIENCE_SECONDS: Final = 10.0
"""How long a password may wait for its turn among those of all addresses; a longer wait is refused."""


class Hashing:
    """The passwords of one node's visitors. Both methods raise Refusal and PasswordsBusy."""

    def __init__(self, passwords: Passwords, limits: Limits) -> None:
        self._passwords = passwords
        self._queue = limits.passwords
        self._known_address_queue = limits.known_address_passwords

    async def hash(self, password: str, visit: Visit, *, is_known_address: bool = False) -> str:
        """Return the hash of a password; `is_known_address` says that the account knows the visit's address."""
        await self._take_turn(visit, is_known_address=is_known_address)
        return await self._passwords.hash(password)

    async def verify(
        self, known: AccountRecord | None, password: str, visit: Visit, *, is_known_address: bool = False
    ) -> bool:
        """Return whether a password is an open account's; without one, False after the same work."""
        await self._take_turn(visit, is_known_address=is_known_address)
        stored = None if known is None or known.is_closed else known.hash
        return await self._passwords.verify(stored, password)

    async def _take_turn(self, visit: Visit, *, is_known_address: bool) -> None:
        queue = self._known_address_queue if is_known_address else self._queue
        delay = queue.delay(visit.key)
        if delay > PATIENCE_SECONDS:
            raise too_busy(milliseconds(delay))
        await visit.queue_for(queue.take(visit.key))


def too_busy(retry_after: int) -> Refusal:
    """Return the refusal of a password that waits too long."""
    return Refusal("busy", "too many people sign in just now; try again in a moment", retry_after=retry_after)
