"""Everything that a broker tells about public matches, sorted by match."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pydantic import ValidationError

from cornered.clients.sdk import Closed
from cornered.clients.sdk.escaping import escaped
from cornered.clients.terminal.broadcast_match import BroadcastMatch, Fetch
from cornered.protocol.events import EVENT
from cornered.protocol.feed import MatchState, match_of
from cornered.protocol.values import MatchSummary

__all__ = ["Broadcast"]


class Broadcast:
    """Everything that the broker says about matches, sorted by match."""

    def __init__(self, now: Callable[[], int], fetch: Fetch | None = None) -> None:
        self._now = now
        self._fetch = fetch
        self._states: dict[str, MatchState] = {}
        self._tables: dict[str, BroadcastMatch] = {}
        self._changed = asyncio.Event()
        self._closed = False

    def table(self, match: str) -> BroadcastMatch:
        """Return the table of a match, which follows it from now on."""
        return self._tables.setdefault(match, BroadcastMatch(match, self._now, self._fetch))

    async def open(self, match: str) -> BroadcastMatch:
        """Return the table of a match with what is known of it already."""
        table = self.table(match)
        if (state := self._states.get(match)) is not None:
            await table.state(state)
        return table

    def live(self) -> list[MatchSummary]:
        """Return the matches that have a state, which the broker forgets when they end."""
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
        """Return when a match began, moved on or ended. Raises Closed when nothing will be told any more."""
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
        """Tell every table whether the broker is there."""
        for table in self._tables.values():
            await table.line(trouble)

    def begin(self) -> None:
        """Forget every state: on a new connection the broker tells those that it keeps again."""
        self._states.clear()

    async def settle(self) -> None:
        """Take that the broker has told every state that it keeps: matches without one are over."""
        for match, table in self._tables.items():
            if match not in self._states:
                await table.silence()
        self._wake()

    async def take(self, topic: str, payload: bytes) -> None:
        """Take one message from the broker. What cannot be read is somebody else's, and is passed over."""
        if (about := match_of(topic)) is None:
            return
        match, kind = about
        try:
            if kind == "events" and match in self._tables:
                await self._tables[match].event(escaped(EVENT.validate_json(payload)))
            elif kind == "state" and payload:
                state = escaped(MatchState.model_validate_json(payload))
                self._states[match] = state
                if match in self._tables:
                    await self._tables[match].state(state)
                self._wake()
            elif kind == "state":
                self._states.pop(match, None)
                if match in self._tables:
                    await self._tables[match].silence()
                self._wake()
        except ValidationError:
            return
