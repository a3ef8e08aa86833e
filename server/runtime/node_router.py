"""What comes from other nodes and from changes of ownership, passed on to the matches and the lobby of this node."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

import structlog

from cornered.protocol.commands import AnalysisCommand, MatchCommand, Say
from cornered.server.cluster.messages import (
    AskAnalysts,
    BlocksChanged,
    ClosedSockets,
    Forward,
    MatchNews,
    NodeMessage,
    NotOwned,
    OrderAnswered,
    OrganiserOrder,
    ProgramCame,
    ProgramFound,
    RoomNotice,
    RoomState,
    Subscribe,
    Summaries,
    TaskOpened,
    ToClient,
    ToPlayer,
    Unsubscribe,
    Usage,
)
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.runtime.analysis_exchange import AnalysisExchange
from cornered.server.runtime.match_exchange import MatchExchange
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_summaries import MatchSummaries
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.organiser_orders import OrganiserOrders
from cornered.server.runtime.player_exchange import PlayerExchange
from cornered.server.runtime.remote_client import RemoteClient
from cornered.server.runtime.shared_limits import SharedLimits
from cornered.server.runtime.task_group import Spawn

__all__ = ["LobbyExchange", "NodeRouter"]

log = structlog.get_logger("nodes")


class LobbyExchange(Protocol):
    """The lobby of this node, as the other nodes use it."""

    @property
    def is_here(self) -> bool:
        """Whether this node decides for the lobby, or is about to."""

    def received(self, node: str, message: NodeMessage) -> None:
        """Take one message about the lobby or its matches."""

    def forwarded(self, client: RemoteClient, forward: Forward) -> None:
        """Carry out a command of another node's client."""

    async def releasing(self) -> None:
        """The lobby is about to be handed over: return when all that was decided is stored."""

    def lost(self) -> None:
        """Another node decides for the lobby now."""

    def lost_matches(self, slots: Collection[int]) -> None:
        """Another node decides for the matches of these slots now."""

    def gained(self) -> None:
        """This node decides for the lobby now."""

    def nodes_changed(self) -> None:
        """The living nodes or the owner of the lobby are different now."""

    def link_restored(self, node: str) -> None:
        """Messages of a node may have been lost."""


class NodeRouter:
    """Implements `NodeReceiver` and `OwnershipObserver`."""

    def __init__(
        self,
        nodes: Nodes,
        registry: MatchRegistry,
        lobby: LobbyExchange,
        summaries: MatchSummaries,
        analyses: AnalysisExchange,
        limits: SharedLimits,
        orders: OrganiserOrders,
        spawn: Spawn,
        *,
        players: PlayerExchange | None = None,
        is_lobby_open: bool = True,
    ) -> None:
        """`spawn` runs a coroutine as a named task that ends with the server.

        Without `is_lobby_open` the lobby learns of no change of ownership until `open_lobby`: it recovers first.
        """
        self._nodes = nodes
        self._registry = registry
        self._lobby = lobby
        self._summaries = summaries
        self._analyses = analyses
        self._limits = limits
        self._orders = orders
        self._players = players
        self._exchange = MatchExchange(registry, nodes, spawn)
        # The incarnations of the living nodes by name.
        self._living: dict[str, str] = {}
        self._is_lobby_open = is_lobby_open
        nodes.deliver_here = self.received

    def open_lobby(self) -> None:
        """Pass changes of ownership on to the lobby, which has recovered, beginning with those of meanwhile."""
        self._is_lobby_open = True
        owns = self._nodes.owns_lobby()
        if owns and not self._lobby.is_here:
            self._lobby.gained()
        elif self._lobby.is_here and not owns:
            self._lobby.lost()
        self._lobby.nodes_changed()

    # NodeReceiver

    def received(self, node: str, message: NodeMessage) -> None:
        try:
            self._take(node, message)
        except Exception:
            # A message that meets a defect must not cost the others.
            log.exception("a message of another node failed", node=node, type=message.type)

    def _take(self, node: str, message: NodeMessage) -> None:
        match message:
            case Forward():
                client = RemoteClient(message, node, self._nodes.send)
                if isinstance(message.command, MatchCommand | Say):
                    self._exchange.forwarded(client, message.command, message.trace)
                elif isinstance(message.command, AnalysisCommand):
                    self._analyses.forwarded(client, message)
                else:
                    self._lobby.forwarded(client, message)
            case ToClient():
                if not self._analyses.told(message):
                    self._registry.forwarder.told(message)
            case Subscribe() | Unsubscribe() | MatchNews() | RoomState() | RoomNotice() | NotOwned() | TaskOpened():
                self._exchange.received(node, message)
            case OrganiserOrder() | OrderAnswered():
                self._orders.received(node, message)
            case Summaries():
                self._summaries.received(node, message)
            case AskAnalysts() | ClosedSockets():
                self._analyses.received(node, message)
            case Usage():
                self._limits.received(node, message)
            case BlocksChanged() | ToPlayer() | ProgramCame() | ProgramFound():
                if self._players is not None:
                    self._players.received(node, message)
            case _:
                self._lobby.received(node, message)

    def link_lost(self, node: str) -> None:
        self._registry.link_lost(node)

    def link_restored(self, node: str) -> None:
        # First who is here, then the commands of those players.
        self._lobby.link_restored(node)
        self._registry.link_restored(node)
        self._summaries.link_restored(node)
        self._analyses.link_restored(node)
        self._limits.link_restored()
        if self._players is not None:
            self._players.link_restored()

    # OwnershipObserver

    async def releasing(self, slots: Collection[int]) -> None:
        self._nodes.begin_handover(slots)
        await self._registry.releasing(slots)
        if LOBBY_SLOT in slots:
            await self._lobby.releasing()

    def lost(self, slots: Collection[int]) -> None:
        self._nodes.end_handover(slots)
        self._lobby.lost_matches(slots)
        self._registry.lost(slots)
        if LOBBY_SLOT in slots:
            self._analyses.lost()
            if self._is_lobby_open:
                self._lobby.lost()

    def gained(self, slots: Mapping[int, int]) -> None:
        self._nodes.end_handover(slots)
        self._registry.gained(slots)
        if LOBBY_SLOT in slots:
            self._analyses.gained()
            if self._is_lobby_open and not self._lobby.is_here:
                self._lobby.gained()

    def nodes_changed(self) -> None:
        living = self._nodes.incarnations()
        before, self._living = self._living, living
        for node, incarnation in before.items():
            # A node that was started again at once has none of the clients that it had.
            if living.get(node) != incarnation:
                self._registry.node_died(node)
                self._limits.node_died(node)
        self._summaries.keep(living.keys())
        self._analyses.nodes_changed()
        if self._is_lobby_open:
            self._lobby.nodes_changed()
        self._registry.owners_changed()
