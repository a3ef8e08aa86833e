"""Carries out a schedule of faults on an installation, and records what it did and which stretches were outages."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Final

from cornered.bench.faults.history import FaultRecord, Outage
from cornered.bench.faults.installation import Installation
from cornered.bench.faults.node_process import NodeProcess
from cornered.bench.faults.proxy import Direction
from cornered.bench.faults.schedule import Fault
from cornered.bench.faults.services import FaultyService
from cornered.bench.faults.slot_watch import SlotWatch
from cornered.bench.faults.wall_clock import WallClock

__all__ = ["Injector"]

BOTH: Final[tuple[Direction, ...]] = ("up", "down")
LEAST_OUTAGE_S: Final = 1.0
"""A shorter stretch counts as play."""


class Injector:
    """Runs faults, several at once where the schedule has it so."""

    def __init__(self, installation: Installation, slots: SlotWatch) -> None:
        self._parts = installation
        self._slots = slots
        self.records: list[FaultRecord] = []
        self.outages: list[Outage] = []
        self.failures: list[str] = []
        """What could not be undone: a node that does not get ready again."""

    async def run(self, faults: Sequence[Fault], stop: asyncio.Event) -> None:
        """Carry out every fault at its time, until `stop`; return when all causes are removed and all nodes ready."""
        began = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            for fault in faults:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, began + fault.at - time.monotonic())):
                        await stop.wait()
                if stop.is_set():
                    break
                tasks.create_task(self._carry_out(fault, stop), name=f"fault {fault.number}")
        for node in self._parts.nodes.values():
            if not await node.ready():
                self.failures.append(f"node {node.name} does not get ready after the last fault")

    async def _carry_out(self, fault: Fault, stop: asyncio.Event) -> None:
        now = time.monotonic()
        record = FaultRecord(fault.number, fault.kind, fault.target, now, now)
        self.records.append(record)
        try:
            await self._dispatch(fault, record, stop)
        finally:
            record.ended = max(record.ended, time.monotonic())

    async def _dispatch(self, fault: Fault, record: FaultRecord, stop: asyncio.Event) -> None:
        proxy, nodes = self._parts.proxy, self._parts.nodes
        match fault.kind:
            case "delay":
                changes: dict[str, object] = {"delay_s": fault.amount, "jitter_s": fault.amount}
                record.words = f"by {fault.amount * 1000:.0f} to {fault.amount * 2000:.0f} ms"
                await self._impair(fault, BOTH, changes, {"delay_s": 0.0, "jitter_s": 0.0}, stop)
            case "split":
                await self._impair(fault, BOTH, {"is_split": True}, {"is_split": False}, stop)
            case "stall" | "stall up" | "stall down":
                directions = tuple(one for one in BOTH if fault.kind in ("stall", f"stall {one}"))
                node, _, service = fault.target.partition(">")
                with self._outage(fault, node) if service == "database" else contextlib.nullcontext():
                    await self._impair(fault, directions, {"is_stalled": True}, {"is_stalled": False}, stop)
            case "reset":
                await proxy.reset(fault.target)
            case "half-close up":
                await proxy.half_close(fault.target, "up")
            case "half-close down":
                await proxy.half_close(fault.target, "down")
            case "duplicate":
                record.words = f"{fault.amount:.0%} of all publications"
                await self._impair(fault, BOTH, {"duplicates": fault.amount}, {"duplicates": 0.0}, stop)
            case "garble":
                await proxy.garble(fault.target, "down")
            case "bandwidth":
                record.words = f"to {fault.amount:,.0f} bytes a second"
                changes = {"bytes_per_second": round(fault.amount)}
                await self._impair(fault, BOTH, changes, {"bytes_per_second": 0}, stop)
            case "kill":
                await self._kill(nodes[fault.target], fault, record, stop)
            case "pause":
                await self._pause(nodes[fault.target], fault, stop)
            case "disk":
                await self._fill(nodes[fault.target], fault, record, stop)
            case "kill broker" | "kill database":
                await self._kill_service(fault, stop)
            case "pause broker" | "pause database":
                await self._pause_service(fault, stop)
            case "clock":
                await self._step(fault, record, stop)
            case unknown:
                raise ValueError(f"there is no fault {unknown!r}")

    async def _impair(
        self,
        fault: Fault,
        directions: Sequence[Direction],
        changes: dict[str, object],
        undone: dict[str, object],
        stop: asyncio.Event,
    ) -> None:
        for direction in directions:
            await self._parts.proxy.impair(fault.target, direction, **changes)
        try:
            await _wait(fault.seconds, stop)
        finally:
            for direction in directions:
                await self._parts.proxy.impair(fault.target, direction, **undone)

    async def _kill(self, node: NodeProcess, fault: Fault, record: FaultRecord, stop: asyncio.Event) -> None:
        with self._outage(fault, node.name, is_stop=True):
            await node.kill()
            await _wait(fault.seconds, stop)
            record.ended = time.monotonic()
            node.start()
            if not await node.ready():
                self.failures.append(f"node {node.name} does not get ready after fault {fault.number}")
        record.words = f"down for {fault.seconds:.1f} s, ready after {time.monotonic() - record.began:.1f} s"

    async def _pause(self, node: NodeProcess, fault: Fault, stop: asyncio.Event) -> None:
        with self._outage(fault, node.name, is_stop=True):
            node.pause()
            try:
                await _wait(fault.seconds, stop)
            finally:
                node.resume()

    async def _fill(self, node: NodeProcess, fault: Fault, record: FaultRecord, stop: asyncio.Event) -> None:
        record.words = f"full ({node.disk.name})"
        with self._outage(fault, node.name):
            node.fill_disk()
            try:
                await _wait(fault.seconds, stop)
            finally:
                node.free_disk()

    async def _kill_service(self, fault: Fault, stop: asyncio.Event) -> None:
        service = self._service(fault)
        with self._outage(fault) if fault.target == "database" else contextlib.nullcontext():
            await service.kill()
            await _wait(fault.seconds, stop)
            await service.start()

    async def _pause_service(self, fault: Fault, stop: asyncio.Event) -> None:
        service = self._service(fault)
        with self._outage(fault) if fault.target == "database" else contextlib.nullcontext():
            service.pause()
            try:
                await _wait(fault.seconds, stop)
            finally:
                service.resume()

    async def _step(self, fault: Fault, record: FaultRecord, stop: asyncio.Event) -> None:
        clock = self._parts.database_clock if fault.target == "database" else self._clock_of(fault.target)
        assert clock is not None
        record.words = f"by {fault.amount:+.1f} s, and back"
        clock.step_to(fault.amount)
        try:
            await _wait(fault.seconds, stop)
        finally:
            clock.step_to(0.0)

    def _clock_of(self, node: str) -> WallClock | None:
        return self._parts.nodes[node].clock

    def _service(self, fault: Fault) -> FaultyService:
        service = self._parts.database if fault.target == "database" else self._parts.broker
        assert service is not None
        return service

    @contextlib.contextmanager
    def _outage(self, fault: Fault, node: str = "", *, is_stop: bool = False) -> Iterator[None]:
        """Record the stretch as an outage, where it is long enough: of all matches, or of those that `node` owns.

        The latter ends earlier where other nodes take all of them over. `is_stop`: the node stands still.
        """
        began = time.monotonic()
        lost = self._slots.lost(fault.number, node, is_stop=is_stop) if node and len(self._parts.nodes) > 1 else None
        try:
            yield
        finally:
            ended = time.monotonic()
            if lost is not None and lost.ended is not None:
                ended = min(ended, lost.ended)
            elif lost is not None and fault.kind != "kill":
                self._slots.is_back(lost)
            if ended - began >= LEAST_OUTAGE_S:
                cause = f"fault {fault.number}: {fault.kind} of {fault.target}"
                self.outages.append(Outage(began, ended, cause, None if lost is None else frozenset(lost.epochs)))


async def _wait(seconds: float, stop: asyncio.Event) -> None:
    """Wait for some seconds, or until everything is to stop."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()
