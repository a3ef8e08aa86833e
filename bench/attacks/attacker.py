"""The attacker's process: `python -m cornered.bench.attacks.attacker NAME` with its stage as one line of JSON on
standard input.

It prints `ready`, attacks when it reads a line, prints its result, and keeps its sockets until standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Final

from cornered.bench.attacks import accounts, between, crowds, frames, matches, pages, texts
from cornered.bench.attacks.stage import ATTACKS, Stage

__all__ = ["ATTACK_MODULES", "main"]

ATTACK_MODULES: Final = (frames, matches, crowds, texts, pages, accounts, between)
"""Modules that register their attacks on import."""
NICENESS: Final = 10
"""A real attacker has a machine of its own, so this process yields the CPU to the server and the bystanders."""


async def _run(name: str) -> None:
    loop = asyncio.get_running_loop()
    given = json.loads(sys.stdin.readline())

    def write(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    async def started() -> None:
        write("ready")
        await loop.run_in_executor(None, sys.stdin.readline)

    stage = Stage(
        addresses=tuple(given["addresses"]),
        broker=given["broker"],
        network=given["network"],
        seconds=given["seconds"],
        scale=given["scale"],
        players=tuple(given["players"]),
        started=started,
        options=given["options"],
    )
    try:
        did = await ATTACKS[name].run(stage)
    except (OSError, TimeoutError) as error:
        did = f"ended early: {error!r}"
    write(json.dumps({"did": did, "faults": stage.faults}))
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Run the attack named by the first argument."""
    os.nice(NICENESS)
    asyncio.run(_run(sys.argv[1]))


if __name__ == "__main__":
    main()
