"""What the lobby looks like from outside: the messages that are made from its folded state. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.messages import LobbyChanged, LobbyState
from protocol.values import MatchSummary
from server.lobbystate import LobbyFacts

__all__ = ["changes", "lobby_message"]


def lobby_message(lobby: LobbyFacts, id: str, matches: Sequence[MatchSummary]) -> LobbyState:
    """Return everything that is open, with the public `matches` that are live."""
    return LobbyState(
        id=id,
        seeks=tuple(table.seek for table in lobby.tables.values() if not table.seek.settings.private),
        matches=tuple(matches),
        players=tuple(guest.presence() for guest in lobby.guests.values()),
    )


def changes(
    before: LobbyFacts,
    after: LobbyFacts,
    *,
    matches: Sequence[MatchSummary] = (),
    matches_gone: Sequence[str] = (),
) -> LobbyChanged:
    """Return what is new in `after`, with the `matches` that began, changed or ended meanwhile."""
    return LobbyChanged(
        seeks=tuple(
            table.seek
            for name, table in after.tables.items()
            if before.tables.get(name) is not table and not table.seek.settings.private
        ),
        matches=tuple(matches),
        players=tuple(guest.presence() for name, guest in after.guests.items() if before.guests.get(name) is not guest),
        seeks_gone=tuple(
            name
            for name, table in before.tables.items()
            if name not in after.tables and not table.seek.settings.private
        ),
        matches_gone=tuple(matches_gone),
        players_gone=tuple(name for name in before.guests if name not in after.guests),
    )
