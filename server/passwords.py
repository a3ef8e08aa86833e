"""The port of passwords: hashing them slowly, and never on the event loop."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Passwords", "PasswordsBusy"]


class PasswordsBusy(Exception):
    """Too many hashes wait; `retry_after` is in milliseconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("too many passwords are being checked")
        self.retry_after = retry_after


class Passwords(Protocol):
    """Hashes passwords for storing. Both methods take about the same time, and raise PasswordsBusy."""

    @property
    def waiting(self) -> int:
        """How many hashes are being made, or wait for their turn."""

    async def hash(self, password: str) -> str:
        """Return the hash to store, with its salt and parameters."""

    async def verify(self, stored: str | None, password: str) -> bool:
        """Return whether a password is that of a stored hash; without one, False after the same work."""

    def close(self) -> None:
        """End the threads; hashes under way have no effect any more."""
