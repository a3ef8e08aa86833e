"""Nodes in one event loop that share one lobby, with clients that keep what they get."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

from cornered.protocol.codec import JSON
from cornered.protocol.commands import Command, LobbyCommand
from cornered.protocol.messages import Welcome
from cornered.protocol.values import Player, PlayerKind
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.adapters.nodes_local import LocalNetwork, LocalNodeBus
from cornered.server.adapters.social_memory import MemorySocialStore
from cornered.server.adapters.streams_memory import MemoryStreams
from cornered.server.cluster.slots import ALL_SLOTS, LOBBY_SLOT
from cornered.server.lobby.events import LobbyEvent
from cornered.server.match.match import Patience
from cornered.server.metrics import Counts
from cornered.server.ports import JournalUnavailable, NotOwner
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.limits import Limits, PlayerLimits
from cornered.server.runtime.lobby_service import LobbyService
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.moderation_service import ModerationService
from cornered.server.runtime.node_router import NodeRouter
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.organiser_orders import OrganiserOrders
from cornered.server.runtime.rights import Rights
from cornered.server.runtime.shared_limits import SharedLimits
from cornered.server.runtime.task_group import TaskGroup
from cornered.server.runtime.tournament_service import TournamentService
from cornered.server.settings import Settings
from tests.server.conftest import ANALYST_KEY
from tests.server.nodes import FencedJournal, Line, SlotTable, TableOwnership
from tests.virtual_time import after

__all__ = ["Client", "Cluster", "FencedLog", "Node", "cluster"]

SECRET = b"s" * 32
SOON = 0.4
"""Seconds in which messages between nodes arrive."""


class FencedLog:
    """One node's way to the lobby's log of all nodes: an append under an old epoch fails."""

    def __init__(self, store: MemoryLobbyLog, table: SlotTable, ownership: TableOwnership) -> None:
        self._store = store
        self._table = table
        self._ownership = ownership
        self.is_away = False

    async def read(self) -> tuple[int, Sequence[LobbyEvent]]:
        await asyncio.sleep(0)
        if self.is_away:
            raise JournalUnavailable("the store is away")
        return await self._store.read()

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        await asyncio.sleep(0)
        if self.is_away:
            raise JournalUnavailable("the store is away")
        if self._table.owners[LOBBY_SLOT] != (self._ownership.here.name, self._ownership.epoch_of(LOBBY_SLOT)):
            raise NotOwner("the lobby")
        await self._store.append(expected_seq, events, is_checkpoint=is_checkpoint)


class Client:
    """One socket of a player on a node."""

    def __init__(self, node: Node, player: Player, line: Line, client: ClientConnection) -> None:
        self.node, self.player, self.line, self.connection = node, player, line, client

    async def tell(self, command: Command) -> None:
        """Send a command without waiting for its answer."""
        assert isinstance(command, LobbyCommand)
        try:
            await self.node.service.in_lobby(self.connection, command)
        except Refusal as refusal:
            self.connection.refuse(command.id, refusal.code, refusal.text)

    def answer_to(self, command_id: str) -> dict[str, Any] | None:
        return next((one for one in self.line.of("acknowledged", "refused") if one["id"] == command_id), None)

    async def ask(self, kind: type[Any], seconds: float = SOON, **fields: Any) -> Any:
        """Send a command; return the `ref` of its acknowledgement, or the code of its refusal."""
        command = kind(id=fields.pop("id", f"c{next(self.node.cluster.numbers)}"), **fields)
        await self.tell(command)
        await after(seconds)
        answer = self.answer_to(command.id)
        assert answer is not None, f"{command} is not answered"
        return answer["ref"] if answer["type"] == "acknowledged" else answer["code"]

    def leave(self) -> None:
        self.node.service.leave(self.connection)


class Node:
    """One node with its lobby service."""

    def __init__(self, name: str, cluster: Cluster) -> None:
        self.name = name
        self.cluster = cluster
        self.ownership = TableOwnership(cluster.table, name)
        self.journal = FencedJournal(cluster.store, cluster.table, self.ownership)
        self.log = FencedLog(cluster.log, cluster.table, self.ownership)
        self.bus = LocalNodeBus(cluster.network, self.ownership.here, lambda: self.ownership.nodes, SECRET)
        self.nodes = Nodes(self.ownership, self.bus)
        self.counts = Counts()
        rights = Rights(cluster.accounts.departed)
        services = Services(
            self.journal, LocalBus(node=name), self.counts, cluster.now, nodes=self.nodes, rights=rights
        )
        self.service = LobbyService(
            services,
            cluster.accounts,
            partial(MatchRegistry, services, SECRET, Patience(), cluster.tasks),
            lambda doors: ModerationService(
                cluster.moderation_log, MemoryAccounts(), doors, SECRET, now=cluster.now, rights=rights
            ),
            lambda view, peers_of: TournamentService(
                cluster.streams, services, MemoryAccounts(), view, peers_of=peers_of
            ),
            self.log,
            cluster.social,
            cluster.tasks,
            analyst_key=ANALYST_KEY,
        )
        self.lobby = self.service.replication
        self.registry = self.service.matches

        self.router = NodeRouter(
            self.nodes,
            self.registry,
            self.lobby,
            self.service.summaries,
            self.service.analyses,
            SharedLimits(Limits(Settings()), self.nodes),
            OrganiserOrders(self.registry, self.nodes, cluster.tasks.spawn),
            cluster.tasks.spawn,
            players=self.service.players_elsewhere,
        )
        self._running: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        await self.ownership.join(self.router)
        await self.registry.recover()
        await self.service.tournaments.begin()
        self._running = [
            self.cluster.tasks.create_task(self.bus.run(self.router), name=f"bus[{self.name}]"),
            self.cluster.tasks.create_task(self.service.tournaments.run(), name=f"tournaments[{self.name}]"),
        ]

    def kill(self) -> None:
        """Stop sending and receiving, as a killed process does; the others do not know yet."""
        for task in self._running:
            task.cancel()
        self.service.close()
        for name in self.cluster.nodes:
            if name != self.name:
                self.cluster.network.cut_both(name, self.name)

    async def stop(self) -> None:
        for task in self._running:
            task.cancel()
        await self.registry.close()
        self.service.close()

    async def come(
        self, name: str, kind: PlayerKind = "person", shown: str = "", instance: str | None = None
    ) -> Client:
        player = Player(id=name, name=shown or name.title(), kind=kind)
        line = Line(f"{self.name}-{name}-{next(self.cluster.numbers)}")
        line.key = f"address of {name}"
        limits = PlayerLimits(Settings(), 0.0)
        client = ClientConnection(line, JSON, player, limits, self.counts, instance)
        self.service.enter(client, Welcome(player=player, token=None, server="1", now=0, matches=()))
        await after(SOON)
        return Client(self, player, line, client)


class Cluster:
    """Nodes over one store."""

    def __init__(self, tasks: TaskGroup) -> None:
        self.tasks = tasks
        self.table, self.network = SlotTable(), LocalNetwork()
        self.store, self.log = MemoryJournal(), MemoryLobbyLog()
        self.moderation_log = MemoryModerationLog()
        self.streams = MemoryStreams()
        self.accounts = MemoryAccounts()
        self.social = MemorySocialStore(self.accounts)
        self.nodes: dict[str, Node] = {}
        self.numbers = itertools.count(1)

    def now(self) -> int:
        return 1_000_000 + int(asyncio.get_running_loop().time() * 1000)

    def __getitem__(self, name: str) -> Node:
        return self.nodes[name]

    async def add(self, name: str) -> Node:
        node = self.nodes[name] = Node(name, self)
        node.ownership.known = {}
        await node.start()
        for each in self.nodes.values():
            each.ownership.learn()
        await after(1.0)
        return node

    async def die(self, name: str, heir: str) -> None:
        """Kill a node, and have another one take everything that it owned."""
        self.nodes[name].kill()
        node = self.nodes.pop(name)
        slots = [slot for slot, (owner, _) in self.table.owners.items() if owner == name]
        node.ownership.die()
        self.nodes[heir].ownership.take(slots, alive_at=self.now())
        await after(SOON)


@contextlib.asynccontextmanager
async def cluster(*names: str, lobby: str = "") -> AsyncIterator[Cluster]:
    """Run nodes of which the first owns every match, and `lobby`, or the first one, the lobby."""
    async with TaskGroup() as tasks:
        made = Cluster(tasks)
        made.table.assign(ALL_SLOTS, names[0])
        made.table.assign([LOBBY_SLOT], lobby or names[0])
        for name in names:
            await made.add(name)
        await after(3.0)
        yield made
        for node in made.nodes.values():
            await node.stop()
