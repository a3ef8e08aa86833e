"""The token bucket behind every rate limit, and the fair queue that shares one bucket among many."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import deque
from collections.abc import Hashable
from typing import Final

__all__ = ["FairQueue", "TokenBucket"]

QUANTUM: Final = 5.0
"""The most tokens that one turn of a key in a fair queue takes: those of most commands, and 0.2 ms of CPU time."""
TICK_SECONDS: Final = 0.001
"""The resolution of the event loop's timers: an earlier time of uvloop is the loop's next turn, again and again."""


class TokenBucket:
    """`rate` tokens a second for ever, `burst` at once. Times are seconds of any monotonic clock.

    A refused `spend` leaves a debt of one token, because answering it costs something too; a debt of more than `burst`
    marks a client that ignores refusals.
    """

    __slots__ = ("_left", "_since", "burst", "rate", "taken")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate = rate
        self.burst = burst
        self.taken = 0.0
        """Tokens that were taken here so far."""
        self._left = burst
        self._since = now

    def _refill(self, now: float) -> float:
        left = self._left = min(self.burst, self._left + (now - self._since) * self.rate)
        self._since = now
        return left

    def spend(self, now: float, cost: float = 1.0) -> bool:
        """Take `cost` tokens if they are there; otherwise owe one more."""
        if self.take(now, cost):
            return True
        self._left = max(-self.burst - 1, self._left - 1)
        return False

    def take(self, now: float, cost: float = 1.0) -> bool:
        """Take `cost` tokens if they are there, and nothing otherwise. A cost above `burst` takes a full bucket."""
        cost = min(cost, self.burst)
        left = self._refill(now)
        if left < cost:
            return False
        self._left = left - cost
        self.taken += cost
        return True

    def drain(self, now: float, cost: float) -> None:
        """Take `cost` tokens, or what is there, for what became known only after it was done."""
        left = self._refill(now)
        self._left = min(left, max(0.0, left - cost))
        self.taken += cost

    def take_elsewhere(self, now: float, cost: float) -> None:
        """Take `cost` tokens that another node gave away; those that are not there are owed, up to a full bucket."""
        left = self._refill(now)
        self._left = min(left, max(-self.burst, left - cost))

    def wait(self, now: float, cost: float = 1.0) -> float:
        """Return the seconds until `cost` tokens are there."""
        return max(0.0, min(cost, self.burst) - self._refill(now)) / self.rate

    @property
    def is_hostile(self) -> bool:
        """Whether more is owed than any honest client owes."""
        return self._left < -self.burst


class _PendingTake:
    """One call of `take` that waits."""

    __slots__ = ("granted", "left")

    def __init__(self, cost: float, granted: asyncio.Future[None]) -> None:
        self.left = cost
        """Tokens that are still to be taken; 0 once it is granted."""
        self.granted = granted


class _Flow:
    """The requests of one key. They take turns."""

    __slots__ = ("backlog", "key", "requests", "start")

    def __init__(self, key: Hashable, start: float) -> None:
        self.key = key
        self.start = start
        """The virtual time at which its next quantum begins."""
        self.requests: deque[_PendingTake] = deque()
        self.backlog = 0.0
        """Tokens that its requests wait for."""


class FairQueue:
    """One token bucket shared by many keys by self-clocked fair queueing: the busiest key waits, not its neighbours.

    While tokens are there requests pass at once. When they run out, each key takes a quantum in its turn: keys are
    served in the order in which their next quanta finish, and the virtual time is the finish tag of the newest one
    served (S. J. Golestani, "A Self-Clocked Fair Queueing Scheme for Broadband Applications", INFOCOM 1994). So a
    request waits for at most a quantum of every other one, whatever those cost in all. Callers bound the number of
    requests that wait: one a connection.
    """

    __slots__ = ("_bucket", "_due", "_flows", "_heap", "_loop", "_numbers", "_quantum", "_timer", "_virtual")

    def __init__(self, rate: float, burst: float, loop: asyncio.AbstractEventLoop) -> None:
        self._bucket = TokenBucket(rate, burst, loop.time())
        self._quantum = min(QUANTUM, burst)
        self._loop = loop
        # The keys with requests that wait.
        self._flows: dict[Hashable, _Flow] = {}
        # The finish tag of each key's next quantum. A flow without requests is cancelled, and is passed over.
        self._heap: list[tuple[float, int, _Flow]] = []
        self._virtual = 0.0
        self._numbers = itertools.count()
        self._timer: asyncio.Handle | None = None
        self._due = 0.0

    def __len__(self) -> int:
        return sum(len(flow.requests) for flow in self._flows.values())

    @property
    def bucket(self) -> TokenBucket:
        """The bucket that all keys share."""
        return self._bucket

    def take_now(self, cost: float = 1.0) -> bool:
        """Take `cost` tokens if they are there and no other request waits for them."""
        return not self._flows and cost <= self._bucket.burst and self._bucket.take(self._loop.time(), cost)

    async def take(self, key: Hashable, cost: float = 1.0) -> None:
        """Return when `key` has had its turns and its `cost` tokens are taken; those of a cancelled call stay taken."""
        if self.take_now(cost):
            return
        request = _PendingTake(cost, self._loop.create_future())
        flow = self._flows.get(key)
        if flow is None:
            flow = self._flows[key] = _Flow(key, self._virtual)
        flow.requests.append(request)
        flow.backlog += cost
        if len(flow.requests) == 1:
            self._push(flow)
            self._arm()
        try:
            await request.granted
        finally:
            if request.left:
                self._withdraw(flow, request)

    def delay(self, key: Hashable, cost: float = 1.0) -> float:
        """Return about how many seconds a new request of `key` waits when the others are as busy as they are now."""
        flow = self._flows.get(key)
        own = cost + sum(min(request.left, cost) for request in flow.requests) if flow is not None else cost
        others = sum(min(other.backlog, own) for other in self._flows.values() if other is not flow)
        return self._bucket.wait(self._loop.time(), cost) + (own - cost + others) / self._bucket.rate

    def _next_quantum(self, flow: _Flow) -> float:
        return min(flow.requests[0].left, self._quantum)

    def _push(self, flow: _Flow) -> None:
        heapq.heappush(self._heap, (flow.start + self._next_quantum(flow), next(self._numbers), flow))

    def _withdraw(self, flow: _Flow, request: _PendingTake) -> None:
        flow.requests.remove(request)
        flow.backlog -= request.left
        request.left = 0.0
        if not flow.requests:
            self._forget(flow)

    def _forget(self, flow: _Flow) -> None:
        """Forget a key without requests: its newest turn is over in virtual time, and delays nothing."""
        del self._flows[flow.key]
        if not self._flows:
            # With no request left every key starts anew at the same virtual time.
            self._heap.clear()
            self._virtual = 0.0

    def _first(self) -> _Flow | None:
        """Return the flow whose turn it is; cancelled ones leave the heap."""
        while self._heap:
            flow = self._heap[0][2]
            # A future is cancelled a turn of the loop before its task withdraws the request.
            while flow.requests and flow.requests[0].granted.done():
                self._withdraw(flow, flow.requests[0])
            if flow.requests:
                return flow
            if self._heap:
                heapq.heappop(self._heap)
        return None

    def _arm(self) -> None:
        """Have the first quantum granted when its tokens are there, which may be sooner than the timer is due."""
        first = self._first()
        if first is None:
            return
        now = self._loop.time()
        delay = self._bucket.wait(now, self._next_quantum(first))
        if delay:
            delay = max(delay, TICK_SECONDS)
        if self._timer is not None:
            if self._due <= now + delay:
                return
            self._timer.cancel()
        self._due = now + delay
        self._timer = self._loop.call_later(delay, self._grant)

    def _grant(self) -> None:
        self._timer = None
        now = self._loop.time()
        while (flow := self._first()) is not None:
            quantum = self._next_quantum(flow)
            if not self._bucket.take(now, quantum):
                break
            self._virtual = heapq.heappop(self._heap)[0]
            request = flow.requests.popleft()
            request.left -= quantum
            flow.backlog -= quantum
            flow.start += quantum
            if request.left:
                flow.requests.append(request)
            else:
                request.granted.set_result(None)
            if flow.requests:
                self._push(flow)
            else:
                self._forget(flow)
        self._arm()
