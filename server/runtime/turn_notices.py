"""Watches the correspondence games of one node: the player to move is notified, unless the player looks at the game."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cornered.protocol.values import Correspondence
from cornered.server.runtime.match_task import MatchTask
from cornered.server.social.notices import PlayerNotice
from cornered.server.social.ports import Notifier

__all__ = ["TurnNotices"]


class TurnNotices:
    """The turns that began lately in the games that this node owns.

    A player has `grace` seconds to come and look, so that two who move at once are not notified of each move.
    """

    def __init__(self, notifier: Notifier, owned: Callable[[str], MatchTask | None], *, grace: float) -> None:
        """`owned` returns the match task of a match that this node owns and that is open."""
        self._notifier = notifier
        self._owned = owned
        self._grace = grace
        self._loop = asyncio.get_running_loop()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def turned(self, match_task: MatchTask) -> None:
        """A turn may have begun in a match."""
        match = match_task.match
        if not isinstance(match.terms.clock, Correspondence):
            return
        self._forget(match.id)
        if not match.over:
            self._timers[match.id] = self._loop.call_later(self._grace, self._look, match.id)

    def close(self) -> None:
        """Notify nobody any more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _forget(self, match: str) -> None:
        timer = self._timers.pop(match, None)
        if timer is not None:
            timer.cancel()

    def _look(self, match_id: str) -> None:
        self._timers.pop(match_id, None)
        match_task = self._owned(match_id)
        if match_task is None or match_task.match.over:
            return
        match = match_task.match
        players, seat = match.terms.players, match.state.to_move
        if not 0 <= seat < len(players) or players[seat].kind == "bot" or match_task.is_seen_by(seat):
            return
        by = players[1 - seat] if len(players) == 2 else None
        # Unlike a sequence number this stays the same when refunds or offers are stored during the turn.
        turn = match.made + 1
        self._notifier.notify(PlayerNotice("turn", players[seat].id, match.terms.spec.name, by, match.id, turn))
