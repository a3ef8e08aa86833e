"""Ownership of slots among the nodes on one PostgreSQL database, by leases that the database's clock judges.

A node renews its lease every second; other nodes may take its slots three seconds after the last renewal. A node that
cannot renew keeps its slots until the database tells it of another owner: while the database is away no node can take
them, and its matches wait for it. None of this is what keeps two nodes from writing one match: every append checks the
epoch of its slot in the database.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import replace
from typing import Final

import structlog

from cornered.server.adapters.database import address_of
from cornered.server.adapters.postgres import POSTGRES_ERRORS
from cornered.server.adapters.slot_table import Lease, NodeRow, SlotRow, changing
from cornered.server.cluster.assignment import LEASE_MS, Part, expires_in, is_living, part_of
from cornered.server.cluster.ports import Node, NodesUnlinked, NodeTaken, OwnershipObserver
from cornered.server.cluster.slots import ALL_SLOTS
from cornered.server.ports import JournalUnavailable

__all__ = ["SqlOwnership"]

RENEW_SECONDS: Final = 1.0
RETRY_SECONDS: Final = 0.2
"""Pause after a failure of the database, and between attempts to become a node whose name is in use."""
JOIN_ATTEMPTS: Final = 3
LOOK_SECONDS: Final = 0.05
"""The shortest pause between two looks at the database, however often `look` is called."""
RELEASE_SECONDS: Final = 3.0
"""How long slots that are handed over may have something under way."""
_LEASE_SECONDS: Final = LEASE_MS / 1000

log = structlog.get_logger("ownership")


class SqlOwnership:
    """Implements `Ownership`, on connections of its own. `clock` is monotonic, in seconds."""

    def __init__(self, url: str, here: Node, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = address_of(url)
        self._here = here
        self._clock = clock
        self._observer: OwnershipObserver | None = None
        self._lease: Lease | None = None
        self._connecting = asyncio.Lock()
        self._changed = asyncio.Event()
        # What the database had at the last look, and when that was by its clock.
        self._rows: dict[str, NodeRow] = {}
        self._slots: dict[int, SlotRow] = {}
        self._now = 0
        self._living: dict[str, Node] = {}
        # The slots that the observer was told to be this node's, with their epochs.
        self._epochs: dict[int, int] = {}
        # Those of them that the observer was asked to release.
        self._releasing: set[int] = set()
        # Since when every renewal succeeded: while the database was away, no node could renew, so for the time of a
        # lease afterwards none is taken for dead.
        self._steady_since: float | None = None
        # What the match clock showed when it was asked for, and `clock` then.
        self._match_clock: tuple[int, float] | None = None
        self._renewed_at: float | None = None
        self._is_failing = False
        self._sharing: asyncio.Task[None] | None = None

    @property
    def here(self) -> Node:
        return self._here

    @property
    def nodes(self) -> Mapping[str, Node]:
        return self._living

    def owner_of(self, slot: int) -> str | None:
        row = self._slots.get(slot)
        if row is None or row.owner not in self._living:
            return None
        return row.owner if row.owner != self._here.name or slot in self._epochs else None

    def owns(self, slot: int) -> bool:
        return slot in self._epochs and slot not in self._releasing

    def epoch_of(self, slot: int) -> int | None:
        return self._epochs.get(slot)

    def owned(self) -> Collection[int]:
        return self._epochs.keys()

    @property
    def lease_age(self) -> float:
        return 0.0 if self._renewed_at is None else self._clock() - self._renewed_at

    def look(self) -> None:
        self._changed.set()

    async def time(self) -> int:
        try:
            await self._begin_match_clock()
        except POSTGRES_ERRORS as error:
            raise JournalUnavailable("the database does not tell its time") from error
        return self._match_time()

    async def join(self, observer: OwnershipObserver, address: str = "") -> None:
        self._observer = observer
        self._here = replace(self._here, address=address or self._here.address)
        for attempt in range(JOIN_ATTEMPTS):
            try:
                await self._become_node()
            except POSTGRES_ERRORS as error:
                self._end()
                if attempt + 1 == JOIN_ATTEMPTS:
                    raise JournalUnavailable(f"the slots of nodes cannot be read: {_reason(error)}") from error
                # This process may have been stopped amid its change for longer than the database waits.
                await asyncio.sleep(RETRY_SECONDS)
            except BaseException:
                self._end()
                raise
            else:
                return

    async def _become_node(self) -> None:
        """Enter, and return when every slot has a living owner."""
        await self._enter_patiently()
        while True:
            pause = await self._look()
            if all(self.owner_of(slot) is not None for slot in ALL_SLOTS):
                return
            await self._until_changed(pause)

    async def keep(self) -> None:
        try:
            while True:
                try:
                    pause = await self._look()
                except POSTGRES_ERRORS as error:
                    self._failed(error)
                    pause = RETRY_SECONDS
                except (NodeTaken, NodesUnlinked):
                    self._end()
                    raise
                self._share()
                await self._until_changed(pause)
        finally:
            if self._sharing is not None:
                self._sharing.cancel()
                await asyncio.wait((self._sharing,))
                self._sharing = None

    async def leave(self) -> None:
        try:
            async with self._renewing():
                await self._release(frozenset(self._epochs))
            async with changing(self._address, self._here) as change:
                await change.leave(self._match_time())
        except POSTGRES_ERRORS as error:
            log.warning("the slots of this node could not be handed over", reason=_reason(error))
        finally:
            self._end()

    # Looking

    async def _look(self) -> float:
        """Renew the lease, follow what changed and take what is to be taken; return the seconds until the next look.

        Raises one of POSTGRES_ERRORS, NodeTaken and NodesUnlinked.
        """
        self._changed.clear()
        if not await self._renew():
            self._steady_since = None
            await self._enter()
        await self._follow()
        part, may_seize = self._part(), self._may_seize
        if part.takes and (may_seize or any(self._slots[slot].owner not in self._rows for slot in part.takes)):
            async with changing(self._address, self._here) as change:
                await change.take(from_expired=may_seize)
            await self._follow()
        return self._pause()

    async def _begin_match_clock(self) -> None:
        """Ask the database once for the time of the match clock, which runs on by itself from then on."""
        if self._match_clock is None:
            lease = await self._connected()
            self._match_clock = await lease.time(), self._clock()

    def _match_time(self) -> int:
        if self._match_clock is None:
            raise RuntimeError("the match clock begins before the lease")
        began, at = self._match_clock
        return began + int((self._clock() - at) * 1000)

    async def _renew(self) -> bool:
        """Renew the lease; return False where this node is no living one any more."""
        lease = await self._connected()
        seen = await lease.renew(self._here, self._match_time())
        if seen is not None:
            self._renewed(seen)
        return seen is not None

    def _renewed(self, seen: int) -> None:
        self._is_failing = False
        self._renewed_at = self._clock()
        if self._steady_since is None:
            self._steady_since = self._renewed_at
        self._now = seen

    async def _enter(self) -> None:
        """Become a living node, at first or again. Raises NodeTaken and NodesUnlinked."""
        await self._begin_match_clock()
        lease = await self._connected()
        async with changing(self._address, self._here) as change:
            await change.enter(lease.backend, self._match_time())
        if not await self._renew():
            raise TimeoutError("the lease expired before it was renewed once")

    async def _enter_patiently(self) -> None:
        """Become a living node, where the node of this name was killed just now as soon as that is certain."""
        refused: dict[str, int] = {}
        until = self._clock() + _LEASE_SECONDS + RENEW_SECONDS
        while True:
            try:
                return await self._enter()
            except (NodeTaken, NodesUnlinked) as error:
                # One that renews its lease meanwhile lives.
                if refused.setdefault(error.node, error.seen_ms) != error.seen_ms or self._clock() > until:
                    raise
                if self._steady_since is None:
                    self._steady_since = self._clock()
            await asyncio.sleep(RETRY_SECONDS)

    async def _follow(self) -> None:
        """Read what changed, and tell the observer."""
        nodes, changed = await (await self._connected()).changes()
        before = self._living
        self._rows = nodes
        self._slots |= changed
        self._living = {name: row.node for name, row in nodes.items() if is_living(row.seen_ms, self._now)}
        self._tell()
        if self._observer is not None and (changed or self._living != before):
            self._observer.nodes_changed()

    def _tell(self) -> None:
        """Tell the observer which slots this node has lost and gained."""
        own = {slot: row.epoch for slot, row in self._slots.items() if row.owner == self._here.name}
        self._lose([slot for slot, epoch in self._epochs.items() if own.get(slot) != epoch])
        if self._releasing and (self._sharing is None or self._sharing.done()):
            hands = self._part().hands if self._may_seize else {}
            self._regain(self._releasing - hands.keys())
        gained: dict[int, int] = {}
        for slot, epoch in own.items():
            if slot not in self._epochs:
                gained[slot] = self._slots[slot].alive_ms
                self._epochs[slot] = epoch
        if gained and self._observer is not None:
            log.info("slots are this node's", slots=len(gained), node=self._here.name)
            self._observer.gained(gained)

    def _regain(self, slots: Collection[int]) -> None:
        """Have the observer decide again for slots that it released and that stay here after all."""
        staying = dict.fromkeys(slots, self._match_time())
        if staying and self._observer is not None:
            self._releasing -= staying.keys()
            self._observer.gained(staying)

    def _lose(self, slots: Collection[int]) -> None:
        if not slots:
            return
        for slot in slots:
            del self._epochs[slot]
        self._releasing.difference_update(slots)
        log.info("slots are not this node's any more", slots=len(slots), node=self._here.name)
        if self._observer is not None:
            self._observer.lost(slots)

    @property
    def _may_seize(self) -> bool:
        since = self._steady_since
        return since is not None and self._clock() >= since + _LEASE_SECONDS

    def _part(self) -> Part:
        return part_of(self._here.name, {slot: row.owner for slot, row in self._slots.items()}, self._living)

    def _pause(self) -> float:
        """Return the seconds until the next renewal, or until a node's slots can be taken, whichever is first."""
        leases = [expires_in(row.seen_ms, self._now) / 1000 for row in self._rows.values()]
        pauses = [seconds + LOOK_SECONDS for seconds in leases if seconds > 0]
        if self._steady_since is not None and not self._may_seize and len(pauses) < len(leases):
            pauses.append(self._steady_since + _LEASE_SECONDS - self._clock())
        return max(LOOK_SECONDS, min([RENEW_SECONDS, *pauses]))

    async def _until_changed(self, pause: float) -> None:
        began = self._clock()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._changed.wait()
        await asyncio.sleep(max(0.0, began + LOOK_SECONDS - self._clock()))

    # The connection, and the end of the lease

    async def _connected(self) -> Lease:
        async with self._connecting:
            if self._lease is None or self._lease.is_closed:
                self._steady_since = None
                self._lease = await Lease.open(self._address, self.look)
            return self._lease

    def _failed(self, error: BaseException) -> None:
        if not self._is_failing:
            log.warning("the lease of this node cannot be renewed", reason=_reason(error))
        self._is_failing = True
        self._steady_since = None
        if self._lease is not None:
            self._lease.drop()

    def _end(self) -> None:
        self._lose(tuple(self._epochs))
        self._living = {}
        self._renewed_at = None
        if self._lease is not None:
            self._lease.drop()
            self._lease = None

    # Handing over

    def _share(self) -> None:
        """Begin to hand slots to nodes that have fewer, unless that is under way."""
        if self._sharing is not None:
            if not self._sharing.done():
                return
            sharing, self._sharing = self._sharing, None
            sharing.result()
        if self._may_seize:
            slots = self._part().hands.keys() & self._epochs.keys()
            if slots:
                self._sharing = asyncio.create_task(self._hand(slots), name="hand over slots")

    async def _hand(self, slots: Collection[int]) -> None:
        try:
            await self._release(slots)
            async with changing(self._address, self._here) as change:
                # Not those of a lease that ran out meanwhile: they came back undrained.
                await change.hand(frozenset(slots) & self._releasing, self._match_time())
        except POSTGRES_ERRORS as error:
            log.warning("slots could not be handed over", reason=_reason(error))
        finally:
            self.look()

    async def _release(self, slots: Collection[int]) -> None:
        """Have the observer finish what is under way for slots, within a time limit."""
        if not slots or self._observer is None:
            return
        self._releasing |= set(slots)
        try:
            async with asyncio.timeout(RELEASE_SECONDS):
                await self._observer.releasing(slots)
        except TimeoutError:
            log.warning("slots are handed over with something under way", slots=len(slots))

    @contextlib.asynccontextmanager
    async def _renewing(self) -> AsyncIterator[None]:
        """Renew the lease inside the block, and follow nothing."""

        async def renew() -> None:
            while True:
                try:
                    await self._renew()
                except POSTGRES_ERRORS as error:
                    self._failed(error)
                await asyncio.sleep(RENEW_SECONDS)

        renewing = asyncio.create_task(renew(), name="lease")
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.wait((renewing,))


def _reason(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
