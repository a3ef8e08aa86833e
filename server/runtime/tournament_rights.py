"""Takes those out of tournaments whose right to be in them has ended, and ends what may not begin any more.

Every node does, with what it learns: an event that is stored twice is refused as stale, and found to be done then.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterable
from typing import Final, Protocol

import structlog

from cornered.server.runtime.following import follow
from cornered.server.runtime.rights import EndedRight, RightEnded, Rights
from cornered.server.runtime.tournament_book import TournamentBook
from cornered.server.streams.ports import StaleStream, StreamsUnavailable
from cornered.server.tournament.state import TournamentState
from cornered.server.tournament.tournament import taken_out

__all__ = ["GroupRights", "TournamentRights"]

ATTEMPTS: Final = 8
"""How often what follows is decided again because another node was faster."""
RETRY_SECONDS: Final = 0.5

log = structlog.get_logger("tournaments")


class GroupRights(Protocol):
    """Who belongs to groups, by the newest that is stored. Both raise StreamsUnavailable."""

    async def is_closed(self, group: str) -> bool:
        """Return whether a group is over."""

    async def outsiders(self, group: str, players: Collection[str]) -> Collection[str]:
        """Return those of these players who are no members of a group that is open."""


class TournamentRights:
    """The ends of rights, as far as they concern the tournaments of one node."""

    def __init__(
        self,
        book: TournamentBook,
        groups: GroupRights,
        rights: Rights,
        *,
        now: Callable[[], int],
        changed: Callable[[], None],
    ) -> None:
        """`changed` is called when something is stored, `now` is the match clock in milliseconds."""
        self._book = book
        self._groups = groups
        self._rights = rights
        self._now = now
        self._changed = changed
        # Tournaments to look at, and the players of whom it is known that their accounts have ended.
        self._due: dict[str, None] = {}
        self._departed: dict[str, EndedRight] = {}
        self._wake = asyncio.Event()
        rights.register(self._ended)

    async def begin(self) -> None:
        """Look at all tournaments: rights may have ended while no node ran. Raises what the stores raise."""
        states = tuple(self._book.live.values())
        self._departed |= await self._rights.excluded({player for state in states for player in _concerned(state)})
        self._due = {state.id: None for state in states}
        await self._look()

    async def run(self) -> None:
        """Carry out what ends until cancelled."""
        await follow("the rights of tournaments", self._look, self._pause, (StreamsUnavailable,))

    async def _pause(self) -> None:
        # What could not be carried out is tried again.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RETRY_SECONDS if self._due else None):
                await self._wake.wait()
        self._wake.clear()

    def _ended(self, right: RightEnded) -> None:
        if right.kind == "membership":
            due = [state.id for state in self._book.live.values() if state.settings.group == right.scope]
        else:
            due = [state.id for state in self._book.live.values() if right.player in _concerned(state)]
            if due:
                self._departed[right.player] = right.kind
        if right.kind == "deleted":
            self._book.forget_player(right.player)
        self._look_at(due)

    def came(self, state: TournamentState, player: str) -> None:
        """A player takes part, who may have done so at a node that had not heard yet that this may not be."""
        if (why := self._rights.why_excluded(player)) is not None:
            if why == "deleted":
                self._book.forget_player(player)
            self._look_at((state.id,))

    def _look_at(self, tournaments: Collection[str]) -> None:
        if tournaments:
            self._due |= dict.fromkeys(tournaments)
            self._wake.set()

    async def _look(self) -> None:
        while self._due:
            tournament = next(iter(self._due))
            try:
                await self.settle(tournament)
            except StreamsUnavailable:
                raise
            except Exception:
                # A defect in one tournament must not keep the ends of rights from the others.
                log.exception("the end of a right is not carried out", tournament=tournament)
            del self._due[tournament]
        self._departed.clear()

    async def settle(self, tournament: str) -> None:
        """Take out whoever has lost the right to be in a tournament. Raises StreamsUnavailable.

        It is called before players are paired, too: another node may have removed one a moment ago.
        """
        for _ in range(ATTEMPTS):
            state = self._book.live.get(tournament)
            if state is None:
                return
            is_closed, lost = await self._lost(state)
            events = taken_out(state, lost, self._now(), is_group_closed=is_closed)
            if not events:
                return
            try:
                await self._book.append(state.id, state.seq, events)
            except StaleStream:
                await self._book.catch_up()
            else:
                self._changed()
                return
        raise StreamsUnavailable("others change the tournament at the same time")

    async def _lost(self, state: TournamentState) -> tuple[bool, dict[str, str]]:
        """Return whether the group of a tournament is over, and who has lost which right to be in it."""
        group, lost, is_closed = state.settings.group, dict[str, str](), False
        if group is not None:
            is_closed = state.status == "open" and await self._groups.is_closed(group)
            lost = dict.fromkeys(await self._groups.outsiders(group, tuple(state.entries)), "membership")
        for player in _concerned(state):
            if (why := self._departed.get(player) or self._rights.why_excluded(player)) is not None:
                lost[player] = why
        return is_closed, lost


def _concerned(state: TournamentState) -> Iterable[str]:
    """Return the participants and the organiser."""
    return {*state.entries, state.organiser.id}
