"""The journal with the names of deleted players replaced, wherever a finished match is read.

The events themselves never change. A match that goes on keeps the name under which it was begun.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cornered.protocol.archive import HeadToHeadCount, OpeningMove
from cornered.protocol.events import Ended, MatchEvent, Started
from cornered.server.accounts import DELETED_NAME, Accounts, AccountsUnavailable
from cornered.server.archive.search import ArchivePage, Cursor, Search
from cornered.server.ports import Journal, JournalUnavailable

__all__ = ["NamedJournal"]


class NamedJournal:
    """Implements `Journal` over another one."""

    def __init__(self, journal: Journal, accounts: Accounts) -> None:
        self._journal = journal
        self._accounts = accounts

    @property
    def obstacle(self) -> str:
        return self._journal.obstacle

    @property
    def waiting(self) -> int:
        return self._journal.waiting

    @property
    def newest(self) -> tuple[str, int] | None:
        return self._journal.newest

    async def holds(self, match: str, seq: int) -> bool:
        return await self._journal.holds(match, seq)

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        await self._journal.append(match, expected_seq, events)

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        events = await self._journal.read(match, since)
        if not events or not isinstance(events[0], Started) or not any(isinstance(one, Ended) for one in events):
            return events
        started = events[0]
        try:
            names = await self._accounts.called([player.id for player in started.players])
        except AccountsUnavailable as error:
            # A name that its player has deleted is not shown because the store was away.
            raise JournalUnavailable("the names of the players cannot be read") from error
        deleted = {player for player, name in names.items() if name == DELETED_NAME}
        if not deleted:
            return events
        players = tuple(
            player.model_copy(update={"name": DELETED_NAME}) if player.id in deleted else player
            for player in started.players
        )
        return [started.model_copy(update={"players": players}), *events[1:]]

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        return await self._journal.live(slots)

    async def finished(self, player: str | None, limit: int, after: str | None = None) -> Sequence[str]:
        return await self._journal.finished(player, limit, after)

    async def search(self, search: Search, limit: int, after: Cursor | None = None) -> ArchivePage:
        return await self._journal.search(search, limit, after)

    async def head_to_head(self, player: str, opponent: str, game: str | None = None) -> Sequence[HeadToHeadCount]:
        return await self._journal.head_to_head(player, opponent, game)

    async def opening(self, variant: str, line: str) -> tuple[int, Sequence[OpeningMove]]:
        return await self._journal.opening(variant, line)

    async def secret(self) -> bytes:
        return await self._journal.secret()

    async def watch(self) -> None:
        await self._journal.watch()

    async def close(self) -> None:
        await self._journal.close()
