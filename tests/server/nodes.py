"""Several nodes in one event loop: a table of slots, a fenced journal, and nodes whose clients keep what they get."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.frames import CloseCode

from cornered.protocol.codec import JSON
from cornered.protocol.events import MatchEvent
from cornered.protocol.values import Player
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.nodes_local import LocalNetwork, LocalNodeBus
from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import Node, OwnershipObserver
from cornered.server.cluster.slots import ALL_SLOTS, slot_of
from cornered.server.match.match import Patience
from cornered.server.metrics import Counts
from cornered.server.ports import NotOwner
from cornered.server.runtime.analysis_exchange import AnalysisExchange
from cornered.server.runtime.analysis_service import AnalysisService
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.limits import Limits, PlayerLimits
from cornered.server.runtime.match_registry import MatchRegistry, new_id
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.match_summaries import MatchSummaries
from cornered.server.runtime.node_router import NodeRouter
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.organiser_orders import OrganiserOrders
from cornered.server.runtime.shared_limits import SharedLimits
from cornered.server.runtime.task_group import TaskGroup
from cornered.server.settings import Settings
from cornered.server.tracing import NO_TRACER, Tracer
from tests.server.runtime.observer import Recorder

__all__ = ["FencedJournal", "Line", "LocalNode", "QuietLobby", "SlotTable", "TableOwnership"]

SECRET = b"s" * 32


@dataclass
class SlotTable:
    """The truth about ownership, as the database has it."""

    owners: dict[int, tuple[str, int]] = field(default_factory=dict)
    members: dict[str, TableOwnership] = field(default_factory=dict)

    def epoch(self, slot: int) -> int:
        return self.owners.get(slot, ("", 0))[1]

    def assign(self, slots: Collection[int], node: str) -> None:
        """Give slots to a node in the table alone: no node learns of it."""
        for slot in slots:
            self.owners[slot] = (node, self.epoch(slot) + 1)


class TableOwnership:
    """Implements `Ownership` for one node. The test moves slots by `take`, `give` and `die`."""

    def __init__(self, table: SlotTable, name: str) -> None:
        self.here = Node(name, f"{name}-1", "")
        self._table = table
        # What this node believes.
        self.known: dict[int, tuple[str, int]] = dict(table.owners)
        self.is_paused = False
        self.observer: OwnershipObserver | None = None
        self.looks = 0

    @property
    def nodes(self) -> Mapping[str, Node]:
        return {name: member.here for name, member in self._table.members.items()}

    def owner_of(self, slot: int) -> str | None:
        owner = self.known.get(slot, ("", 0))[0]
        return owner if owner in self._table.members else None

    def owns(self, slot: int) -> bool:
        return self.known.get(slot, ("", 0))[0] == self.here.name

    def owned(self) -> Collection[int]:
        return [slot for slot in ALL_SLOTS if self.owns(slot)]

    def epoch_of(self, slot: int) -> int | None:
        owner, epoch = self.known.get(slot, ("", 0))
        return epoch if owner == self.here.name else None

    @property
    def lease_age(self) -> float:
        return 0.0

    def look(self) -> None:
        self.looks += 1

    async def time(self) -> int:
        return 0

    async def join(self, observer: OwnershipObserver, address: str = "") -> None:
        self.observer = observer
        self._table.members[self.here.name] = self

    async def keep(self) -> None:
        await asyncio.Event().wait()

    async def leave(self) -> None:
        del self._table.members[self.here.name]

    # What the test does

    def learn(self, alive_at: int = 0) -> None:
        """Read the table, and report what changed."""
        assert self.observer is not None
        before, self.known = self.known, dict(self._table.owners)
        name = self.here.name
        lost = [slot for slot, (owner, _) in before.items() if owner == name and not self.owns(slot)]
        gained = {
            slot: alive_at
            for slot, (owner, epoch) in self.known.items()
            if owner == name and before.get(slot) != (owner, epoch)
        }
        if lost:
            self.observer.lost(lost)
        if gained:
            self.observer.gained(gained)
        self.observer.nodes_changed()

    def learn_all(self, alive_at: int = 0) -> None:
        """Have every living node that is not paused read the table."""
        for member in tuple(self._table.members.values()):
            if not member.is_paused:
                member.learn(alive_at)

    def take(self, slots: Collection[int], alive_at: int = 0) -> None:
        """Take slots over."""
        self._table.assign(slots, self.here.name)
        self.learn_all(alive_at)

    async def give(self, slots: Collection[int], to: str) -> None:
        """Hand slots over as planned."""
        assert self.observer is not None
        await self.observer.releasing(slots)
        self._table.assign(slots, to)
        self.learn_all()

    def die(self) -> None:
        """Leave the table as an expired lease does."""
        del self._table.members[self.here.name]


class FencedJournal(MemoryJournal):
    """One node's way to the store of all nodes: an append under an old epoch fails."""

    def __init__(self, store: MemoryJournal, table: SlotTable, ownership: TableOwnership) -> None:
        super().__init__()
        self._logs = store._logs
        self._table = table
        self._ownership = ownership
        self.is_away = False

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        await asyncio.sleep(0)
        slot = slot_of(match)
        if self._table.owners.get(slot) != (self._ownership.here.name, self._ownership.epoch_of(slot)):
            raise NotOwner(f"slot {slot}")
        await super().append(match, expected_seq, events)


