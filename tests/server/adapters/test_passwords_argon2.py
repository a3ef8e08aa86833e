"""Passwords are hashed with argon2id, beside the event loop, and not too many at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from cornered.server.adapters.passwords_argon2 import MAX_WAITING, Argon2Passwords
from cornered.server.passwords import PasswordsBusy


@pytest.fixture
def passwords() -> Iterator[Argon2Passwords]:
    cheap = Argon2Passwords(time_cost=1, memory_kib=64)
    yield cheap
    cheap.close()


async def test_a_password_is_known_by_its_hash_alone(passwords: Argon2Passwords) -> None:
    for password in ("correct horse", "päßwörd 円", "x" * 128, "\ud800 alone"):
        stored = await passwords.hash(password)
        assert stored.startswith("$argon2id$")
        assert await passwords.hash(password) != stored, "each hash has its own salt"
        assert await passwords.verify(stored, password)
        assert not await passwords.verify(stored, password + " ")
        assert not await passwords.verify(stored, password[:-1])
    for nothing in (None, "no hash"):
        assert not await passwords.verify(nothing, "correct horse")


async def test_an_unknown_account_takes_as_long_as_a_wrong_password() -> None:
    passwords = Argon2Passwords(time_cost=2, memory_kib=8_192)
    stored = await passwords.hash("correct horse")
    await passwords.verify(None, "warms the dummy up")

    # CPU time of the process, in turns, and the shortest of each: another process may have the core at any time.
    took: dict[str | None, float] = {}
    for _ in range(8):
        for hashed in (stored, None, "none"):
            began = time.process_time()
            await passwords.verify(hashed, "wrong")
            took[hashed] = min(took.get(hashed, 60.0), time.process_time() - began)
    passwords.close()
    for other in (None, "none"):
        assert 0.4 < took[other] / took[stored] < 2.5


async def test_too_many_hashes_are_refused_and_those_of_cancelled_callers_count() -> None:
    passwords = Argon2Passwords(time_cost=1, memory_kib=64)
    may_go = threading.Event()
    blocking = [asyncio.get_running_loop().run_in_executor(passwords._threads, may_go.wait) for _ in range(4)]
    callers = [asyncio.create_task(passwords.hash("correct horse")) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    assert passwords.waiting == MAX_WAITING
    callers[0].cancel()
    await asyncio.sleep(0)
    with pytest.raises(PasswordsBusy) as refused:
        await passwords.verify(None, "correct horse")
    assert refused.value.retry_after > 0
    may_go.set()
    await asyncio.gather(*blocking, *callers[1:])
    await passwords.hash("after all of them")
    assert passwords.waiting == 0
    passwords.close()
