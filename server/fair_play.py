"""What a fair-play report is made from: finished rated matches of a player, and of others with such ratings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cornered.protocol.archive import ArchiveFilter
from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.values import Player
from cornered.server.accounts import Accounts
from cornered.server.archive.search import Search
from cornered.server.backing_services import open_journal, using_store
from cornered.server.ports import DamagedMatch, Journal
from cornered.server.settings import MEMORY_DATABASE, Settings, SettingsError

__all__ = ["MAX_LOOKED_THROUGH", "RATING_REACH", "rated_games"]

RATING_REACH: Final = 100
"""By how much the rating of a player who is compared may differ, in points."""
MAX_LOOKED_THROUGH: Final = 2_000
"""Matches that are looked through for players of such ratings."""
PAGE: Final = 100


async def rated_games(
    settings: Settings, name_or_id: str, game: str | None, limit: int
) -> tuple[Player, Sequence[Sequence[MatchEvent]], Sequence[Sequence[MatchEvent]]]:
    """Return a player, its newest finished rated matches, and as many of other people with such ratings, as events.

    Raises SettingsError, and a ValueError where there is no such player or match.
    """
    if settings.database == MEMORY_DATABASE:
        raise SettingsError("CORNERED_DATABASE: a store in memory has no matches that outlive its server")
    async with open_journal(settings) as (journal, accounts):
        with using_store():
            player = await _player(accounts, name_or_id)
            wanted = ArchiveFilter(player=player.id, game=game, rated=True)
            own = await _matches(journal, Search(wanted, viewer=player.id), limit)
            if not own:
                raise ValueError(f"{player.name} has finished no rated match; only these are compared")
            ratings = [_rating_of(events, player.id) for events in own]
            middle = sorted(ratings)[len(ratings) // 2]
            others = await _similar(journal, own, player.id, middle, limit)
    return player, own, others


async def _player(accounts: Accounts, name_or_id: str) -> Player:
    known = await accounts.by_id(name_or_id)
    players = [known] if known else list(await accounts.named(name_or_id, 2))
    if len(players) != 1:
        trouble = "several players are" if players else "nobody is"
        raise ValueError(f"{trouble} called {name_or_id}: name one by its id")
    return players[0]


async def _matches(journal: Journal, search: Search, limit: int) -> list[Sequence[MatchEvent]]:
    found: list[Sequence[MatchEvent]] = []
    page = await journal.search(search, limit)
    while True:
        for match in page.matches:
            try:
                found.append(await journal.read(match))
            except DamagedMatch:
                continue
        if page.more is None or len(found) >= limit:
            return found[:limit]
        page = await journal.search(search, limit, page.more)


async def _similar(
    journal: Journal, own: Sequence[Sequence[MatchEvent]], player: str, rating: int, limit: int
) -> list[Sequence[MatchEvent]]:
    """Return matches of the game that was played most, between others, in which a person has such a rating."""
    games = [_started(events).game.name for events in own]
    most = max(set(games), key=games.count)
    search, after, looked = Search(ArchiveFilter(game=most, rated=True)), None, 0
    found: list[Sequence[MatchEvent]] = []
    while looked < MAX_LOOKED_THROUGH and len(found) < limit:
        page = await journal.search(search, PAGE, after)
        for match in page.matches:
            looked += 1
            try:
                events = await journal.read(match)
            except DamagedMatch:
                continue
            if _has_similar(_started(events), player, rating):
                found.append(events)
        if page.more is None:
            break
        after = page.more
    return found[:limit]


def _has_similar(started: Started, player: str, rating: int) -> bool:
    if any(one.id == player for one in started.players):
        return False
    rated = zip(started.players, started.ratings, strict=False)
    return any(one.kind == "person" and abs(its.rating - rating) <= RATING_REACH for one, its in rated)


def _started(events: Sequence[MatchEvent]) -> Started:
    assert isinstance(events[0], Started)
    return events[0]


def _rating_of(events: Sequence[MatchEvent], player: str) -> int:
    started = _started(events)
    pairs = zip(started.players, started.ratings, strict=False)
    return next((its.rating for one, its in pairs if one.id == player), 0)
