"""The lobby on one node: passes messages, changes of ownership and commands to the owner's or the follower's side."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import structlog

from cornered.protocol.commands import AskSeek, LobbyCommand
from cornered.protocol.values import Player
from cornered.server.cluster.messages import (
    AskVisitor,
    AskVisitors,
    FollowLobby,
    Forward,
    LobbyNews,
    LobbyPart,
    MatchBegan,
    MatchOver,
    MatchReleased,
    MatchReserved,
    NodeMessage,
    OpenedMatch,
    OpenMatch,
    ReserveMatch,
    Visitor,
    Visitors,
)
from cornered.server.cluster.ports import LobbyLog
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.events import MatchMade
from cornered.server.lobby.state import LobbyFacts
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.lobby_commands import LobbyCommands
from cornered.server.runtime.lobby_follower import LobbyFollower
from cornered.server.runtime.lobby_owner import GATHER_SECONDS, LobbyOwner
from cornered.server.runtime.lobby_presence import LobbyPresence
from cornered.server.runtime.lobby_replica import LobbyObserver, LobbyReplica
from cornered.server.runtime.lobby_reports import LobbyReports
from cornered.server.runtime.match_placement import MatchPlacement
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.remote_client import RemoteClient

__all__ = ["LobbyReplication"]

REPEAT_SECONDS: Final = 1.0
"""How often what has not been answered or shown is sent again."""

log = structlog.get_logger("lobby")


class LobbyReplication:
    """Implements `LobbyExchange` for the other nodes, and the lobby of this node's clients and matches."""

    def __init__(
        self,
        services: Services,
        registry: MatchRegistry,
        lobby_log: LobbyLog,
        observer: LobbyObserver,
        tasks: asyncio.TaskGroup,
        *,
        reserved_names: Sequence[str],
        bounds: Bounds,
    ) -> None:
        self._nodes = nodes = services.nodes
        self._loop = asyncio.get_running_loop()
        self._presence = LobbyPresence()
        self._replica = replica = LobbyReplica(observer, self._presence, reserved_names)
        self._owner = LobbyOwner(services, registry, replica, self._presence, lobby_log, tasks, bounds=bounds)
        self._follower = LobbyFollower(replica, self._presence, nodes, self._repeat_soon)
        self._reports = LobbyReports(replica, self._owner, nodes, self._repeat_soon)
        self._commands = LobbyCommands(replica, self._owner, nodes, registry.forwarder, tasks)
        # Runs `_repeat`.
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def facts(self) -> LobbyFacts:
        """The lobby as clients may know it: what is not stored yet is in the authority's alone."""
        return self._replica.facts

    @property
    def players(self) -> int:
        """How many players are connected to any node, each counted once; 0 on all nodes but the lobby's owner."""
        return self._owner.players

    @property
    def is_deciding(self) -> bool:
        """Whether this node carries out the lobby's commands: it knows all matches that go on."""
        return self._owner.is_deciding

    def draw_id(self, player: str) -> str:
        """Return a new id, which as that of a match puts it on a node of a player, as far as that is known here."""
        return self._owner.draw_id(player)

    @property
    def placement(self) -> MatchPlacement:
        """Opens matches on any node, and takes the places of rematches."""
        return self._owner.placement

    # Life

    async def recover(self) -> None:
        """Own the lobby, where it is this node's, or have the owner's. The matches of this node are indexed.

        Return after a while also without it, so that a cluster whose lobby is lost serves its matches. Raises
        JournalUnavailable.
        """
        if self._nodes.owns_lobby():
            self._follower.stop()
            await self._owner.recover(self._reports.live)
        else:
            self._follower.follow()
            await self._follower.followed(GATHER_SECONDS)

    async def drained(self) -> None:
        """Return when every change so far is stored, or cannot be for too long."""
        await self._owner.drained()

    def close(self) -> None:
        """Stop every timer and task."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._owner.close()

    def _repeat_soon(self) -> None:
        if self._timer is None and not self._is_closed:
            self._timer = self._loop.call_later(REPEAT_SECONDS, self._repeat)

    def _repeat(self) -> None:
        """Ask again for what did not come, and report again what the lobby does not show."""
        self._timer = None
        if not self.is_here:
            self._follower.repeat()
        self._reports.repeat()

    # Ownership

    @property
    def is_here(self) -> bool:
        """Whether this node decides for the lobby, or is about to."""
        return self._owner.authority is not None

    def gained(self) -> None:
        """This node decides for the lobby now."""
        self._follower.stop()
        self._owner.gained()

    def lost(self) -> None:
        """Another node decides for the lobby now."""
        self._owner.lost()

    async def releasing(self) -> None:
        """The lobby is about to be handed over: return when all that was decided is stored."""
        await self.drained()

    def nodes_changed(self) -> None:
        """The living nodes or the owner of the lobby are different now."""
        if self.is_here:
            self._owner.nodes_changed()
        else:
            self._follower.follow()

    def link_restored(self, node: str) -> None:
        """Messages of a node may have been lost."""
        if self.is_here:
            self._nodes.send(node, AskVisitors())
        elif node == self._nodes.owner_of(LOBBY_SLOT):
            self._follower.follow()

    # The clients and the matches of this node

    def came(self, visitor: Visitor) -> Player:
        """A player has a new connection to this node; return the player with the visible name, as far as known."""
        player = visitor.player
        self._tell(self._presence.came(visitor))
        authority = self._owner.authority
        guest = (self.facts if authority is None else authority.lobby).guests.get(player.id)
        if guest is not None and guest.name == player.name:
            return guest.player
        name = self.facts.names.choose(
            player.id, player.name, is_operators=visitor.is_operators, is_claimed=visitor.is_claimed
        )
        return player.model_copy(update={"name": name})

    def went(self, player: str) -> None:
        """A player's last connection to this node is gone."""
        told = self._presence.went(player)
        if told is not None:
            self._tell(told)

    def exclude(self, player: str) -> None:
        """End what a player has begun in the lobby, where this node decides for it: the right to be here is over."""
        self._owner.exclude(player)

    def _tell(self, told: Visitors) -> None:
        """Tell the owner which players have come to this node, and which have gone."""
        if self.is_here:
            self._owner.take_visitors(self._nodes.here, told)
        else:
            self._nodes.send_to_lobby(told)

    def ask_seek(self, client: ClientConnection, command: AskSeek) -> None:
        """Answer with a table; a follower that does not know it yet asks the owner. Raises Refusal."""
        self._commands.ask_seek(client, command)

    async def carry_out(self, client: ClientConnection, command: LobbyCommand) -> None:
        """Carry out and answer a command, here or on the owner. Raises Refusal."""
        await self._commands.carry_out(client, command)

    def match_began(self, made: MatchMade) -> None:
        """A match of this node is stored and goes on."""
        self._reports.match_began(made)

    def match_over(self, match: str) -> None:
        """A match of this node is over, or never was."""
        self._reports.match_over(match)

    def match_released(self, match: str) -> None:
        """A rematch of this node could not be stored."""
        self._reports.released(match)

    def lost_matches(self, slots: Collection[int]) -> None:
        """The matches of these slots are another node's now, which reports them."""
        self._reports.lost(slots)

    # The other nodes

    def forwarded(self, client: RemoteClient, forward: Forward) -> None:
        """Carry out a command of another node's client, once its node has told that the player is there."""
        self._commands.forwarded(client, forward)

    def received(self, node: str, message: NodeMessage) -> None:
        """Take one message about the lobby."""
        match message:
            case Visitors():
                self._owner.take_visitors(node, message)
            case AskVisitor():
                self._nodes.send(node, self._presence.answer(message.search, message.player))
            case AskVisitors():
                self._nodes.look()
                self._follower.ask(node)
            case FollowLobby():
                self._owner.asked_to_send(node)
            case LobbyPart():
                if self._is_from_owner(node):
                    self._follower.take_part(message)
            case LobbyNews():
                if self._is_from_owner(node):
                    self._follower.take_news(message)
            case MatchBegan():
                self._owner.match_began(message.made)
            case MatchOver():
                self._owner.match_over(message.match)
            case MatchReleased():
                self._owner.match_released(message.match)
            case ReserveMatch():
                if self._owner.is_deciding:
                    self.placement.asked_to_reserve(node, message)
            case OpenMatch():
                self.placement.asked_to_open(node, message)
            case OpenedMatch() | MatchReserved():
                self.placement.answered(message)
            case _:
                log.warning("a message is not for the lobby", node=node, type=message.type)

    def _is_from_owner(self, node: str) -> bool:
        return not self.is_here and node == self._nodes.owner_of(LOBBY_SLOT)
