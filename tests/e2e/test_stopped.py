"""The time in which a server process was stopped by a signal counts against no player."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from cornered.protocol.commands import AcceptChallenge, Challenge, Play
from cornered.protocol.events import Ended, Played, Resumed
from cornered.protocol.messages import Happened
from cornered.protocol.values import GameSpec, PerMove
from tests.server.conftest import Running

GAME = GameSpec(name="trapgrid", options={"size": 3})
STOPPED_SECONDS = 3


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, Running]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cornered", "serve", "--port", "0", "--data", str(folder), "--no-bots"),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | {"CORNERED_LOG_LEVEL": "error", "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            while (found := re.search(r"http://\S+[0-9]", (await process.stdout.readline()).decode())) is None:
                assert not process.stdout.at_eof(), "the server did not start"
        yield process, Running(found.group())
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        await asyncio.wait_for(process.wait(), 40)


async def test_a_player_with_two_seconds_left_plays_on_after_the_server_stood_still_for_three(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as (process, running),
        running.client("Ann") as ann,
        running.client("Ben") as ben,
    ):
        sent = await ann.do(Challenge, to=ben.player.id, game=GAME, seat=0, clock=PerMove(seconds=2))
        match = (await ben.do(AcceptChallenge, challenge=sent.ref)).ref
        assert match is not None
        for client in (ann, ben):
            await client.join(match)
        process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(STOPPED_SECONDS)
        process.send_signal(signal.SIGCONT)
        await ann.do(Play, match=match, ply=0, move="a2")
        events = (await ben.hear(Happened)).events
        if not isinstance(events[-1], Played):
            events += (await ben.hear(Happened)).events
        resumed, played = events
        assert isinstance(resumed, Resumed)
        assert isinstance(played, Played)
        assert (STOPPED_SECONDS - 1) * 1000 < resumed.refunded <= STOPPED_SECONDS * 1000 + 500
        assert played.spent < 2_000
        # From here on time counts again.
        ended = (await ann.hear(Happened, lambda said: isinstance(said.events[-1], Ended))).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason) == (0, "time")
