"""The players whom a client's player follows and blocks."""

from __future__ import annotations

from cornered.clients.sdk.own_account import Asking
from cornered.protocol.messages import Acknowledged
from cornered.protocol.social import (
    AskBlocked,
    AskFriends,
    Blocked,
    BlockPlayer,
    FollowPlayer,
    Friend,
    Friends,
    UnblockPlayer,
    UnfollowPlayer,
)
from cornered.protocol.values import Player

__all__ = ["People"]


class People:
    """Following and blocking, as `client.people`. Players are named by ids; every method raises CommandRefused."""

    def __init__(self, client: Asking) -> None:
        self._client = client

    async def follow(self, player: str) -> None:
        """Follow a player, of whom `friends` tells from then on."""
        await self._client.ask(FollowPlayer(id=self._client.new_id(), player=player), Acknowledged)

    async def unfollow(self, player: str) -> None:
        """Follow a player no more."""
        await self._client.ask(UnfollowPlayer(id=self._client.new_id(), player=player), Acknowledged)

    async def friends(self) -> tuple[Friend, ...]:
        """Return the players who are followed, those who are here first."""
        return (await self._client.ask(AskFriends(id=self._client.new_id()), Friends)).friends

    async def block(self, player: str) -> None:
        """Block a player: no challenges, lines of chat or pairings; the player is not told."""
        await self._client.ask(BlockPlayer(id=self._client.new_id(), player=player), Acknowledged)

    async def unblock(self, player: str) -> None:
        """Block a player no more."""
        await self._client.ask(UnblockPlayer(id=self._client.new_id(), player=player), Acknowledged)

    async def blocked(self) -> tuple[Player, ...]:
        """Return the players who are blocked."""
        return (await self._client.ask(AskBlocked(id=self._client.new_id()), Blocked)).players
