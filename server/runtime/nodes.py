"""This node among the others: which node owns a match, and messages to it. Alone, a node owns everything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import NodeBus, Ownership
from cornered.server.cluster.slots import ALL_SLOTS, LOBBY_SLOT, slot_of

__all__ = ["Nodes"]


class Nodes:
    """The ownership and the bus of one node."""

    def __init__(self, ownership: Ownership | None = None, bus: NodeBus | None = None) -> None:
        """Without arguments this is the only node."""
        self.ownership = ownership
        self.bus = bus
        # Slots that are being handed over: nothing new is decided for them.
        self._leaving: set[int] = set()
        # Takes the messages that this node sends to itself, as it does while slots change hands.
        self.deliver_here: Callable[[str, NodeMessage], None] | None = None

    @property
    def here(self) -> str:
        """The name of this node; empty for the only one."""
        return "" if self.ownership is None else self.ownership.here.name

    @property
    def slots(self) -> int:
        """How many slots this node owns."""
        return len(ALL_SLOTS) if self.ownership is None else len(self.ownership.owned())

    @property
    def links(self) -> int:
        """How many other living nodes are heard."""
        return 0 if self.bus is None else sum(map(self.bus.is_linked, self.others()))

    @property
    def lease_age(self) -> float:
        """Seconds since the lease of this node was renewed; 0 without a lease."""
        return 0.0 if self.ownership is None else self.ownership.lease_age

    def others(self) -> frozenset[str]:
        """Return the names of the other living nodes."""
        return frozenset() if self.ownership is None else frozenset(self.ownership.nodes) - {self.here}

    def incarnations(self) -> dict[str, str]:
        """Return the incarnations of the living nodes by name."""
        return {} if self.ownership is None else {name: node.incarnation for name, node in self.ownership.nodes.items()}

    def owns(self, slot: int) -> bool:
        """Return whether this node decides for a slot."""
        return self.ownership is None or (slot not in self._leaving and self.ownership.owns(slot))

    def owns_match(self, match: str) -> bool:
        """Return whether this node decides a match."""
        return self.ownership is None or self.owns(slot_of(match))

    def owns_lobby(self) -> bool:
        """Return whether this node decides the lobby."""
        return self.owns(LOBBY_SLOT)

    def owner_of(self, slot: int) -> str | None:
        """Return the node that decides for a slot; None while there is none that is known."""
        if self.ownership is None:
            return ""
        owner = self.ownership.owner_of(slot)
        return None if owner == self.here and not self.owns(slot) else owner

    def begin_handover(self, slots: Collection[int]) -> None:
        """Decide nothing new for these slots until `end_handover`."""
        self._leaving.update(slots)

    def end_handover(self, slots: Collection[int]) -> None:
        """These slots have changed their owner, or stay after all."""
        self._leaving.difference_update(slots)

    def send(self, node: str, message: NodeMessage) -> None:
        """Queue a message for a node, without waiting."""
        if node == self.here:
            if self.deliver_here is not None:
                asyncio.get_running_loop().call_soon(self.deliver_here, node, message)
        elif self.bus is not None:
            self.bus.send(node, message)

    def send_to_lobby(self, message: NodeMessage) -> None:
        """Send a message to the owner of the lobby, where it is another node; drop it where none is known."""
        owner = self.owner_of(LOBBY_SLOT)
        if owner is not None and owner != self.here:
            self.send(owner, message)

    def silence_ms(self, node: str) -> int:
        """Return the milliseconds since anything came from another node."""
        return 0 if self.bus is None else round(self.bus.silence(node) * 1000)

    def look(self) -> None:
        """Look for changes of ownership now."""
        if self.ownership is not None:
            self.ownership.look()
