"""All tournaments of a store as one node knows them: folded from their streams, which it follows.

Open and running ones are in memory; of those that are over the newest that were asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from cornered.protocol.tournaments import TournamentInfo
from cornered.server.accounts import DELETED_NAME, Accounts
from cornered.server.refusal import Refusal
from cornered.server.streams.ports import EventStreams, StreamEvent
from cornered.server.tournament.events import TOURNAMENT_EVENT, Cancelled, Finished, TournamentEvent
from cornered.server.tournament.standings import places
from cornered.server.tournament.state import TournamentState
from cornered.server.tournament.views import info

__all__ = ["KIND", "TournamentBook"]

KIND: Final = "tournament"
READ_PAGE: Final = 500
MAX_KEPT: Final = 32
"""Tournaments that are over and stay in memory."""
MAX_INFOS: Final = 1_024
"""Tournaments that are over of which the lists' entries stay in memory, 1 KB each."""

log = structlog.get_logger("tournaments")


class TournamentBook:
    """The tournaments of one node. `folded` gets each event that is new, once it is part of the state."""

    def __init__(
        self,
        streams: EventStreams,
        accounts: Accounts,
        folded: Callable[[TournamentState, TournamentEvent], None],
    ) -> None:
        self._streams = streams
        self._accounts = accounts
        self._folded = folded
        self._number = 0
        self.live: dict[str, TournamentState] = {}
        """The tournaments that are open or running."""
        self._over: OrderedDict[str, TournamentState] = OrderedDict()
        self._infos: OrderedDict[str, TournamentInfo] = OrderedDict()

    async def begin(self) -> None:
        """Read the tournaments that are not over. Raises StreamsUnavailable."""
        self._number = await self._streams.newest(KIND)
        before: int | None = None
        while heads := await self._streams.heads(KIND, is_closed=False, before=before, limit=READ_PAGE):
            for head in heads:
                state = await self._load(head.stream)
                if state is not None and not state.is_over:
                    self.live[head.stream] = state
            before = heads[-1].number
        await self.catch_up()

    async def catch_up(self) -> None:
        """Fold what is new. Raises StreamsUnavailable."""
        while entries := await self._streams.follow(KIND, self._number, READ_PAGE):
            for entry in entries:
                # Another look may have been faster.
                if entry.number == self._number + 1:
                    self._take(entry)
                    self._number = entry.number
            if len(entries) < READ_PAGE:
                break

    async def append(self, tournament: str, expected: int, events: Sequence[TournamentEvent]) -> None:
        """Store and fold events. Raises StaleStream where another node was faster, and StreamsUnavailable."""
        bodies = [TOURNAMENT_EVENT.dump_json(event).decode() for event in events]
        is_closed = isinstance(events[-1], Finished | Cancelled)
        await self._streams.append(KIND, tournament, expected, bodies, is_closed=is_closed)
        await self.catch_up()

    def known(self, tournament: str) -> TournamentState | None:
        """Return a tournament that is in memory."""
        return self.live.get(tournament) or self._over.get(tournament)

    async def find(self, tournament: str) -> TournamentState:
        """Return any tournament. Raises Refusal, AccountsUnavailable and StreamsUnavailable."""
        state = self.known(tournament)
        if state is None:
            state = await self._load(tournament)
            if state is None:
                raise Refusal("unknown_tournament", "there is no such tournament")
            if not state.is_over:
                # It was created on another node a moment ago: the next look folds it.
                return state
            self._keep(state)
        return state

    async def over(self, before: int | None, limit: int) -> tuple[list[tuple[int, TournamentInfo]], int | None]:
        """Return tournaments that are over, those that ended last first, each with its number; and the next cursor.

        Raises AccountsUnavailable and StreamsUnavailable.
        """
        heads = await self._streams.heads(KIND, is_closed=True, before=before, limit=limit + 1)
        found = []
        for head in heads[:limit]:
            known = self._infos.get(head.stream)
            if known is None:
                state = await self._load(head.stream)
                if state is None:
                    continue
                known = self._note(state)
            found.append((head.number, known))
        return found, heads[limit - 1].number if len(heads) > limit else None

    def _take(self, entry: StreamEvent) -> None:
        state = self.live.get(entry.stream)
        if entry.seq != (1 if state is None else state.seq + 1):
            return
        try:
            event = TOURNAMENT_EVENT.validate_json(entry.body)
            if state is None:
                state = self.live[entry.stream] = TournamentState.begin(entry.stream, event)
            else:
                state.evolve(event)
        except Exception:
            # A damaged tournament harms no other one, and is shown no more.
            log.exception("a tournament is damaged", tournament=entry.stream, seq=entry.seq)
            self.live.pop(entry.stream, None)
            return
        if state.is_over:
            del self.live[state.id]
        self._folded(state, event)

    async def _load(self, tournament: str) -> TournamentState | None:
        """Return a stored tournament; None where there is none, or it is damaged."""
        state: TournamentState | None = None
        since = 0
        while entries := await self._streams.read(KIND, tournament, since, READ_PAGE):
            try:
                for entry in entries:
                    event = TOURNAMENT_EVENT.validate_json(entry.body)
                    if state is None:
                        state = TournamentState.begin(tournament, event)
                    else:
                        state.evolve(event)
            except Exception:
                log.exception("a tournament is damaged", tournament=tournament)
                return None
            since = entries[-1].seq
        if state is not None:
            names = await self._accounts.called([*state.entries, state.organiser.id])
            for player in (player for player, name in names.items() if name == DELETED_NAME):
                _forget(state, player)
        return state

    def forget_player(self, player: str) -> None:
        """Forget the name of a player who is deleted, also in tournaments that go on."""
        for state in self.live.values():
            _forget(state, player)

    def forget_names(self) -> None:
        """Have tournaments that are over read again: a player may be called otherwise."""
        self._over.clear()
        self._infos.clear()

    def _keep(self, state: TournamentState) -> None:
        self._over[state.id] = state
        self._note(state)
        while len(self._over) > MAX_KEPT:
            self._over.popitem(last=False)

    def _note(self, state: TournamentState) -> TournamentInfo:
        known = self._infos[state.id] = info(state, places(state))
        while len(self._infos) > MAX_INFOS:
            self._infos.popitem(last=False)
        return known


def _forget(state: TournamentState, player: str) -> None:
    """Replace the name of a deleted player in a tournament."""
    if (entry := state.entries.get(player)) is not None:
        entry.player = entry.player.model_copy(update={"name": DELETED_NAME})
    if state.organiser.id == player:
        state.organiser = state.organiser.model_copy(update={"name": DELETED_NAME})
