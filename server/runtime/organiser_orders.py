"""Organisers' orders for the matches of their events, wherever the match is owned, until they are stored.

An order to another node is sent again until it is answered: pausing a paused match changes nothing, nor does taking out
who is out.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Final

from cornered.server.cluster.messages import OrderAnswered, OrganiserOrder
from cornered.server.cluster.slots import slot_of
from cornered.server.match.pausing import order_pause, resume_clocks
from cornered.server.ports import JournalUnavailable, NotOwner
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_task import Decision
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.task_group import Spawn

__all__ = ["ORDER_SECONDS", "OrganiserOrders"]

ORDER_SECONDS: Final = 10.0
"""How long an order waits for its answer: more than a take-over takes."""
REPEAT_SECONDS: Final = 1.0
"""How often an order without an answer is sent again."""
MAX_WAITING: Final = 1_024
"""Orders of this node that may wait for the answers of other nodes."""
MAX_TAKEN: Final = 1_024
"""Orders of other nodes that may be carried out here at once; more are dropped, and come again."""


class OrganiserOrders:
    """The orders of one node, and those that it carries out for others.

    Callers have checked the authority of whoever gives the order: the organiser of the match's event.
    """

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
        self._waiting: dict[str, asyncio.Future[OrderAnswered]] = {}
        # The orders of other nodes that are being carried out, by their senders.
        self._taken: set[tuple[str, str]] = set()

    async def pause(self, match: str, seconds: int) -> None:
        """Pause the clocks of a match for at most `seconds`; return when that is stored. Raises Refusal."""
        await self._order(match, seconds)

    async def resume(self, match: str) -> None:
        """Have the clocks of a match go on; return when that is stored. Raises Refusal."""
        await self._order(match, None)

    async def take_out(self, match: str, seat: int) -> None:
        """Have the player of a seat lose a match that goes on; return when that is stored. Raises Refusal."""
        await self._order(match, out=seat)

    async def _order(self, match: str, seconds: int | None = None, out: int | None = None) -> None:
        if len(self._waiting) >= MAX_WAITING:
            raise Refusal("busy", "too many matches are being paused just now; try again in a moment")
        order = OrganiserOrder(order=secrets.token_hex(8), match=match, seconds=seconds, out=out)
        answered = self._waiting[order.order] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ORDER_SECONDS):
                answer = await self._answer(order, answered)
        except TimeoutError:
            text = "the part of the server that has this match cannot be reached just now; try again"
            raise Refusal("internal", text) from None
        finally:
            del self._waiting[order.order]
        if answer.code is not None:
            raise Refusal(answer.code, answer.text)

    async def _answer(self, order: OrganiserOrder, answered: asyncio.Future[OrderAnswered]) -> OrderAnswered:
        """Return the answer to an order: of this node where it owns the match, and otherwise of the owner."""
        while True:
            owner = self._nodes.owner_of(slot_of(order.match))
            if owner is not None and owner != self._nodes.here:
                self._nodes.send(owner, order)
                await asyncio.wait((answered,), timeout=REPEAT_SECONDS)
            else:
                answer = await self._carried_out(order)
                if answer is not None:
                    return answer
                await asyncio.sleep(REPEAT_SECONDS)
            if answered.done():
                return answered.result()

    async def _carried_out(self, order: OrganiserOrder) -> OrderAnswered | None:
        """Carry an order out as the owner of its match; None where this node is not, or cannot store it now."""
        try:
            match_task = await self._registry.find_owned(order.match)
            if match_task is None:
                return None
            try:
                await match_task.order(_decision_of(order))
            finally:
                match_task.check_emptiness()
        except Refusal as refusal:
            return OrderAnswered(order=order.order, code=refusal.code, text=refusal.text)
        except (NotOwner, JournalUnavailable):
            return None
        return OrderAnswered(order=order.order)

    # Other nodes

    def received(self, node: str, message: OrganiserOrder | OrderAnswered) -> None:
        """Take an order of another node, or the answer to one of this node's."""
        if isinstance(message, OrderAnswered):
            answered = self._waiting.get(message.order)
            if answered is not None and not answered.done():
                answered.set_result(message)
            return
        key = (node, message.order)
        if key not in self._taken and len(self._taken) < MAX_TAKEN:
            self._taken.add(key)
            self._spawn(self._carry_out(node, message), f"order[{message.match}]")

    async def _carry_out(self, node: str, order: OrganiserOrder) -> None:
        try:
            answer = await self._carried_out(order)
            if answer is not None:
                self._nodes.send(node, answer)
        finally:
            self._taken.discard((node, order.order))


def _decision_of(order: OrganiserOrder) -> Decision:
    seat, seconds = order.out, order.seconds
    if seat is not None:
        return lambda match, now: match.take_out(seat, now)
    if seconds is not None:
        return lambda match, now: order_pause(match, match.deadline(), seconds, now)
    return resume_clocks
