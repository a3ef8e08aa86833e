"""The fuzzer's process: like `cornered.bench.attacks.attacker`, for the one attack that plays generated cases."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from pathlib import Path
from typing import Final

from cornered.bench.attacks.attacker import main
from cornered.bench.attacks.sockets import RawSocket
from cornered.bench.attacks.stage import ATTACKS, Attack, Stage
from cornered.bench.fuzzing.cases import Case, load, make, play, save
from cornered.bench.fuzzing.places import CHALLENGE, MATCH_IDS, PLAYER_ID, SEEK_ID

__all__: list[str] = []

CONNECTIONS_AT_ONCE: Final = 8
"""Connections under way at a time."""
WARM_UP_SECONDS: Final = 2.0
"""Before the server's memory is looked at for the first time."""
REFRESH_SECONDS: Final = 0.5
CASES_KEPT: Final = 4_000
"""The newest cases that are written down at the end."""


class _Guide:
    """An honest client that looks up what there is on the server, for cases to name."""

    def __init__(self, socket: RawSocket, stage: Stage) -> None:
        self._socket = socket
        self._stage = stage
        self.places: dict[str, str] = {"HOST": stage.address.removeprefix("http://")}

    async def look(self) -> None:
        lobby = await self._socket.ask("watch_lobby")
        await self._socket.ask("leave_lobby")
        if lobby["type"] == "refused":
            return
        found = {place: match["id"] for place, match in zip(MATCH_IDS, reversed(lobby["matches"]), strict=False)}
        for place, ids in (
            (SEEK_ID, [seek["id"] for seek in lobby["seeks"]]),
            (PLAYER_ID, [guest["player"]["id"] for guest in lobby["players"]]),
        ):
            if ids:
                found[place] = ids[-1]
        if PLAYER_ID in found:
            await self._socket.ask("cancel_challenge", challenge=self.places.get(CHALLENGE, CHALLENGE))
            sent = await self._socket.ask("challenge", to=found[PLAYER_ID], game={"name": "trapgrid"})
            if sent["type"] == "acknowledged":
                found[CHALLENGE] = sent["ref"]
        # A frame's header has its length, so an id must be as long as its placeholder.
        self.places |= {place: found_id for place, found_id in found.items() if len(found_id) == len(place)}


async def _fuzz(stage: Stage) -> str:
    """Play cases of one seed, or those of a file, and write down the newest."""
    seed, replayed = int(stage.options["seed"]), stage.options["replay"]
    guide = _Guide(await stage.guest(200), stage)
    await guide.look()
    given = iter(load(Path(replayed))) if replayed else None
    played: deque[tuple[float, Case]] = deque(maxlen=CASES_KEPT)
    number = 0
    is_warm = asyncio.Event()

    def following() -> Case | None:
        nonlocal number
        number += 1
        return next(given, None) if given is not None else make(seed, number)

    async def work(index: int) -> None:
        until = time.monotonic() + (0 if replayed else WARM_UP_SECONDS)
        while (stage.is_on if is_warm.is_set() else time.monotonic() < until) and (case := following()) is not None:
            played.append((time.time(), case))
            await play(case, stage.address, local=stage.local(number // 100), places=guide.places)

    async def guided() -> None:
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            await guide.look()

    guiding = asyncio.create_task(guided(), name="guide")
    try:
        # A replay needs no warm-up, and one connection at a time identifies the case.
        if not replayed:
            await asyncio.gather(*(work(index) for index in range(CONNECTIONS_AT_ONCE)))
        is_warm.set()
        await stage.begin()
        await asyncio.gather(*(work(index) for index in range(1 if replayed else CONNECTIONS_AT_ONCE)))
    finally:
        guiding.cancel()
    if stage.options["keep"]:
        save((case for _, case in played), Path(stage.options["keep"]))
    if guiding.done() and not guiding.cancelled() and guiding.exception() is not None:
        stage.fault(f"an honest client beside the fuzzer failed: {guiding.exception()!r}")
    return f"{len(played) if replayed else number:,} cases of seed {seed}"


if __name__ == "__main__":
    ATTACKS["fuzz"] = Attack("fuzz", "random input", _fuzz, {}, keeps_matches=True)
    main()
