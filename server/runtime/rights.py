"""The rights that have ended, as one node learns of them, and the rooms that hold what was begun under them.

A right ends in the store: a membership in the stream of its group, an admission in the log of moderation, an account
in a transaction with a revocation. Every node follows these, and whoever folds the end of a right says so here, once;
each room of the node that registered takes away what hangs on it. docs/security.md has the table.

Being told is not enough: a node may die in between. So a room that begins, or takes over, asks `excluded` for those
who are in it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import structlog

from cornered.server.accounts import AccountEnd

__all__ = ["EndedRight", "RightEnded", "Rights"]

EndedRight: TypeAlias = Literal["membership", "ban"] | AccountEnd
"""Why a right is over: `membership` in a group, `ban` from the server, an account that is `closed` or `deleted`."""

log = structlog.get_logger("rights")


@dataclass(frozen=True, slots=True)
class RightEnded:
    """A right of a player is over; `scope` is the group of a membership."""

    kind: EndedRight
    player: str
    scope: str = ""


async def _nobody(_: Collection[str]) -> Mapping[str, AccountEnd]:
    return {}


class Rights:
    """The ends of rights on one node."""

    def __init__(self, departed: Callable[[Collection[str]], Awaitable[Mapping[str, AccountEnd]]] = _nobody) -> None:
        """`departed` is that of `Accounts`. `is_banned` is set by the service that knows."""
        self._departed = departed
        self._rooms: list[Callable[[RightEnded], None]] = []
        # Those of whom the end was told: nobody comes back who is deleted.
        self._deleted: set[str] = set()
        self.is_banned: Callable[[str], bool] = lambda _: False

    def register(self, room: Callable[[RightEnded], None]) -> None:
        """Have a room told of every right that ends from now on, in the step in which this node learns of it."""
        self._rooms.append(room)

    def ended(self, right: RightEnded) -> None:
        """A right is over: tell all rooms. Never raises."""
        if right.kind == "deleted":
            self._deleted.add(right.player)
        log.debug("a right has ended", kind=right.kind, player=right.player, scope=right.scope)
        for room in self._rooms:
            try:
                room(right)
            except Exception:
                # A defect in one room must not keep the end of a right from the others.
                log.exception("the end of a right was not carried out", kind=right.kind, player=right.player)

    def why_excluded(self, player: str) -> EndedRight | None:
        """Return why a player may begin nothing on this server, as far as it is known without the store."""
        if player in self._deleted:
            return "deleted"
        return "ban" if self.is_banned(player) else None

    async def excluded(self, players: Collection[str]) -> Mapping[str, EndedRight]:
        """Return those of these players who may begin nothing on this server. Raises AccountsUnavailable."""
        found: dict[str, EndedRight] = {one: "ban" for one in players if self.is_banned(one)}
        return {**found, **await self._departed(players)}
