"""Collects updates for the lobby's watchers: changes of the first page, bounded in size. Pure: time is an argument."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from cornered.protocol.messages import LobbyChanged, LobbyState
from cornered.protocol.values import MatchStanding, MatchSummary, Seek
from cornered.server.lobby.channels import Channels
from cornered.server.lobby.listing import Listing
from cornered.server.lobby.state import LobbyFacts
from cornered.server.lobby.views import MATCHES_PAGE, PLAYERS_PAGE, SEEKS_PAGE, Lists, Summaries, standing

__all__ = ["MAX_GONE", "MAX_PENDING_GONE", "MOVED_INTERVAL_MS", "LobbyUpdates", "Update"]

# Entries of each kind in one update; the others follow with the next.
MAX_SEEKS: Final = 20
MAX_MATCHES: Final = 20
MAX_PLAYERS: Final = 50
MAX_GONE: Final = 200
MOVED_INTERVAL_MS: Final = 1_000
"""Least interval between two updates of the same match's position, in milliseconds."""
MAX_PENDING_GONE: Final = 2_000
"""Pending ids of removed entries; beyond that the whole first page is sent instead."""


@dataclass(frozen=True, slots=True)
class Update:
    """One update: `public` for all watchers, `personal` by player for those at tables that the page does not list."""

    public: LobbyChanged | LobbyState | None
    personal: dict[str, LobbyChanged]


@dataclass(slots=True)
class _Section:
    """Pending changes of one list; every watcher is up to date from the top down to the rank `floor`."""

    listing: Listing
    size: int
    floor: int = 0
    changed: dict[str, None] = field(default_factory=dict)
    gone: dict[str, None] = field(default_factory=dict)

    def note(self, key: str, *, is_here: bool) -> None:
        if is_here:
            self.gone.pop(key, None)
            self.changed[key] = None
        else:
            self.changed.pop(key, None)
            self.gone[key] = None

    def turn(self) -> None:
        """Advance `floor` to the present page; entries that moved up onto it count as changed."""
        floor = self.listing.floor(self.size)
        for _, key in self.listing.after(self.floor, floor=floor):
            self.changed[key] = None
        self.floor = floor

    def show(self) -> None:
        """Raise `floor` to that of a page that is sent now: its watcher lacks entries that move up onto it later."""
        self.floor = max(self.floor, self.listing.floor(self.size))

    def is_on_page(self, key: str) -> bool:
        return self.listing.rank(key) >= max(1, self.floor)

    def take_changed(self, most: int) -> tuple[list[str], list[str]]:
        """Take up to `most` changed keys of the page, and changed keys that are not on it any more."""
        taken, dropped = list[str](), list[str]()
        for key in tuple(self.changed):
            if len(taken) == most:
                break
            del self.changed[key]
            (taken if self.is_on_page(key) else dropped).append(key)
        return taken, dropped

    def take_gone(self) -> tuple[str, ...]:
        taken = tuple(islice(self.gone, MAX_GONE))
        for key in taken:
            del self.gone[key]
        return taken

    def clear(self) -> None:
        self.changed.clear()
        self.gone.clear()
        self.floor = self.listing.floor(self.size)


