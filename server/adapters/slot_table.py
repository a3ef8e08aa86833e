"""The tables `nodes` and `slots` in PostgreSQL: a node's lease, and changes of owners as transactions.

Changes take turns by an advisory lock and are decided on what is stored then. A process that is stopped amid its
transaction is thrown out by the database after TURN_SECONDS, so that it keeps no other node waiting.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
from sqlalchemy.engine import URL

from cornered.server.adapters.postgres import connect
from cornered.server.adapters.tables import NOW_MS
from cornered.server.cluster.assignment import LEASE_MS, is_living, moves, part_of
from cornered.server.cluster.ports import Node, NodesUnlinked, NodeTaken

__all__ = ["Change", "Lease", "NodeRow", "SlotRow", "changing"]

ANSWER_SECONDS: Final = 1.0
"""A database that does not answer for so long is tried again on another connection."""
TURN_SECONDS: Final = 1.0
"""How long a change may wait for its turn, and a process may pause amid one."""
CHANNEL: Final = "cornered_slots"
"""The channel of LISTEN and NOTIFY that tells the other nodes of a change."""
_LOCK: Final = 0x_C0_12_5E_1F

_SELF: Final = """
SELECT pid, (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_activity WHERE pid = pg_backend_pid()
"""
_IS_CONNECTED: Final = """
SELECT EXISTS (
    SELECT FROM pg_stat_activity WHERE pid = $1 AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2
)
"""
_RENEW: Final = f"""
UPDATE nodes SET seen_ms = {NOW_MS}, backend_pid = $3, backend_start = $4, clock_ms = $5
WHERE name = $1 AND incarnation = $2 AND seen_ms > {NOW_MS} - {LEASE_MS} RETURNING seen_ms
"""
_ENTER: Final = f"""
INSERT INTO nodes (name, incarnation, address, seen_ms, backend_pid, backend_start, clock_ms)
VALUES ($1, $2, $3, {NOW_MS}, $4, $5, $6)
ON CONFLICT (name) DO UPDATE SET incarnation = excluded.incarnation, address = excluded.address,
    seen_ms = excluded.seen_ms, backend_pid = excluded.backend_pid, backend_start = excluded.backend_start,
    clock_ms = excluded.clock_ms
"""
_NODES: Final = "SELECT name, incarnation, address, seen_ms, clock_ms, backend_pid, backend_start FROM nodes"
_SLOTS: Final = "SELECT slot, owner, epoch, alive_ms, version FROM slots WHERE version > $1"
_LOCK_SLOTS: Final = "SELECT FROM slots WHERE slot = ANY($1::int[]) ORDER BY slot FOR UPDATE"
"""In the order in which appends lock them, so that neither waits for the other in a circle."""
_CHANGE: Final = """
UPDATE slots SET owner = c.owner, epoch = slots.epoch + 1, alive_ms = c.alive_ms, version = $4
FROM unnest($1::int[], $2::text[], $3::bigint[]) AS c (slot, owner, alive_ms) WHERE slots.slot = c.slot
"""
_TIME: Final = f"""
WITH here AS MATERIALIZED (SELECT {NOW_MS} AS now)
SELECT greatest(
    coalesce(
        (
            SELECT max(clock_ms + least(greatest(here.now - seen_ms, 0), {LEASE_MS})) FROM nodes
            WHERE seen_ms > here.now - {LEASE_MS}
        ),
        here.now
    ),
    (SELECT max(clock_ms) FROM nodes),
    (SELECT max(alive_ms) FROM slots)
) FROM here
"""
_FORGET: Final = (
    "DELETE FROM nodes WHERE seen_ms <= $1 AND name <> ALL (SELECT owner FROM slots WHERE owner IS NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node's lease, which was renewed at `seen_ms` by the database's clock and at `clock_ms` by that of matches.

    `backend` is the database's process of its connection, and the start of that.
    """

    node: Node
    seen_ms: int
    clock_ms: int
    backend: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SlotRow:
    """Who owns a slot."""

    owner: str | None
    epoch: int
    alive_ms: int


class Lease:
    """The connection on which a node renews its lease, and hears of changes."""

    def __init__(self, connection: asyncpg.Connection, backend: tuple[int, int]) -> None:
        self._connection = connection
        self._using = asyncio.Lock()
        self.backend = backend
        # The newest change of `slots` that was read on this connection.
        self._version = -1

    @classmethod
    async def open(cls, address: URL, changed: Callable[[], None]) -> Lease:
        """Connect; `changed` is called at every change by any node, and when the connection is lost."""
        # Renewals need not be on the disk: a database that crashed takes longer to come back than a lease runs. Where a
        # whole machine died, the database's side of its connection must end by itself.
        settings = {
            "synchronous_commit": "off",
            "tcp_keepalives_idle": "10",
            "tcp_keepalives_interval": "5",
            "tcp_keepalives_count": "3",
        }
        connection = await connect(address, settings, command_timeout=ANSWER_SECONDS)
        try:
            pid, start = await connection.fetchrow(_SELF)
            await connection.add_listener(CHANNEL, lambda *_: changed())
            connection.add_termination_listener(lambda _: changed())
        except BaseException:
            connection.terminate()
            raise
        return cls(connection, (pid, start))

    @property
    def is_closed(self) -> bool:
        closed: bool = self._connection.is_closed()
        return closed

    async def renew(self, here: Node, at: int) -> int | None:
        """Renew the lease at a time of the match clock, and return the database's time of that.

        None where it had expired, or is not this incarnation's.
        """
        async with self._using:
            seen: int | None = await self._connection.fetchval(_RENEW, here.name, here.incarnation, *self.backend, at)
        return seen

    async def changes(self) -> tuple[dict[str, NodeRow], dict[int, SlotRow]]:
        """Return all nodes, and the slots that changed since the last call."""
        async with self._using:
            nodes = await _nodes(self._connection)
            slots, self._version = await _slots(self._connection, self._version)
        return nodes, slots

    async def time(self) -> int:
        """Return the time in ms of the match clock: that of the living nodes, of which a new one starts with the
        database's time, and which never goes back."""
        async with self._using:
            now: int = await self._connection.fetchval(_TIME)
        return now

    def drop(self) -> None:
        """Close the connection without waiting for its peer."""
        if not self._connection.is_closed():
            self._connection.terminate()


@contextlib.asynccontextmanager
async def changing(address: URL, here: Node) -> AsyncIterator[Change]:
    """Begin a transaction that may change owners; other nodes hear of it at its end."""
    milliseconds = str(int(TURN_SECONDS * 1000))
    settings = {
        "synchronous_commit": "on",
        "lock_timeout": milliseconds,
        "idle_in_transaction_session_timeout": milliseconds,
    }
    connection = await connect(address, settings, command_timeout=2 * TURN_SECONDS)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            nodes = await _nodes(connection)
            slots, version = await _slots(connection, -1)
            yield Change(connection, here, nodes, slots, version, await _time(connection))
            await connection.execute("SELECT pg_notify($1, '')", CHANNEL)
    finally:
        connection.terminate()


class Change:
    """One transaction over all nodes and slots as they are stored at its beginning, `now`."""

    def __init__(
        self,
        connection: asyncpg.Connection,
        here: Node,
        nodes: Mapping[str, NodeRow],
        slots: Mapping[int, SlotRow],
        version: int,
        now: int,
    ) -> None:
        self._connection = connection
        self._here = here
        self._nodes = nodes
        self._slots = slots
        self._version = version
        self._now = now
        self._living = {name: row.node for name, row in nodes.items() if is_living(row.seen_ms, now)}
        self._owners = {slot: row.owner for slot, row in slots.items()}

    async def enter(self, backend: tuple[int, int], at: int) -> None:
        """Make this node a living one, at a time of the match clock.

        Its slots stay its own, with new epochs for a new incarnation. Raises NodeTaken and NodesUnlinked.
        """
        here = self._here
        row = self._nodes.get(here.name)
        is_same = row is not None and row.node.incarnation == here.incarnation
        if row is not None and not is_same and here.name in self._living and await self._is_connected(row):
            raise NodeTaken(here.name, row.seen_ms)
        for name, node in self._living.items():
            if name != here.name and not (node.address and here.address):
                raise NodesUnlinked(name, self._nodes[name].seen_ms)
        await self._connection.execute(_ENTER, here.name, here.incarnation, here.address, *backend, at)
        if not is_same:
            own = [slot for slot, owner in self._owners.items() if owner == here.name]
            await self._change(dict.fromkeys(own, here.name), None)

    async def take(self, *, from_expired: bool) -> None:
        """Take this node's share of the slots that no node has, and with `from_expired` of those of expired nodes."""
        if not self._is_here:
            return
        takes = part_of(self._here.name, self._owners, self._living).takes
        if not from_expired:
            takes = frozenset(slot for slot in takes if self._owners[slot] not in self._nodes)
        await self._change(dict.fromkeys(takes, self._here.name), None)
        await self._connection.execute(_FORGET, self._now - LEASE_MS)

    async def hand(self, released: Collection[int], at: int) -> None:
        """Give those of the slots to others that the balance moves now, at a time of the match clock."""
        if self._is_here:
            hands = part_of(self._here.name, self._owners, self._living).hands
            await self._change({slot: hands[slot] for slot in hands if slot in released}, at)

    async def leave(self, at: int) -> None:
        """Give all slots of this node to the others, or to none where it is the last, and be no node any more.

        `at` is a time of the match clock.
        """
        row = self._nodes.get(self._here.name)
        if row is None or row.node.incarnation != self._here.incarnation:
            return
        others = self._living.keys() - {self._here.name}
        targets = moves(self._owners, others)
        own = [slot for slot, owner in self._owners.items() if owner == self._here.name]
        await self._change({slot: targets.get(slot) for slot in own}, at)
        await self._connection.execute("DELETE FROM nodes WHERE name = $1", self._here.name)

    async def _is_connected(self, row: NodeRow) -> bool:
        found: bool = await self._connection.fetchval(_IS_CONNECTED, *row.backend)
        return found

    @property
    def _is_here(self) -> bool:
        return self._living.get(self._here.name) == self._here

    async def _change(self, owners: Mapping[int, str | None], alive_ms: int | None) -> None:
        """Store new owners. Without `alive_ms` each slot gets the last renewal of its owner before."""
        if not owners:
            return
        slots = sorted(owners)
        alive = [self._alive(slot) if alive_ms is None else alive_ms for slot in slots]
        await self._connection.execute(_LOCK_SLOTS, slots)
        await self._connection.execute(_CHANGE, slots, [owners[slot] for slot in slots], alive, self._version + 1)

    def _alive(self, slot: int) -> int:
        row = self._slots[slot]
        owner = self._nodes.get(row.owner or "")
        return row.alive_ms if owner is None else owner.clock_ms


async def _time(connection: asyncpg.Connection) -> int:
    now: int = await connection.fetchval(f"SELECT {NOW_MS}")
    return now


async def _nodes(connection: asyncpg.Connection) -> dict[str, NodeRow]:
    rows: list[Any] = await connection.fetch(_NODES)
    return {
        name: NodeRow(Node(name, incarnation, address), seen_ms, clock_ms, (pid, start))
        for name, incarnation, address, seen_ms, clock_ms, pid, start in rows
    }


async def _slots(connection: asyncpg.Connection, version: int) -> tuple[dict[int, SlotRow], int]:
    """Return the slots that changed after a version, and the newest version."""
    rows: list[Any] = await connection.fetch(_SLOTS, version)
    found = {slot: SlotRow(owner, epoch, alive_ms) for slot, owner, epoch, alive_ms, _ in rows}
    return found, max((row[4] for row in rows), default=version)
