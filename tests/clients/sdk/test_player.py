"""A bot that its opponent left: it claims the game when it may, and asks again only after a while."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from clients.sdk import BotPlayer, Limit, MatchView
from clients.sdk import player as playing
from protocol import messages
from protocol.commands import Claim, Join, Leave
from protocol.events import Ended
from protocol.messages import Happened, SeatPresence, Snapshot
from protocol.values import Accepts, Correspondence
from tests.clients.sdk.scripted import CLOCKS, POSITIONS, Scripted, Wire, connected, scripted, snapshot

NOW = 1_000_000
"""The scripted server's time when it says welcome."""


async def no_move(match: MatchView, limit: Limit) -> str:
    raise AssertionError("it is not the bot's turn")


@asynccontextmanager
async def bot_at(server: Scripted) -> AsyncIterator[None]:
    """Let a bot play on the scripted server inside the block."""
    async with connected(server) as client:
        player = BotPlayer(client, no_move, accepts=[Accepts(game="trapgrid")])
        task = asyncio.ensure_future(player.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def absent(command_id: str) -> Snapshot:
    """The match of the script with Bob to move, who is not there."""
    return snapshot(command_id, seq=2).model_copy(update={"connected": (True, False)})


def gone(claim_at: int | None) -> SeatPresence:
    return SeatPresence(match="m", seat=1, connected=False, at=NOW, claim_at=claim_at)


async def end(wire: Wire) -> None:
    """Take the claim, and the bot's farewell."""
    claim = await wire.hear(Claim)
    ended = Ended(seq=3, at=1, cause=claim.id, seat=0, winner=0, places=(1, 2), reason="gone", seed="0" * 64)
    await wire.say(
        Happened(match="m", events=(ended,), position=POSITIONS[1], ply=1, to_move=1, clocks=CLOCKS),
    )
    await wire.acknowledge(claim, seq=3)
    await wire.acknowledge(await wire.hear(Leave))


async def no_claim(wire: Wire) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await wire.hear(Claim)


async def play_out(script: Callable[[Wire], Awaitable[None]], **match: object) -> None:
    done = asyncio.Event()

    async def scene(wire: Wire) -> None:
        try:
            await wire.welcome("m")
            await wire.say(absent((await wire.hear(Join)).id).model_copy(update=match))
            await script(wire)
        finally:
            done.set()
        await wire.stay()

    async with asyncio.timeout(10), scripted(scene) as server, bot_at(server):
        await done.wait()


async def test_a_bot_claims_victory_when_the_server_says_that_it_may() -> None:
    async def script(wire: Wire) -> None:
        await wire.say(gone(NOW))
        await end(wire)

    await play_out(script)


async def test_a_bot_that_was_away_itself_claims_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "UNTOLD", 0.01)
    await play_out(end)


async def test_a_refused_claim_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "UNTOLD", 0.01)

    async def script(wire: Wire) -> None:
        claim = await wire.hear(Claim)
        await wire.say(messages.Refused(id=claim.id, code="opponent_here", text="nobody is gone"))
        await end(wire)

    await play_out(script)


async def test_nothing_is_claimed_over_somebody_who_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "UNTOLD", 0.01)

    async def script(wire: Wire) -> None:
        await wire.say(SeatPresence(match="m", seat=1, connected=True, at=NOW))
        await no_claim(wire)

    await play_out(script, connected=(True, True))


async def test_days_for_a_move_are_never_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "UNTOLD", 0.01)

    await play_out(no_claim, clock=Correspondence(days=3))
