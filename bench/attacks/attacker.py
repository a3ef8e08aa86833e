"""The process of the attackers: `python -m cornered.bench.attacks.attacker` with a stage as a line of JSON on standard
input for each attack.

It forks an attacker for each stage. That one tells that it is ready, attacks when it reads another line, tells its
result, and keeps its sockets until it is killed, or until standard input ends. All that is told is a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from typing import Any, Final

from cornered.bench.attacks import accounts, between, crowds, frames, matches, pages, texts
from cornered.bench.attacks.stage import ATTACKS, Stage

__all__ = ["ATTACK_MODULES", "main"]

ATTACK_MODULES: Final = (frames, matches, crowds, texts, pages, accounts, between)
"""Modules that register their attacks on import."""
NICENESS: Final = 10
"""A real attacker has a machine of its own, so this process yields the CPU to the server and the bystanders."""


def _tell(**values: object) -> None:
    os.write(1, f"{json.dumps(values)}\n".encode())


async def _run(given: dict[str, Any]) -> None:
    """Carry out the attack of a stage."""
    loop = asyncio.get_running_loop()

    async def started() -> None:
        _tell(ready=True)
        await loop.run_in_executor(None, sys.stdin.readline)

    name = given.pop("attack")
    addresses, players = (tuple(given.pop(field)) for field in ("addresses", "players"))
    stage = Stage(addresses=addresses, players=players, started=started, **given)
    try:
        did = await ATTACKS[name].run(stage)
    except (OSError, TimeoutError) as error:
        did = f"ended early: {error!r}"
    _tell(did=did, faults=stage.faults)
    await loop.run_in_executor(None, sys.stdin.read)


def _read_line() -> str:
    """Return the next line of standard input, and leave what follows it to the attacker; empty at its end."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    return line.decode()


def main() -> None:
    """Fork attackers, one at a time, until standard input ends."""
    os.nice(NICENESS)
    while stage := _read_line():
        child = os.fork()
        if child == 0:
            _tell(pid=os.getpid())
            try:
                asyncio.run(_run(json.loads(stage)))
            except BaseException:
                traceback.print_exc()
            os._exit(0)
        _tell(exit=os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
