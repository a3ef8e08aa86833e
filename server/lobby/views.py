"""Pages of the lobby, made from its folded state. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from cornered.protocol.commands import AskLobby
from cornered.protocol.messages import LobbyPage, LobbyState
from cornered.protocol.values import Key, MatchStanding, MatchSummary, Presence, Seek
from cornered.server.lobby.listing import Listing
from cornered.server.lobby.state import LobbyFacts
from cornered.server.refusal import Refusal

__all__ = ["MATCHES_PAGE", "MAX_ENTRIES_SCANNED", "PLAYERS_PAGE", "SEEKS_PAGE", "Lists", "for_viewer", "standing"]

# Entries of each section on one page.
SEEKS_PAGE: Final = 50
MATCHES_PAGE: Final = 50
PLAYERS_PAGE: Final = 200
MAX_ENTRIES_SCANNED: Final = 1_000
"""Entries that a page filtered by game scans at most, so that it may have few matching ones, or none."""

E = TypeVar("E")
Summaries: TypeAlias = Callable[[str], MatchSummary | None]
"""Returns a match's public summary; None where it has none."""


@dataclass(frozen=True, slots=True)
class Lists:
    """The public sections of the lobby; `matches` lists the live public matches."""

    lobby: LobbyFacts
    matches: Listing
    summary_of: Summaries

    def first_page(self) -> LobbyState:
        """Return the first page of each section."""
        lobby = self.lobby
        seeks, seeks_more = _page(lobby.seeks, SEEKS_PAGE, self._seek)
        matches, matches_more = _page(self.matches, MATCHES_PAGE, self.summary_of)
        players, players_more = _page(lobby.players, PLAYERS_PAGE, self._presence)
        return LobbyState(
            id=None,
            seeks=tuple(seeks),
            matches=tuple(matches),
            players=tuple(players),
            seeks_total=len(lobby.seeks),
            matches_total=len(self.matches),
            players_total=len(lobby.players),
            seeks_more=seeks_more,
            matches_more=matches_more,
            players_more=players_more,
            pools=self.lobby.pools.standings(),
        )

    def page(self, command: AskLobby) -> LobbyPage:
        """Return the requested page. Raises Refusal."""
        after = None if command.after is None else _cursor(command.after)
        game = command.game
        seeks, matches, players, more = list[Seek](), list[MatchSummary](), list[Presence](), None
        match command.section:
            case "seeks":
                listing = self.lobby.seeks
                seeks, more = _page(
                    listing, SEEKS_PAGE, self._seek, after, lambda one: game in (None, one.settings.game.name)
                )
            case "matches":
                listing = self.matches
                matches, more = _page(
                    listing, MATCHES_PAGE, self.summary_of, after, lambda one: game in (None, one.game.name)
                )
            case "players":
                listing = self.lobby.players
                players, more = _page(
                    listing, PLAYERS_PAGE, self._presence, after, lambda one: game is None or _plays(one, game)
                )
        return LobbyPage(
            id=command.id,
            section=command.section,
            seeks=tuple(seeks),
            matches=tuple(matches),
            players=tuple(players),
            total=len(listing),
            more=more,
        )

    def _seek(self, name: str) -> Seek:
        return self.lobby.tables[name].seek

    def _presence(self, player: str) -> Presence:
        return self.lobby.guests[player].presence()


def for_viewer(
    page: LobbyState, id: str | None, viewer: str, lobby: LobbyFacts, matches: Iterable[MatchSummary]
) -> LobbyState:
    """Return `page` with the viewer's own tables and public `matches`, and the viewer as the first player."""
    listed_seeks, listed_matches = {seek.id for seek in page.seeks}, {match.id for match in page.matches}
    own_seeks = (lobby.tables[name].seek for name in lobby.seeks_of.get(viewer, ()) if name not in listed_seeks)
    guest = lobby.guests.get(viewer)
    myself = (guest.presence(),) if guest else ()
    return page.model_copy(
        update={
            "id": id,
            "seeks": (*page.seeks, *own_seeks),
            "matches": (*page.matches, *(match for match in matches if match.id not in listed_matches)),
            "players": (*myself, *(one for one in page.players if one.player.id != viewer)),
        }
    )


def standing(summary: MatchSummary) -> MatchStanding:
    """Return the part of a summary that a move changes."""
    return MatchStanding(id=summary.id, ply=summary.ply, position=summary.position, watchers=summary.watchers)


def _page(
    listing: Listing,
    size: int,
    entry_of: Callable[[str], E | None],
    after: int | None = None,
    wanted: Callable[[E], bool] = lambda _: True,
) -> tuple[list[E], Key | None]:
    """Return a page of `wanted` entries, and the cursor of the next one; None on the last."""
    entries = list[E]()
    scanned, last = 0, 0
    for rank, key in listing.after(after):
        if len(entries) == size or scanned == MAX_ENTRIES_SCANNED:
            return entries, str(last)
        scanned, last = scanned + 1, rank
        entry = entry_of(key)
        if entry is not None and wanted(entry):
            entries.append(entry)
    return entries, None


def _plays(presence: Presence, game: str) -> bool:
    return any(accepts.game == game for accepts in presence.accepts)


def _cursor(text: str) -> int:
    """Parse a cursor, the `more` of an earlier page. Raises Refusal."""
    if not text.isascii() or not text.isdecimal() or len(text) > 20:
        raise Refusal("bad_options", "`after` is what an earlier page gave as `more`; leave it out for the first page")
    return int(text)
