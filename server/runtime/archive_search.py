"""Answers what clients ask about finished matches: searches, results head to head, moves of an opening."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from cornered.protocol.archive import ArchiveFilter
from cornered.protocol.commands import AskArchive, AskHeadToHead, AskOpening
from cornered.protocol.messages import Archive, HeadToHead, Opening
from cornered.protocol.values import GameSpec
from cornered.server.archive.index import variant_of
from cornered.server.archive.search import Cursor, Search
from cornered.server.match.catalogue import settle
from cornered.server.ports import DamagedMatch, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services

__all__ = ["MAX_FOUND", "ArchiveSearch", "search_of"]

MAX_FOUND: Final = 20
"""Matches of one page."""


class ArchiveSearch:
    """The archive of this server, the same on all nodes."""

    def __init__(self, services: Services, matches: MatchRegistry) -> None:
        self._services = services
        self._matches = matches

    async def find(self, viewer: str, command: AskArchive, replayed: Callable[[int], None]) -> Archive:
        """Return a page of a search by the player `viewer`; `replayed` is told the events of each match that was.

        Raises Refusal.
        """
        if command.exact:
            await self._services.readiness.of_catalogue()
        search = search_of(command, viewer)
        after = None
        if command.after is not None and (after := Cursor.parse(command.after)) is None:
            raise Refusal(
                "malformed", "`after` is what an earlier page gave as `more`; leave it out for the first page"
            )
        with _reading():
            ids, more = await self._services.journal.search(search, MAX_FOUND, after)
            found = await self._matches.summaries(ids, replayed)
        return Archive(id=command.id, matches=tuple(found), more=None if more is None else str(more))

    async def head_to_head(self, command: AskHeadToHead) -> HeadToHead:
        """Return the results between two players. Raises Refusal."""
        with _reading():
            games = await self._services.journal.head_to_head(command.player, command.opponent, command.game)
        return HeadToHead(id=command.id, games=tuple(games))

    async def opening(self, command: AskOpening) -> Opening:
        """Return the moves that followed a line. Raises Refusal."""
        await self._services.readiness.of_catalogue()
        _, spec = settle(command.game)
        with _reading():
            games, moves = await self._services.journal.opening(variant_of(spec), " ".join(command.moves))
        return Opening(id=command.id, game=spec, games=games, moves=tuple(moves))


def search_of(wanted: ArchiveFilter, viewer: str | None) -> Search:
    """Return the search for what a player, or a stranger, wants. Raises Refusal for conditions that need others."""
    if wanted.result in ("win", "loss") and wanted.player is None:
        raise Refusal("malformed", "a win or a loss is that of a `player`: name one, or ask for `decided`")
    if (wanted.exact or wanted.options) and wanted.game is None:
        raise Refusal("malformed", "options are those of a `game`: name one")
    if not wanted.exact or wanted.game is None:
        return Search(wanted, viewer)
    _, spec = settle(GameSpec(name=wanted.game, options=wanted.options))
    return Search(wanted, viewer, variant_of(spec))


@contextmanager
def _reading() -> Iterator[None]:
    """Refuse what cannot be read now."""
    try:
        yield
    except (JournalUnavailable, DamagedMatch):
        raise Refusal("internal", "old matches cannot be read just now; try again") from None
