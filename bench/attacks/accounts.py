"""Attacks on accounts: passwords that are tried from many addresses, and registrations from one, beside honest ones."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final

from cornered.bench.attacks.sockets import RawSocket
from cornered.bench.attacks.stage import Stage, attack

PASSWORD: Final = "correct horse battery"
HOME: Final = 249
"""The number of the owner's address, which the account knows."""
OWNER_SECONDS: Final = 3.0
"""Seconds that a sign-in of the owner may take beside the attack: a password is hashed in 0.08 s, and others are
hashed at the same time."""
OWNER_RATIO: Final = 20.0
"""Alternative bound on a slow machine: how many times as long as without the attack it may take."""
PACE_S: Final = 0.1
KNOCKS: Final = 15
"""Attempts on one socket, fewer than the server admits before hello."""
HASHES_AT_ONCE: Final = 4
HASHES_PER_SECOND: Final = 5
"""The passwords that the server hashes for all clients, besides those from known addresses."""


async def sign_in(socket: RawSocket, name: str, password: str) -> dict[str, Any]:
    return await socket.ask("sign_in", name=name, password=password)


async def register(socket: RawSocket, name: str) -> float:
    """Register an account, and return the seconds that it took. Raises ConnectionError where it is refused."""
    began = time.monotonic()
    answer = await socket.ask("register", name=name, password=PASSWORD)
    if answer["type"] != "registered":
        raise ConnectionError(f"a registration was refused: {answer['code']}")
    return time.monotonic() - began


def owner_bound(calm: float) -> float:
    """Return the seconds that what takes `calm` seconds without the attack may take beside it."""
    return max(OWNER_SECONDS, OWNER_RATIO * calm)


@attack("credential-stuffing", "passwords are tried for many names from many addresses, and all of them for one name")
async def credential_stuffing(stage: Stage) -> str:
    """The owner signs in from a known address, whoever tries the account's password elsewhere."""
    name = f"Owner {stage.network.replace('.', ' ')}"
    home = await stage.open(HOME)
    bound = owner_bound(await register(home, name))
    await sign_in(home, name, PASSWORD)
    attempts, codes = 0, set[str]()

    async def attacker(number: int) -> None:
        nonlocal attempts
        while stage.is_on:
            try:
                socket = await stage.open(number)
                for knock in range(KNOCKS):
                    answer = await sign_in(socket, name if knock % 2 else f"Name {number} {knock}", "12345678")
                    codes.add(answer.get("code", answer["type"]))
                    attempts += 1
                    if not stage.is_on:
                        break
                socket.abort()
            except (OSError, TimeoutError):
                await asyncio.sleep(PACE_S)

    async def owner() -> list[float]:
        took = []
        async for _ in stage.every(PACE_S):
            socket = await stage.open(HOME)
            began = time.monotonic()
            answer = await sign_in(socket, name, PASSWORD)
            took.append(time.monotonic() - began)
            if answer["type"] != "signed_in":
                stage.fault(f"the owner is not signed in at home: {answer['code']}")
            socket.abort()
        return took

    await stage.begin()
    attackers = [asyncio.create_task(attacker(number)) for number in range(int(200 * stage.scale))]
    took = await owner()
    for task in attackers:
        task.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    longest = max(took)
    if longest >= bound:
        stage.fault(f"a sign-in of the owner takes {longest:.1f} s; the bound is {bound:.0f}")
    if "signed_in" in codes:
        stage.fault("a wrong password is taken for the right one")
    return f"{attempts:,} passwords tried, the owner signed in {len(took)} times in at most {longest:.2f} s"


@attack("registration-flood", "accounts are made from one address as fast as it goes, beside somebody's at another one")
async def registration_flood(stage: Stage) -> str:
    """Registrations of an address are bounded, and wait in its turns: another address is served between them."""
    made, refused = 0, set[str]()
    bound = owner_bound(await register(await stage.open(HOME - 1), f"Calm {stage.network.replace('.', ' ')}"))

    async def attacker(number: int) -> None:
        nonlocal made
        attempt = 0
        while stage.is_on:
            try:
                socket = await stage.open()
                for _ in range(KNOCKS):
                    attempt += 1
                    name = f"Eve {stage.network.replace('.', ' ')} {number} {attempt}"
                    answer = await socket.ask("register", name=name, password=PASSWORD)
                    made += answer["type"] == "registered"
                    refused.add(answer.get("code", ""))
                    if not stage.is_on:
                        break
                socket.abort()
            except (OSError, TimeoutError):
                await asyncio.sleep(PACE_S)

    await stage.begin()
    began = time.monotonic()
    attackers = [asyncio.create_task(attacker(number)) for number in range(int(40 * stage.scale))]
    await asyncio.sleep(stage.seconds / 4)
    honest = await stage.open(HOME)
    asked = time.monotonic()
    answer = await honest.ask("register", name=f"Honest {stage.network.replace('.', ' ')}", password=PASSWORD)
    waited = time.monotonic() - asked
    await stage.rest()
    took = time.monotonic() - began
    for task in attackers:
        task.cancel()
    await asyncio.gather(*attackers, return_exceptions=True)
    if answer["type"] != "registered":
        stage.fault(f"an honest registration is refused: {answer['code']}")
    if waited >= bound:
        stage.fault(f"an honest registration takes {waited:.1f} s; the bound is {bound:.0f}")
    most = HASHES_AT_ONCE + HASHES_PER_SECOND * (took + 1)
    if made > most:
        stage.fault(f"{made:,} accounts are made in {took:.1f} s; the bound is {most:.0f}")
    return f"{made:,} accounts made, an honest one in {waited:.2f} s"