class LobbyUpdates:
    """Pending changes of the lobby and of the public matches."""

    def __init__(self, lobby: LobbyFacts, summary_of: Summaries) -> None:
        self._lobby = lobby
        self._summary_of = summary_of
        self._serial = 0
        self._seeks = _Section(lobby.seeks, SEEKS_PAGE)
        self._players = _Section(lobby.players, PLAYERS_PAGE)
        self._matches = _Section(Listing(), MATCHES_PAGE)
        self._moved: dict[str, None] = {}
        self._moved_at: dict[str, int] = {}
        self._personal: dict[str, dict[str, None]] = {}
        self.channels = Channels()
        self.lists = Lists(lobby, self._matches.listing, summary_of)

    def match_began(self, match: str) -> None:
        """List a public match."""
        self._serial += 1
        self._matches.listing.add(match, self._serial)
        self._matches.note(match, is_here=True)
        summary = self._summary_of(match)
        if summary is not None:
            self.channels.add(summary)

    def match_moved(self, match: str) -> None:
        """Record that a match has a new position."""
        if match in self._matches.listing:
            self._moved[match] = None

    def match_ended(self, match: str) -> None:
        """Remove a match from the list."""
        self.channels.remove(match)
        if self._matches.listing.remove(match):
            self._matches.note(match, is_here=False)
            self._moved.pop(match, None)
            self._moved_at.pop(match, None)

    def restart(self) -> LobbyState:
        """Drop pending changes, and return the first page instead."""
        for section in (self._seeks, self._matches, self._players):
            section.clear()
        self._lobby.take_changes()
        self._lobby.pools.take_changed()
        self._moved.clear()
        return self.first_page()

    def first_page(self) -> LobbyState:
        """Return the first page for a new watcher; later results of `take` keep it up to date."""
        for section in (self._seeks, self._matches, self._players):
            section.show()
        return self.lists.first_page()

    @property
    def is_waiting(self) -> bool:
        """Whether there are pending changes."""
        sections = (self._seeks, self._matches, self._players)
        return bool(self._moved or self._personal or any(one.changed or one.gone for one in sections))

    def take(self, now: int) -> Update:
        """Take the update at `now`, in milliseconds; changes beyond its bounds stay pending."""
        self._collect()
        sections = (self._seeks, self._matches, self._players)
        if any(len(section.gone) > MAX_PENDING_GONE for section in sections):
            return Update(self.restart(), self._take_personal())
        for section in sections:
            section.turn()
        lobby = self._lobby
        changed = LobbyChanged(
            seeks=tuple(self._take_seeks()),
            matches=tuple(self._take_matches(now)),
            moved=tuple(self._take_moved(now)),
            players=tuple(lobby.guests[name].presence() for name in self._players.take_changed(MAX_PLAYERS)[0]),
            seeks_gone=self._seeks.take_gone(),
            matches_gone=self._matches.take_gone(),
            players_gone=self._players.take_gone(),
            seeks_total=len(lobby.seeks),
            matches_total=len(self._matches.listing),
            players_total=len(lobby.players),
            pools=lobby.pools.take_changed(),
        )
        return Update(None if _is_empty(changed) else changed, self._take_personal())

    def _collect(self) -> None:
        """Take the lobby's changes; tables that the page does not list go to their players alone."""
        changes, lobby = self._lobby.take_changes(), self._lobby
        for player in changes.players:
            self._players.note(player, is_here=player in lobby.guests)
        floor = lobby.seeks.floor(SEEKS_PAGE)
        for name, (table, participants) in changes.tables.items():
            is_open = name in lobby.tables
            if not table.seek.settings.private:
                self._seeks.note(name, is_here=is_open)
                if not is_open or lobby.seeks.rank(name) >= max(1, floor):
                    continue
            for player in participants:
                self._personal.setdefault(player, {})[name] = None

    def _take_seeks(self) -> Iterator[Seek]:
        taken, dropped = self._seeks.take_changed(MAX_SEEKS)
        for name in dropped:
            for player in self._lobby.tables[name].seek.joined:
                self._personal.setdefault(player.id, {})[name] = None
        for name in taken:
            yield self._lobby.tables[name].seek

    def _take_matches(self, now: int) -> Iterator[MatchSummary]:
        for name in self._matches.take_changed(MAX_MATCHES)[0]:
            summary = self._summary_of(name)
            if summary is not None:
                self._moved.pop(name, None)
                self._moved_at[name] = now
                yield summary

    def _take_moved(self, now: int) -> Iterator[MatchStanding]:
        taken = 0
        for name in tuple(self._moved):
            if taken == MAX_MATCHES:
                return
            if not self._matches.is_on_page(name):
                # It is sent whole when it moves onto the page.
                del self._moved[name]
                self._moved_at.pop(name, None)
            elif now >= self._moved_at.get(name, 0) + MOVED_INTERVAL_MS:
                del self._moved[name]
                summary = self._summary_of(name)
                if summary is not None:
                    taken += 1
                    self._moved_at[name] = now
                    yield standing(summary)

    def _take_personal(self) -> dict[str, LobbyChanged]:
        """Take the updates by player about tables that the public update does not list."""
        lobby, personal = self._lobby, self._personal
        self._personal = {}
        updates: dict[str, LobbyChanged] = {}
        for player, names in personal.items():
            seeks, gone = list[Seek](), list[str]()
            for name in names:
                table = lobby.tables.get(name)
                is_seen = table is not None and (
                    not table.seek.settings.private or name in lobby.seeks_of.get(player, ())
                )
                if table is not None and is_seen:
                    seeks.append(table.seek)
                else:
                    gone.append(name)
            updates[player] = LobbyChanged(
                seeks=tuple(seeks),
                seeks_gone=tuple(gone),
                seeks_total=len(lobby.seeks),
                matches_total=len(self._matches.listing),
                players_total=len(lobby.players),
            )
        return updates


def _is_empty(change: LobbyChanged) -> bool:
    return not any(
        (
            change.seeks,
            change.matches,
            change.moved,
            change.players,
            change.seeks_gone,
            change.matches_gone,
            change.players_gone,
            change.pools,
        )
    )
