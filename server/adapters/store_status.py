"""What a store says of its nodes and matches, read without writing to it, whether or not a server runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlalchemy import func, select, text

from cornered.server.adapters.database import address_of, open_engine, require_store
from cornered.server.adapters.tables import MATCHES_TABLE, NODES_TABLE, NOW_MS, SLOTS_TABLE
from cornered.server.cluster.assignment import is_living
from cornered.server.cluster.slots import LOBBY_SLOT, slot_of

__all__ = ["NodeStatus", "StoreStatus", "read_status"]


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """One node as the database has it. `lag_ms` is the time since its lease was renewed, by the database's clock."""

    name: str
    address: str
    is_living: bool
    lag_ms: int
    slots: int
    live: int
    has_lobby: bool


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store: its nodes (none on SQLite), all matches, live matches, and slots that no living node owns."""

    kind: str
    nodes: tuple[NodeStatus, ...]
    matches: int
    live: int
    orphans: int


async def read_status(url: str) -> StoreStatus:
    """Read the store at `url`. Raises a ValueError where there is none, and one of STORE_ERRORS."""
    address = address_of(url)
    kind = address.get_backend_name()
    require_store(address)
    engine = open_engine(address, "full", is_for_reading=True)
    try:
        async with engine.connect() as connection:
            matches = await connection.scalar(select(func.count()).select_from(MATCHES_TABLE)) or 0
            ids = (await connection.scalars(select(MATCHES_TABLE.c.id).where(MATCHES_TABLE.c.ended.is_(None)))).all()
            if kind == "sqlite":
                return StoreStatus(kind, (), matches, len(ids), 0)
            now = await connection.scalar(text(f"SELECT {NOW_MS}"))
            rows = (await connection.execute(select(NODES_TABLE).order_by(NODES_TABLE.c.name))).all()
            slots = (await connection.execute(select(SLOTS_TABLE.c.slot, SLOTS_TABLE.c.owner))).all()
    finally:
        await engine.dispose()
    owners: dict[int, str | None] = {row.slot: row.owner for row in slots}
    shares = Counter(owners.values())
    live = Counter(owners.get(slot_of(match)) for match in ids)
    nodes = tuple(
        NodeStatus(
            name=row.name,
            address=row.address,
            is_living=is_living(row.seen_ms, now or 0),
            lag_ms=max(0, (now or 0) - row.seen_ms),
            slots=shares[row.name],
            live=live[row.name],
            has_lobby=owners.get(LOBBY_SLOT) == row.name,
        )
        for row in rows
    )
    orphans = len(owners) - sum(node.slots for node in nodes if node.is_living)
    return StoreStatus(kind, nodes, matches, len(ids), orphans)
