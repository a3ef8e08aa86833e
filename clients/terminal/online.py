"""The source of a match over the WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final, assert_never

from cornered.clients.sdk import Client, ClientError, Closed, CommandRefused, MatchView, NotUnderstood
from cornered.clients.terminal.match_source import Action, Change, LineState, NotPossible, Seen, Told
from cornered.clients.terminal.words import event_text, rated_text
from cornered.protocol.events import Played, Rolled
from cornered.protocol.messages import Moves, Said

__all__ = ["OnlineMatch"]

MAX_PENDING_CHANGES: Final = 256
"""Changes that are buffered for the screen; beyond that the reader blocks."""
PROBE_INTERVAL_S: Final = 2.0
"""Interval of pings, which detect a dead connection."""
SILENCE_NOTICE_S: Final = 1.5
"""Time without an answer until the banner is shown."""


class OnlineMatch:
    """One match that `client` has joined."""

    def __init__(self, client: Client, match: MatchView) -> None:
        self._client = client
        self._match = match

    def now(self) -> int:
        return self._client.server_now()

    async def follow(self) -> AsyncIterator[Change]:
        """Yield the match, its events, its chat, and the state of the connection."""
        changes: asyncio.Queue[Change | None] = asyncio.Queue(MAX_PENDING_CHANGES)
        async with asyncio.TaskGroup() as tasks:
            pumps = [
                tasks.create_task(self._pump_match(changes), name=f"match[{self._match.id}]"),
                tasks.create_task(self._pump_events(changes), name=f"events[{self._match.id}]"),
                tasks.create_task(self._pump_line(changes), name=f"pulse[{self._match.id}]"),
            ]
            try:
                while (change := await changes.get()) is not None:
                    yield change
            finally:
                for pump in pumps:
                    pump.cancel()

    async def _pump_match(self, changes: asyncio.Queue[Change | None]) -> None:
        heard: Said | None = None
        is_rated = False
        with contextlib.suppress(Closed):
            while True:
                version = self._match.version
                claims = self._match.claim_at.values()
                await changes.put(Seen(self._match.snapshot, min(claims, default=None), self._match.rated))
                for said in _newer(list(self._match.said), heard):
                    heard = said
                    await changes.put(said)
                if self._match.rated is not None and not is_rated:
                    is_rated = True
                    await changes.put(Told(rated_text(self._match.snapshot, self._match.rated)))
                await self._match.changed(version)
        await changes.put(None)

    async def _pump_events(self, changes: asyncio.Queue[Change | None]) -> None:
        async for event in self._match:
            if (text := event_text(self._match.snapshot, event)) is not None:
                await changes.put(Told(text, isinstance(event, Played | Rolled)))

    async def _pump_line(self, changes: asyncio.Queue[Change | None]) -> None:
        """Ping at an interval, which also detects a dead connection that was never closed."""
        with contextlib.suppress(ClientError):
            while True:
                answer = asyncio.ensure_future(self._client.ping())
                try:
                    done, _ = await asyncio.wait({answer}, timeout=SILENCE_NOTICE_S)
                    if not done:
                        await changes.put(LineState("The server does not answer: reconnecting. Nothing is lost."))
                        await answer
                        await changes.put(LineState(None))
                    answer.result()
                finally:
                    answer.cancel()
                await asyncio.sleep(PROBE_INTERVAL_S)

    async def legal(self, ply: int) -> Moves | None:
        try:
            return await self._match.moves(ply)
        except ClientError:
            # The match went on meanwhile; the screen asks again for its next position.
            return None

    async def play(self, move: str, ply: int) -> None:
        try:
            await self._match.play(move, ply)
        except CommandRefused as refusal:
            raise NotPossible(refusal.text) from None
        except NotUnderstood as error:
            raise NotPossible(str(error)) from None
        except Closed:
            raise NotPossible("the match was left before the move was sent") from None

    async def do(self, action: Action) -> None:
        try:
            await self._do(action)
        except CommandRefused as refusal:
            raise NotPossible(refusal.text) from None
        except NotUnderstood as error:
            raise NotPossible(str(error)) from None
        except Closed:
            raise NotPossible("the match was left") from None

    async def _do(self, action: Action) -> None:
        match action:
            case "resign":
                await self._match.resign()
            case "offer_draw":
                await self._match.offer_draw()
            case "accept_draw":
                await self._match.answer_draw(accept=True)
            case "decline_draw":
                await self._match.answer_draw(accept=False)
            case "abort":
                await self._match.abort()
            case "request_takeback":
                await self._match.request_takeback()
            case "accept_takeback":
                await self._match.answer_takeback(accept=True)
            case "decline_takeback":
                await self._match.answer_takeback(accept=False)
            case "claim":
                await self._match.claim()
            case "rematch":
                await self._match.rematch()
            case "decline_rematch":
                await self._match.decline_rematch()
            case _:
                assert_never(action)

    async def say(self, text: str) -> None:
        try:
            await self._match.say(text)
        except CommandRefused as refusal:
            raise NotPossible(refusal.text) from None
        except NotUnderstood as error:
            raise NotPossible(str(error)) from None

    async def leave(self) -> None:
        with contextlib.suppress(ClientError):
            await self._match.leave()


def _newer(said: list[Said], heard: Said | None) -> list[Said]:
    """Return the chat lines after `heard`."""
    return said[said.index(heard) + 1 :] if heard in said else said
