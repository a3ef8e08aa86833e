"""The broker's messages about public matches, by match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pydantic import ValidationError

from cornered.clients.sdk import Closed
from cornered.clients.sdk.escaping import escaped
from cornered.clients.terminal.broadcast_match import BroadcastMatch, Fetch
from cornered.protocol.events import EVENT
from cornered.protocol.feed import PublicMatchState, match_of
from cornered.protocol.values import MatchSummary

__all__ = ["BroadcastFeed"]


class BroadcastFeed:
    """The broker's messages about public matches, by match."""

    def __init__(self, now: Callable[[], int], fetch: Fetch | None = None) -> None:
        self._now = now
        self._fetch = fetch
        self._states: dict[str, PublicMatchState] = {}
        self._tables: dict[str, BroadcastMatch] = {}
        self._changed = asyncio.Event()
        self._closed = False

    def table(self, match: str) -> BroadcastMatch:
        """Return the source of a match, which gets its messages from now on."""
        return self._tables.setdefault(match, BroadcastMatch(match, self._now, self._fetch))

    async def open(self, match: str) -> BroadcastMatch:
        """Return the source of a match with its present state."""
        table = self.table(match)
        if (state := self._states.get(match)) is not None:
            await table.state(state)
        return table

    def live(self) -> list[MatchSummary]:
        """Return the matches with a retained state, which the server clears at their end."""
        return [
            MatchSummary(
                id=state.match,
                game=state.game,
                clock=state.clock,
                players=state.players,
                ply=state.ply,
                position=state.position,
                watchers=0,
                started=0,
            )
            for state in self._states.values()
        ]

    async def changed(self) -> None:
        """Return when a match began, changed or ended. Raises Closed after `close`."""
        if self._closed:
            raise Closed("the broadcast is closed")
        await self._changed.wait()

    def close(self) -> None:
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def line(self, trouble: str | None) -> None:
        """Pass the state of the connection on to every match; None while it is up."""
        for table in self._tables.values():
            await table.line(trouble)

    def begin(self) -> None:
        """Discard all states; on a new connection the broker sends the retained ones again."""
        self._states.clear()

    async def settle(self) -> None:
        """Conclude that all retained states have arrived: matches without one are over."""
        for match, table in self._tables.items():
            if match not in self._states:
                await table.end_of_feed()
        self._wake()

    async def take(self, topic: str, payload: bytes) -> None:
        """Process one message of the broker; one of another topic, or an invalid one, is ignored."""
        if (about := match_of(topic)) is None:
            return
        match, kind = about
        try:
            if kind == "events" and match in self._tables:
                await self._tables[match].event(escaped(EVENT.validate_json(payload)))
            elif kind == "state" and payload:
                state = escaped(PublicMatchState.model_validate_json(payload))
                self._states[match] = state
                if match in self._tables:
                    await self._tables[match].state(state)
                self._wake()
            elif kind == "state":
                self._states.pop(match, None)
                if match in self._tables:
                    await self._tables[match].end_of_feed()
                self._wake()
        except ValidationError:
            return
