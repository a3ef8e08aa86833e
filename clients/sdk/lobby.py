"""The lobby as it stands: open tables, live matches, who is here."""

from __future__ import annotations

from clients.sdk.pulse import Pulse
from protocol.messages import LobbyChanged, LobbyState
from protocol.values import MatchSummary, Presence, Seek

__all__ = ["LobbyView"]


class LobbyView:
    """Follows the lobby; `version` grows with every change."""

    def __init__(self) -> None:
        self._pulse = Pulse()
        self.seeks: dict[str, Seek] = {}
        self.matches: dict[str, MatchSummary] = {}
        self.players: dict[str, Presence] = {}

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._pulse.count

    async def changed(self, seen: int) -> int:
        """Return the version once it is above `seen`. Raises Closed when the client was closed."""
        return await self._pulse.after(seen)

    def reset(self, state: LobbyState) -> None:
        """Take the lobby as it stands."""
        self.seeks = {seek.id: seek for seek in state.seeks}
        self.matches = {match.id: match for match in state.matches}
        self.players = {presence.player.id: presence for presence in state.players}
        self._pulse.beat()

    def change(self, change: LobbyChanged) -> None:
        """Take what is new, changed or gone."""
        self.seeks |= {seek.id: seek for seek in change.seeks}
        self.matches |= {match.id: match for match in change.matches}
        self.players |= {presence.player.id: presence for presence in change.players}
        for seek in change.seeks_gone:
            self.seeks.pop(seek, None)
        for match in change.matches_gone:
            self.matches.pop(match, None)
        for player in change.players_gone:
            self.players.pop(player, None)
        self._pulse.beat()

    def close(self) -> None:
        """Wake everybody who still waits here."""
        self._pulse.close()
