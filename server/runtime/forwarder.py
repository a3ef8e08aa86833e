"""Commands of this node's clients that another node carries out, until they are answered.

A command is sent again when its slot has another owner, when messages may have been lost, and now and then; the owner
recognizes a repeated command by its id. One that is not answered in time is refused, and may be repeated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cornered.protocol.commands import ClientMessage, Command, Play
from cornered.protocol.messages import Acknowledged, Refused, SeekInfo
from cornered.server.cluster.messages import Forward, Studied, ToClient
from cornered.server.refusal import Refusal, id_reused
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.nodes import Nodes
from cornered.server.tracing import Span, Tracer

__all__ = ["FORWARD_SECONDS", "Forwarder"]

MAX_FORWARDS: Final = 16
"""Unanswered commands of one socket."""
FORWARD_SECONDS: Final = 10.0
"""How long a command waits for its answer: more than a take-over takes."""
REPEAT_SECONDS: Final = 1.0
"""How often a command without an answer is sent again."""


@dataclass(slots=True)
class _Forwarded:
    client: ClientConnection
    forward: Forward
    slot: int
    since: float
    sent_at: float
    sent_to: str | None
    done: Callable[[], object] | None
    span: Span


class Forwarder:
    """The forwarded commands of one node."""

    def __init__(self, nodes: Nodes, tracer: Tracer) -> None:
        self._nodes = nodes
        self._tracer = tracer
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[tuple[str, str], _Forwarded] = {}
        # How many commands of each socket are not answered. No longer than they are, since a command may be forwarded
        # after its socket closed: it was looked up, or its match came from this node to another.
        self._counts: dict[str, int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._waiting)

    def forward(
        self,
        client: ClientConnection,
        command: ClientMessage,
        slot: int,
        *,
        done: Callable[[], object] | None = None,
        is_held: bool = False,
        studied: Studied | None = None,
        trace: str = "",
    ) -> bool:
        """Send a command to the owner of `slot`, now or, where it `is_held`, at the next change of owners.

        `studied` is the position that an `ask_analysis` is about, `trace` the context of the command.

        Return whether it was not under way already; then `done` is called once it is answered, refused or given up.
        Raises Refusal.
        """
        assert isinstance(command, Command)
        key = (client.id, command.id)
        waiting = self._waiting.get(key)
        if waiting is not None:
            if waiting.forward.command != command:
                raise id_reused()
            # A repetition on the same socket: both get the one answer.
            return False
        if self._counts.get(client.id, 0) >= MAX_FORWARDS:
            raise Refusal("too_fast", "wait for the answers to your earlier commands")
        self._counts[client.id] = self._counts.get(client.id, 0) + 1
        now = self._loop.time()
        span = self._tracer.step("forward", trace)
        forward = Forward(
            session=client.id,
            player=client.player,
            address=client.address,
            lag=client.lag,
            command=command,
            studied=studied,
            trace=span.context,
        )
        waiting = self._waiting[key] = _Forwarded(client, forward, slot, now, now, None, done, span)
        if not is_held:
            self._send(waiting)
        self._arm()
        return True

    def told(self, told: ToClient) -> None:
        """Pass an answer on to its socket; one that came already, or is not waited for any more, is dropped."""
        message = told.message
        if not isinstance(message, Acknowledged | Refused | SeekInfo) or message.id is None:
            return
        waiting = self._waiting.pop((told.session, message.id), None)
        if waiting is None:
            return
        client = waiting.client
        if isinstance(message, Refused):
            if isinstance(waiting.forward.command, Play):
                client.charge()
            client.refuse(message.id, message.code, message.text, retry_after=message.retry_after)
        else:
            client.send(message)
        self._finish(waiting)

    def repeat(self, node: str | None = None) -> None:
        """Send commands again: those to `node`, whose messages may be lost, or those whose slot has another owner."""
        for waiting in tuple(self._waiting.values()):
            owner = self._nodes.owner_of(waiting.slot)
            if owner is not None and (owner != waiting.sent_to if node is None else owner == node):
                self._send(waiting)

    def left(self, client: ClientConnection) -> None:
        """Forget the commands of a closed socket: its player repeats them on the next one."""
        if client.id in self._counts:
            for key in [key for key in self._waiting if key[0] == client.id]:
                self._finish(self._waiting.pop(key))

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waiting.clear()
        self._counts.clear()

    def _finish(self, waiting: _Forwarded) -> None:
        session = waiting.client.id
        self._counts[session] -= 1
        if not self._counts[session]:
            del self._counts[session]
        waiting.span.end()
        if waiting.done is not None:
            waiting.done()

    def _send(self, waiting: _Forwarded) -> None:
        owner = self._nodes.owner_of(waiting.slot)
        waiting.sent_to = owner
        waiting.sent_at = self._loop.time()
        if owner is not None:
            waiting.span.event("sent", owner)
            self._nodes.send(owner, waiting.forward)

    def _arm(self) -> None:
        if self._timer is None and self._waiting:
            self._timer = self._loop.call_later(REPEAT_SECONDS, self._look)

    def _look(self) -> None:
        self._timer = None
        now = self._loop.time()
        for key, waiting in tuple(self._waiting.items()):
            if now - waiting.since >= FORWARD_SECONDS:
                del self._waiting[key]
                text = "the part of the server that has this cannot be reached just now; try again"
                waiting.client.refuse(key[1], "internal", text)
                self._finish(waiting)
            elif now - waiting.sent_at >= REPEAT_SECONDS:
                self._send(waiting)
        self._arm()