class Line:
    """The part of a connection that a client connection uses; keeps what is written."""

    def __init__(self, name: str) -> None:
        self.is_behind = False
        self.latency = 0.0
        self.key = "10.0.0.1"
        self.id = name
        self.written: list[dict[str, Any]] = []

    def write(self, framed: bytes) -> None:
        while framed:
            size, start = framed[1], 2
            if size == 126:
                size, start = int.from_bytes(framed[2:4], "big"), 4
            elif size == 127:
                size, start = int.from_bytes(framed[2:10], "big"), 10
            self.written.append(json.loads(framed[start : start + size]))
            framed = framed[start + size :]

    def owe(self, cost: float) -> None: ...

    def fail(self, code: CloseCode, reason: str) -> None: ...

    def of(self, *types: str) -> list[dict[str, Any]]:
        """Return the messages of these types."""
        return [message for message in self.written if message["type"] in types]

    def seqs(self) -> list[int]:
        """Return the numbers of all events in order of their arrival."""
        return [event["seq"] for message in self.of("happened") for event in message["events"]]


class QuietLobby(Recorder):
    """Implements `LobbyExchange` and `RegistryObserver` without a lobby."""

    is_here = False

    def received(self, node: str, message: NodeMessage) -> None: ...

    def forwarded(self, client: object, forward: object) -> None: ...

    async def releasing(self) -> None: ...

    def lost(self) -> None: ...

    def lost_matches(self, slots: Collection[int]) -> None: ...

    def gained(self) -> None: ...

    def nodes_changed(self) -> None: ...

    def link_restored(self, node: str) -> None: ...


class LocalNode:
    """One node: its ownership, bus and matches, with clients."""

    ownership_kind: type[TableOwnership] = TableOwnership
    journal_kind: type[FencedJournal] = FencedJournal

    def __init__(
        self,
        name: str,
        table: SlotTable,
        network: LocalNetwork,
        store: MemoryJournal,
        tasks: TaskGroup,
        now: Callable[[], int],
        tracer: Tracer = NO_TRACER,
    ) -> None:
        self.name = name
        self.ownership = self.ownership_kind(table, name)
        self.journal = self.journal_kind(store, table, self.ownership)
        self.bus = LocalNodeBus(network, self.ownership.here, lambda: self.ownership.nodes, SECRET)
        self.nodes = Nodes(self.ownership, self.bus)
        self.counts = Counts()
        services = Services(self.journal, LocalBus(node=name), self.counts, now, nodes=self.nodes, tracer=tracer)
        self.lobby = QuietLobby()
        self.registry = MatchRegistry(services, SECRET, Patience(), tasks, self.lobby)
        self._tasks = tasks
        self.limits = Limits(Settings())
        self.shared_limits = SharedLimits(self.limits, self.nodes)
        summaries = MatchSummaries(self.nodes, self.registry)
        analyses = AnalysisExchange(
            AnalysisService(self.counts, now, new_id), self.nodes, self.registry.forwarder, services.readiness
        )
        self.organiser_orders = OrganiserOrders(self.registry, self.nodes, tasks.spawn)
        self.router = NodeRouter(
            self.nodes,
            self.registry,
            self.lobby,
            summaries,
            analyses,
            self.shared_limits,
            self.organiser_orders,
            tasks.spawn,
        )
        self._running: list[asyncio.Task[None]] = []
        self._numbers = itertools.count(1)

    async def start(self) -> None:
        await self.ownership.join(self.router)
        await self.registry.recover()
        self._running = [
            self._tasks.create_task(self.bus.run(self.router), name=f"bus[{self.name}]"),
            self._tasks.create_task(self.shared_limits.run(), name=f"limits[{self.name}]"),
        ]

    async def stop(self) -> None:
        for running in self._running:
            running.cancel()
        await self.registry.close()

    def client(self, player: str) -> tuple[ClientConnection, Line]:
        """Return a new socket of a player on this node, and what is written to it."""
        line = Line(f"{self.name}-{player}-{next(self._numbers)}")
        limits = PlayerLimits(Settings(), 0.0)
        one = Player(id=player, name=player, kind="person")
        return ClientConnection(line, JSON, one, limits, self.counts), line
