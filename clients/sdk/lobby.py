"""A live copy of the lobby: open tables, live matches, players.

The server updates the first page of each list; `Client.more_of_lobby` loads further pages.
"""

from __future__ import annotations

from cornered.clients.sdk.pulse import Pulse
from cornered.protocol.messages import LobbyChanged, LobbyPage, LobbyState
from cornered.protocol.values import LobbySection, MatchSummary, Presence, Seek

__all__ = ["LobbyView"]


class LobbyView:
    """Follows the lobby; `version` grows with every change."""

    def __init__(self) -> None:
        self._pulse = Pulse()
        self.seeks: dict[str, Seek] = {}
        self.matches: dict[str, MatchSummary] = {}
        self.players: dict[str, Presence] = {}
        self.totals: dict[LobbySection, int] = {"seeks": 0, "matches": 0, "players": 0}
        """Lengths of the lists on the server."""
        self.cursors: dict[LobbySection, str | None] = {"seeks": None, "matches": None, "players": None}
        """Cursor of the next page of each list; None for the first one."""
        self.waiting: dict[str, int] = {}
        """How many players wait in each pool of quick pairing; pools without any may be missing."""

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._pulse.count

    async def changed(self, seen: int) -> int:
        """Return the version once it is above `seen`. Raises Closed when the client is closed."""
        return await self._pulse.after(seen)

    def reset(self, state: LobbyState) -> None:
        """Replace the whole copy."""
        self.seeks = {seek.id: seek for seek in state.seeks}
        self.matches = {match.id: match for match in state.matches}
        self.players = {presence.player.id: presence for presence in state.players}
        self.cursors = {"seeks": state.seeks_more, "matches": state.matches_more, "players": state.players_more}
        self.waiting = {}
        self._count(state)

    def change(self, change: LobbyChanged) -> None:
        """Apply an update."""
        self.seeks |= {seek.id: seek for seek in change.seeks}
        self.matches |= {match.id: match for match in change.matches}
        self.players |= {presence.player.id: presence for presence in change.players}
        for now in change.moved:
            if known := self.matches.get(now.id):
                changed = {"ply": now.ply, "position": now.position, "watchers": now.watchers}
                self.matches[now.id] = known.model_copy(update=changed)
        for seek in change.seeks_gone:
            self.seeks.pop(seek, None)
        for match in change.matches_gone:
            self.matches.pop(match, None)
        for player in change.players_gone:
            self.players.pop(player, None)
        self._count(change)

    def add(self, page: LobbyPage) -> None:
        """Add one more page of a list."""
        self.seeks |= {seek.id: seek for seek in page.seeks}
        self.matches |= {match.id: match for match in page.matches}
        self.players |= {presence.player.id: presence for presence in page.players}
        self.totals[page.section] = page.total
        self.cursors[page.section] = page.more
        self._pulse.beat()

    def unseen(self, section: LobbySection) -> int:
        """Return the number of entries of a list that are not loaded."""
        known: dict[LobbySection, int] = {
            "seeks": sum(not seek.settings.private for seek in self.seeks.values()),
            "matches": len(self.matches),
            "players": len(self.players),
        }
        return max(0, self.totals[section] - known[section])

    def _count(self, update: LobbyState | LobbyChanged) -> None:
        self.waiting |= {pool.id: pool.waiting for pool in update.pools}
        self.totals = {"seeks": update.seeks_total, "matches": update.matches_total, "players": update.players_total}
        self._pulse.beat()

    def close(self) -> None:
        """Wake all waiting tasks with Closed."""
        self._pulse.close()
