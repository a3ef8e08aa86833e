"""The ports of several nodes: who owns what, messages between nodes, and the lobby's durable events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cornered.server.cluster.messages import NodeMessage
from cornered.server.lobby.events import LobbyEvent

__all__ = [
    "LobbyLog",
    "Node",
    "NodeBus",
    "NodeReceiver",
    "NodeTaken",
    "NodesUnlinked",
    "Ownership",
    "OwnershipObserver",
]


@dataclass(frozen=True, slots=True)
class Node:
    """A living node. `incarnation` is a random id of its present start; `address` is where its port is reached.

    A node without a broker has an empty address, and can only be alone.
    """

    name: str
    incarnation: str
    address: str


class OwnershipObserver(Protocol):
    """Who acts on changes of ownership. Calls of one method never overlap."""

    async def releasing(self, slots: Collection[int]) -> None:
        """These slots are about to be handed over: stop deciding for them, and return when nothing is under way.

        Then comes `lost`, or `gained` for those that stay.
        """

    def lost(self, slots: Collection[int]) -> None:
        """These slots belong to another node, or to none that is known; appends for them fail from now on.

        A node that could not renew its lease loses all. If no other took them, they come back by `gained` with the same
        epochs.
        """

    def gained(self, slots: Mapping[int, int]) -> None:
        """These slots are this node's, each with the time in ms of the match clock when it last certainly had an owner.

        The time is 0 for never.
        """

    def nodes_changed(self) -> None:
        """The living nodes, or the owners of the slots of other nodes, are different now."""


class Ownership(Protocol):
    """Which node owns which slot. Every ownership has an epoch, and a write under an older one fails."""

    @property
    def here(self) -> Node:
        """This node."""

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The living nodes by name, with this one."""

    def owner_of(self, slot: int) -> str | None:
        """Return the name of the living node that owns a slot, as far as is known here; None while there is none."""

    def owns(self, slot: int) -> bool:
        """Return whether this node may decide for a slot: it owns it, is not releasing it, and its lease runs."""

    def epoch_of(self, slot: int) -> int | None:
        """Return the epoch under which this node may still append for a slot; None where it does not own it."""

    def owned(self) -> Collection[int]:
        """Return the slots of this node."""

    @property
    def lease_age(self) -> float:
        """Seconds since the lease of this node was renewed last, by this machine's clock; 0 without a lease."""

    def look(self) -> None:
        """Look for changes now: a message said that there are some, or an append met a newer epoch."""

    async def time(self) -> int:
        """Return the time in ms of the match clock, which all nodes share and which never goes back.

        Raises JournalUnavailable.
        """

    async def join(self, observer: OwnershipObserver, address: str = "") -> None:
        """Become a living node that is reached at `address`; return when every slot has a living owner.

        `keep` must follow at once. Raises JournalUnavailable, NodeTaken and NodesUnlinked.
        """

    async def keep(self) -> None:
        """Renew the lease, take over from the dead and share with the living, until cancelled.

        Raises NodeTaken and NodesUnlinked.
        """

    async def leave(self) -> None:
        """Hand over every slot and be no living node any more. Call it when `keep` has ended."""


class NodeTaken(Exception):
    """Another process is the node of this name; it renewed its lease last at `seen_ms`."""

    def __init__(self, node: str, seen_ms: int) -> None:
        super().__init__(f"another process is the node {node}")
        self.node = node
        self.seen_ms = seen_ms


class NodesUnlinked(Exception):
    """Another node, `node`, uses the same store, and this one or the other has no broker to hear of each other."""

    def __init__(self, node: str, seen_ms: int) -> None:
        super().__init__(f"the node {node} uses the same store, and not both have a broker")
        self.node = node
        self.seen_ms = seen_ms


class NodeReceiver(Protocol):
    """Who gets the messages of other nodes."""

    def received(self, node: str, message: NodeMessage) -> None:
        """Take one message of a living node, in the order of its sending."""

    def link_lost(self, node: str) -> None:
        """Nothing has come from a node for a while: what is sent to it may be lost."""

    def link_restored(self, node: str) -> None:
        """A node is heard for the first time, or again, or messages of it were lost: ask it again for everything."""


class NodeBus(Protocol):
    """Messages between nodes, in order and at most once. It carries no truth."""

    def send(self, node: str, message: NodeMessage) -> None:
        """Queue a message, without waiting; the oldest ones are dropped where the queue is full."""

    def is_linked(self, node: str) -> bool:
        """Return whether messages of this node have come lately."""

    def silence(self, node: str) -> float:
        """Return the seconds since anything came from this node; 0 where nothing has come yet."""

    async def run(self, receiver: NodeReceiver) -> None:
        """Deliver until cancelled; reconnects by itself, and raises nothing while the broker is unreachable."""


class LobbyLog(Protocol):
    """The durable part of the lobby's events, in order. Under several nodes only the owner of the lobby writes."""

    async def read(self) -> tuple[int, Sequence[LobbyEvent]]:
        """Return the number of the newest event, and the events since the newest checkpoint with it.

        Raises JournalUnavailable.
        """

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        """Store events after the one numbered `expected_seq`; durable when it returns.

        The events of a checkpoint make the whole state, which may be empty, and all older ones are deleted with it.
        Raises StaleSequence when none is stored, NotOwner, and JournalUnavailable when none or all are.
        """
