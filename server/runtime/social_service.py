"""The social service: whom the players of this node follow and block, as the clients ask and set it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, assert_never

import structlog

from cornered.protocol.messages import Acknowledged, ServerMessage
from cornered.protocol.social import (
    MAX_BLOCKED,
    MAX_FOLLOWED,
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
from cornered.server.accounts import Accounts, AccountsUnavailable
from cornered.server.cluster.messages import BlocksChanged
from cornered.server.lobby.state import LobbyFacts
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.task_group import Spawn
from cornered.server.social.ports import Relation, SocialStore, SocialUnavailable, TooManyRelations, UnknownPerson

__all__ = ["BondCommand", "SocialService"]

MOST: Final[dict[Relation, int]] = {"follow": MAX_FOLLOWED, "block": MAX_BLOCKED}

BondCommand: TypeAlias = FollowPlayer | UnfollowPlayer | BlockPlayer | UnblockPlayer | AskFriends | AskBlocked

log = structlog.get_logger("social")


class SocialService:
    """The relations of all players, as the clients of one node reach them."""

    def __init__(
        self,
        store: SocialStore,
        accounts: Accounts,
        nodes: Nodes,
        *,
        lobby: Callable[[], LobbyFacts],
        clients_of: Callable[[str], Iterable[ClientConnection]],
        spawn: Spawn,
        now: Callable[[], int],
    ) -> None:
        """`clients_of` returns a player's connections to this node; `now` is the time in milliseconds since 1970."""
        self._store = store
        self._accounts = accounts
        self._nodes = nodes
        self._lobby = lobby
        self._clients_of = clients_of
        self._spawn = spawn
        self._now = now
        # Grows with each change of a block that is heard of: what was read before it may be out of date.
        self._changes = 0

    # Blocks

    async def blocked_by(self, player: str) -> frozenset[str]:
        """Return whom a player blocks, as it is when this returns. Raises SocialUnavailable."""
        while True:
            known = self._changes
            blocks = await self._store.blocks_of((player,))
            if known == self._changes:
                return blocks.get(player, frozenset())

    def blocks_changed(self, player: str) -> None:
        """A player blocks others than before, by a command to any node."""
        self._changes += 1
        if any(self._clients_of(player)):
            self._spawn(self._read_blocks((player,)), f"blocks[{player}]")

    def link_restored(self, players: Iterable[str]) -> None:
        """Messages of another node may have been lost; `players` are those who are connected to this one."""
        self._changes += 1
        self._spawn(self._read_blocks(tuple(players)), "blocks")

    async def _read_blocks(self, players: tuple[str, ...]) -> None:
        try:
            blocks = await self._store.blocks_of(players)
        except SocialUnavailable as error:
            log.warning("whom players block cannot be read", reason=str(error))
            return
        for player in players:
            for client in self._clients_of(player):
                client.blocked = blocks.get(player, frozenset())

    # Commands

    async def answer(self, command: BondCommand, player: Player) -> ServerMessage:
        """Carry out a command and return its answer. Raises Refusal."""
        try:
            match command:
                case FollowPlayer():
                    await self._follow(player.id, command.player)
                case UnfollowPlayer():
                    await self._store.remove_relation(player.id, "follow", command.player)
                case BlockPlayer():
                    await self._add_relation(player.id, "block", command.player)
                    await self._publish_blocks(player.id)
                case UnblockPlayer():
                    await self._store.remove_relation(player.id, "block", command.player)
                    await self._publish_blocks(player.id)
                case AskFriends():
                    return Friends(id=command.id, friends=await self._friends(player.id))
                case AskBlocked():
                    blocked = await self._people(player.id, "block")
                    return Blocked(id=command.id, players=tuple(sorted(blocked, key=lambda one: one.name.casefold())))
                case _:
                    assert_never(command)
        except (SocialUnavailable, AccountsUnavailable):
            raise Refusal("internal", "whom you follow and block cannot be reached just now; try again") from None
        return Acknowledged(id=command.id)

    async def _follow(self, player: str, other: str) -> None:
        if other in (await self._store.blocks_of((player,))).get(player, ()):
            raise Refusal("not_allowed", "you block that player; unblock them first")
        await self._add_relation(player, "follow", other)

    async def _add_relation(self, player: str, relation: Relation, other: str) -> None:
        is_block = relation == "block"
        if other == player:
            raise Refusal("yourself", "you cannot block yourself" if is_block else "you cannot follow yourself")
        try:
            await self._store.add_relation(player, relation, other, self._now(), MOST[relation])
        except UnknownPerson:
            raise Refusal("unknown_player", "there is no such player") from None
        except TooManyRelations:
            if is_block:
                raise Refusal("busy", f"you block {MAX_BLOCKED} players already; unblock one first") from None
            raise Refusal("busy", f"you follow {MAX_FOLLOWED} players already; unfollow one first") from None

    async def _publish_blocks(self, player: str) -> None:
        """Have a player's connections on all nodes use the new blocks; those of this node before it returns."""
        self._changes += 1
        await self._read_blocks((player,))
        for node in self._nodes.others():
            self._nodes.send(node, BlocksChanged(player=player))

    async def _friends(self, player: str) -> tuple[Friend, ...]:
        lobby = self._lobby()
        friends = [_friend(one, lobby) for one in await self._people(player, "follow")]
        friends.sort(key=lambda friend: (not friend.is_here, friend.player.name.casefold(), friend.player.id))
        return tuple(friends)

    async def _people(self, player: str, relation: Relation) -> list[Player]:
        """Return those with whom a player has relations; of those who are here with the names that the lobby shows."""
        known = await self._accounts.by_ids(tuple(await self._store.relations(player, relation)))
        guests = self._lobby().guests
        return [guests[one.id].player if one.id in guests else one for one in known.values()]


def _friend(player: Player, lobby: LobbyFacts) -> Friend:
    live = lobby.live_of(player.id)
    public = next((match for match in live if not lobby.matches[match].private), None)
    return Friend(player=player, is_here=lobby.is_here(player.id), playing=len(live), match=public)
