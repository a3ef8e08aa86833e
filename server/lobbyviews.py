"""What the lobby looks like from outside: the messages that are made from its folded state. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from protocol.messages import LobbyChanged, LobbyState
from protocol.values import MatchSummary, Seek
from server.lobbystate import Guest, LobbyFacts, Table

__all__ = ["MAX_PLAYERS", "changes", "lobby_message", "private_company", "told"]

MAX_PLAYERS: Final = 200
"""Players that one word about the lobby lists."""


def lobby_message(lobby: LobbyFacts, id: str, matches: Sequence[MatchSummary], viewer: str | None = None) -> LobbyState:
    """Return what `viewer`, or a stranger, may know of the lobby, with the public `matches` that are live.

    Of many players only `MAX_PLAYERS` are listed: the viewer and the bots before everybody else.
    """
    guests = sorted(lobby.guests.values(), key=lambda guest: (guest.player.id != viewer, guest.player.kind != "bot"))
    return LobbyState(
        id=id,
        seeks=_seen(lobby.tables.values(), viewer),
        matches=tuple(matches),
        players=tuple(guest.presence() for guest in guests[:MAX_PLAYERS]),
    )


def changes(
    before: LobbyFacts,
    after: LobbyFacts,
    *,
    matches: Sequence[MatchSummary] = (),
    matches_gone: Sequence[str] = (),
    viewer: str | None = None,
) -> LobbyChanged:
    """Return what is new in `after` for `viewer`, or a stranger, with the `matches` that began, changed or ended.

    At most `MAX_PLAYERS` players are told of; `told` knows which are left for the next word.
    """
    now_seen = {seek.id for seek in _seen(after.tables.values(), viewer)}
    return LobbyChanged(
        seeks=_seen(_different(after.tables, before.tables), viewer),
        matches=tuple(matches),
        players=tuple(guest.presence() for guest in _changed(before, after)[:MAX_PLAYERS]),
        seeks_gone=tuple(seek.id for seek in _seen(before.tables.values(), viewer) if seek.id not in now_seen),
        matches_gone=tuple(matches_gone),
        players_gone=tuple(name for name in before.guests if name not in after.guests),
    )


def told(before: LobbyFacts, after: LobbyFacts) -> LobbyFacts:
    """Return the lobby as those know it who knew `before` and heard of the `changes` to `after`."""
    untold = _changed(before, after)[MAX_PLAYERS:]
    if not untold:
        return after
    guests = dict(after.guests)
    for guest in untold:
        known = before.guests.get(guest.player.id)
        if known is None:
            del guests[guest.player.id]
        else:
            guests[guest.player.id] = known
    return replace(after, guests=guests)


def private_company(before: LobbyFacts, after: LobbyFacts) -> frozenset[str]:
    """Return who sits or sat at a private table that changed: they are told more than strangers."""
    return frozenset(
        player.id
        for old, new in ((before.tables, after.tables), (after.tables, before.tables))
        for table in _different(old, new)
        if table.seek.settings.private
        for player in table.seek.joined
    )


def _different(tables: Mapping[str, Table], others: Mapping[str, Table]) -> Iterable[Table]:
    return (table for name, table in tables.items() if others.get(name) is not table)


def _seen(tables: Iterable[Table], viewer: str | None) -> tuple[Seek, ...]:
    """Return the tables that are public, or at which the viewer sits."""
    return tuple(
        table.seek
        for table in tables
        if not table.seek.settings.private or any(player.id == viewer for player in table.seek.joined)
    )


def _changed(before: LobbyFacts, after: LobbyFacts) -> list[Guest]:
    """Return who is new or different, the bots first."""
    guests = [guest for name, guest in after.guests.items() if before.guests.get(name) is not guest]
    return sorted(guests, key=lambda guest: guest.player.kind != "bot")
