"""Which node should own which slot. Pure: every node computes all moves, and carries out its own part of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["LEASE_MS", "Part", "expires_in", "is_living", "moves", "part_of"]

LEASE_MS: Final = 3_000
"""Milliseconds for which a renewal makes a node a living one, by the store's clock."""


def expires_in(seen_ms: int, now: int) -> int:
    """Return the milliseconds until a lease that was renewed at `seen_ms` expires; not positive afterwards."""
    return seen_ms + LEASE_MS - now


def is_living(seen_ms: int, now: int) -> bool:
    """Return whether a lease that was renewed at `seen_ms` runs at `now`."""
    return expires_in(seen_ms, now) > 0


def moves(owners: Mapping[int, str | None], nodes: Collection[str]) -> dict[int, str]:
    """Return the slots that get another owner so that the shares of `nodes` differ by at most one, with that owner.

    The fewest slots move: all that no node of `nodes` owns, and of a node with too many the lowest. The moves that are
    left when some were carried out are the rest of these. Without nodes there are none.
    """
    if not nodes:
        return {}
    held: dict[str, list[int]] = {name: [] for name in nodes}
    free: list[int] = []
    for slot in sorted(owners):
        held.get(owners[slot] or "", free).append(slot)
    share, larger = divmod(len(owners), len(held))
    # Nodes that have more than the smaller share get the larger ones, which leaves the fewest slots to move.
    ranked = sorted(held, key=lambda name: (len(held[name]) <= share, name))
    quotas = {name: share + (rank < larger) for rank, name in enumerate(ranked)}
    for name in ranked:
        free += held[name][: max(0, len(held[name]) - quotas[name])]
    takers = (name for name in sorted(held) for _ in range(quotas[name] - len(held[name])))
    return dict(zip(free, takers, strict=True))


@dataclass(frozen=True, slots=True)
class Part:
    """What one node does for the balance: it takes slots that no living node owns, and hands over its own."""

    takes: frozenset[int]
    hands: dict[int, str]


def part_of(here: str, owners: Mapping[int, str | None], nodes: Collection[str]) -> Part:
    """Return the part of the node `here` in the moves."""
    found = moves(owners, nodes)
    takes = frozenset(slot for slot, target in found.items() if target == here and owners[slot] not in nodes)
    return Part(takes, {slot: target for slot, target in found.items() if owners[slot] == here})
