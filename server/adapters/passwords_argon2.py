"""Passwords hashed with argon2id, in a few threads of their own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from cornered.server.passwords import PasswordsBusy

__all__ = ["MAX_HASHING_BYTES", "Argon2Passwords"]

TIME_COST: Final = 3
MEMORY_KIB: Final = 32_768
"""Memory of one hash; at most so many threads need it at once. Measured: 75 ms of CPU a hash, on a busy core."""
THREADS: Final = max(1, min(4, (os.cpu_count() or 1) // 2))
"""Half of the cores: matches need the others."""
MAX_HASHING_BYTES: Final = THREADS * MEMORY_KIB << 10
"""Memory that all hashes together take at once."""
MAX_WAITING: Final = 64
"""Hashes that are being made or wait for a thread; one more is refused."""
RETRY_MS: Final = 2_000
PREFIX: Final = "$argon2id$"
T = TypeVar("T")


class Argon2Passwords:
    """Implements `Passwords`. The interpreter's lock is free while a hash is made."""

    def __init__(self, *, time_cost: int = TIME_COST, memory_kib: int = MEMORY_KIB) -> None:
        self._hasher = PasswordHasher(time_cost=time_cost, memory_cost=memory_kib, parallelism=1, type=Type.ID)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="passwords")
        self._waiting = 0
        self._dummy = ""

    @property
    def waiting(self) -> int:
        return self._waiting

    async def hash(self, password: str) -> str:
        return await self._run(lambda: self._hasher.hash(_encoded(password)))

    async def verify(self, stored: str | None, password: str) -> bool:
        return await self._run(lambda: self._verify(stored, password))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _verify(self, stored: str | None, password: str) -> bool:
        if not self._dummy:
            self._dummy = self._hasher.hash(os.urandom(32))
        # An account may have no password yet: what is no hash takes as long as one.
        is_hash = stored is not None and stored.startswith(PREFIX)
        try:
            self._hasher.verify(stored if stored is not None and is_hash else self._dummy, _encoded(password))
        except (VerificationError, InvalidHashError):
            return False
        return is_hash

    async def _run(self, work: Callable[[], T]) -> T:
        if self._waiting >= MAX_WAITING:
            raise PasswordsBusy(RETRY_MS)
        self._waiting += 1
        # Counted until the thread is done: a caller that is cancelled does not end its work.
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(self._finished)
        return await asyncio.shield(future)

    def _finished(self, future: asyncio.Future[T]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            # An error that its cancelled caller did not see is no error of the loop.
            future.exception()


def _encoded(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")
