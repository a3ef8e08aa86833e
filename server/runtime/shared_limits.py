"""Rate limits of several nodes together: each tells the others once a second what its clients use.

A client that goes to two nodes gains at most what it takes in one such interval: what the other node gave is taken from
its buckets here too, and owed where it is not there.
"""

from __future__ import annotations

import asyncio
from typing import Final

from cornered.server.cluster.messages import Usage, Used
from cornered.server.runtime.limits import Limits
from cornered.server.runtime.nodes import Nodes

__all__ = ["SharedLimits"]

TELL_SECONDS: Final = 1.0
MAX_TOLD: Final = 2_000
"""Addresses, and players, in one message; the others follow with the next."""


class SharedLimits:
    """The limits of one node, as the other nodes see and change them."""

    def __init__(self, limits: Limits, nodes: Nodes) -> None:
        self._limits = limits
        self._nodes = nodes

    async def run(self) -> None:
        """Tell the other nodes what the clients here use, until cancelled."""
        while True:
            await asyncio.sleep(TELL_SECONDS)
            others = self._nodes.others()
            if others:
                self._tell(others)

    def _tell(self, others: frozenset[str]) -> None:
        message = Usage(
            addresses=_used(self._limits.addresses.usage(MAX_TOLD)),
            players=_used(self._limits.players.usage(MAX_TOLD)),
            accounts=_used(self._limits.accounts.usage(MAX_TOLD)),
        )
        if message.addresses or message.players or message.accounts:
            for node in others:
                self._nodes.send(node, message)

    def received(self, node: str, usage: Usage) -> None:
        """Count what the clients of another node use there."""
        now = asyncio.get_running_loop().time()
        for used in usage.addresses:
            self._limits.addresses.take_elsewhere(node, used.key, used.connections, used.tokens, now)
        for used in usage.players:
            self._limits.players.take_elsewhere(node, used.key, used.connections, used.tokens, now)
        for used in usage.accounts:
            self._limits.accounts.take_elsewhere(node, used.key, used.connections, used.tokens, now)

    def link_restored(self) -> None:
        """Tell everything again: messages to a node may have been lost."""
        self._limits.addresses.tell_again()
        self._limits.players.tell_again()
        self._limits.accounts.tell_again()

    def node_died(self, node: str) -> None:
        """A node has no connections any more."""
        self._limits.addresses.forget_node(node)
        self._limits.players.forget_node(node)
        self._limits.accounts.forget_node(node)


def _used(usage: list[tuple[str, int, tuple[float, ...]]]) -> tuple[Used, ...]:
    return tuple(Used(key=name, connections=connections, tokens=tokens) for name, connections, tokens in usage)
