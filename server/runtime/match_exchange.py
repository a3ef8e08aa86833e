"""What other nodes say about matches: commands and subscriptions for the owner, and what it publishes for mirrors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias, assert_never

from cornered.protocol.commands import MatchCommand, Say
from cornered.server.cluster.messages import (
    MatchNews,
    NotOwned,
    RoomNotice,
    RoomState,
    Subscribe,
    TaskOpened,
    Unsubscribe,
)
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_mirror import MatchMirror
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.remote_client import RemoteClient
from cornered.server.runtime.task_group import Spawn

__all__ = ["MAX_LOADING", "MatchExchange", "MatchMessage"]

MatchMessage: TypeAlias = Subscribe | Unsubscribe | MatchNews | RoomState | RoomNotice | NotOwned | TaskOpened
MAX_LOADING = 4_096
"""Messages that may wait at once for matches that are not loaded; more are dropped, and come again."""


class MatchExchange:
    """The matches of one node, as the other nodes use them."""

    def __init__(
        self,
        registry: MatchRegistry,
        nodes: Nodes,
        spawn: Spawn,
    ) -> None:
        """`spawn` runs a coroutine as a named task that ends with the server."""
        self._registry = registry
        self._nodes = nodes
        self._spawn = spawn
        self._loading = 0

    def received(self, node: str, message: MatchMessage) -> None:
        """Take one message of another node."""
        match message:
            case Subscribe():
                self._with_task(node, message.match, lambda match_task: match_task.subscribe(node, message))
            case Unsubscribe():
                match_task = self._registry.owned(message.match)
                if match_task is not None:
                    match_task.unsubscribe(node)
            case MatchNews() | RoomState() | RoomNotice():
                mirror = self._registry.get(message.match)
                if isinstance(mirror, MatchMirror):
                    mirror.take(message)
                elif mirror is None:
                    # Its end was told in vain: that message was lost, or came before the match was loaded there.
                    self._nodes.send(node, Unsubscribe(match=message.match))
            case TaskOpened():
                mirror = self._registry.get(message.match)
                if isinstance(mirror, MatchMirror):
                    mirror.subscribe()
            case NotOwned():
                self._nodes.look()
            case _:
                assert_never(message)

    def forwarded(self, client: RemoteClient, command: MatchCommand | Say, trace: str) -> None:
        """Carry out a command of another node's client, where this node owns the match. `trace` is its context."""

        def refuse(refusal: Refusal) -> None:
            client.refuse(command.id, refusal.code, refusal.text, retry_after=refusal.retry_after)

        def carry_out(match_task: MatchTask) -> None:
            try:
                if isinstance(command, Say):
                    match_task.say_for(client, command)
                else:
                    match_task.submit_for(client, command, asyncio.get_running_loop().time(), trace, is_remote=True)
            except Refusal as refusal:
                refuse(refusal)

        self._with_task(client.node, command.match, carry_out, refuse)

    def _with_task(
        self,
        node: str,
        match_id: str,
        act: Callable[[MatchTask], None],
        refuse: Callable[[Refusal], None] = lambda _: None,
    ) -> None:
        """Call `act` with the match task of a match, now or when it is loaded."""
        match_task = self._registry.owned(match_id)
        if match_task is not None:
            act(match_task)
        elif self._loading < MAX_LOADING:
            self._loading += 1
            self._spawn(self._load(node, match_id, act, refuse), f"exchange[{match_id}]")

    async def _load(
        self, node: str, match_id: str, act: Callable[[MatchTask], None], refuse: Callable[[Refusal], None]
    ) -> None:
        try:
            match_task = await self._registry.find_owned(match_id)
            if match_task is None:
                self._nodes.send(node, NotOwned(match=match_id))
            else:
                act(match_task)
                match_task.check_emptiness()
        except Refusal as refusal:
            refuse(refusal)
        finally:
            self._loading -= 1
