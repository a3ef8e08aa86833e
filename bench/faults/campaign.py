"""`cornered bench faults`: players and watchers on server processes, a seeded schedule of faults, and the checker."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from cornered.bench.faults.checker import check
from cornered.bench.faults.crowd import Crowd
from cornered.bench.faults.figures import Figures, figures_of
from cornered.bench.faults.history import History
from cornered.bench.faults.injector import Injector
from cornered.bench.faults.installation import Installation
from cornered.bench.faults.schedule import KINDS, Fault, schedule
from cornered.bench.faults.slot_watch import SlotWatch, TakeOver
from cornered.bench.faults.take_overs import judged
from cornered.bench.faults.violation import Violation
from cornered.server.app import new_event_loop

__all__ = ["Campaign", "Plan", "run"]

PROGRESS_SECONDS: Final = 5.0
WARM_UP_S: Final = 2.0
"""Seconds of play before the first fault."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign does. The same plan makes the same schedule; what the processes make of it differs."""

    seconds: float
    faults: int
    seed: int = 1
    nodes: int = 1
    is_postgres: bool = False
    has_broker: bool = True
    pairs: int = 6
    """Pairs of bare clients, and as many of the client kit."""
    watchers: int = 2
    """Bare watchers, and as many of the client kit."""
    settle_s: float = 90.0
    """Seconds after the last fault within which every match must be over and every command answered."""
    kinds: tuple[str, ...] = tuple(KINDS)
    """The kinds of faults."""
    build: str = ""
    """A broken build in place of the server."""


@dataclass(slots=True)
class Campaign:
    """What came of a plan."""

    plan: Plan
    schedule: tuple[Fault, ...]
    history: History
    violations: list[Violation]
    figures: Figures
    began: float
    was_interrupted: bool = False
    disk: str = ""
    take_overs: list[TakeOver] = field(default_factory=list)
    node_logs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """What every node logged, with the times at which that was observed."""
    notes: list[str] = field(default_factory=list)
    """What the report says beside the figures."""


async def _run(plan: Plan, tell: Callable[[str], None]) -> Campaign:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
        loop.add_signal_handler(signal.SIGINT, stop.set)
    try:
        async with Installation.open(
            plan.nodes,
            is_postgres=plan.is_postgres,
            has_broker=plan.has_broker,
            seed=plan.seed,
            build=plan.build,
        ) as parts:
            faults = schedule(plan.seed, plan.seconds, plan.faults, parts.shape, plan.kinds)
            async with SlotWatch.open(parts.database_url or None) as slots:
                return await _carry_out(plan, faults, parts, slots, stop, tell)
    finally:
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.remove_signal_handler(signal.SIGINT)


async def _carry_out(
    plan: Plan,
    faults: tuple[Fault, ...],
    parts: Installation,
    slots: SlotWatch,
    stop: asyncio.Event,
    tell: Callable[[str], None],
) -> Campaign:
    crowd = Crowd(parts.addresses, parts.balanced, plan.seed)
    injector = Injector(parts, slots)
    history = History({}, crowd.logs, injector.records, injector.outages)
    began = time.monotonic()
    failures: list[str] = []
    async with asyncio.TaskGroup() as tasks:
        playing = crowd.tasks(plan.pairs, plan.watchers, tasks)
        telling = tasks.create_task(_tell_progress(plan, crowd, history, began, tell), name="progress")
        await asyncio.sleep(WARM_UP_S)
        await injector.run(faults, stop)
        history.calm_at = time.monotonic()
        crowd.is_on = False
        _, late = await asyncio.wait(playing, timeout=plan.settle_s)
        failures += [f"{task.get_name()} is not done {plan.settle_s:.0f} s after the last fault" for task in late]
        for task in (*late, telling):
            task.cancel()
    for node in parts.nodes.values():
        if not await node.stop():
            failures.append(f"node {node.name} does not stop")
    history.journal = await parts.journal()
    complaints = [line for node in parts.nodes.values() for line in node.complaints]
    history.complaints = [*injector.failures, *failures, *crowd.faults, *complaints]
    tell("the checker reads the logs")
    violations = check(history)
    campaign = Campaign(plan, faults, history, violations, figures_of(history), began, was_interrupted=stop.is_set())
    campaign.disk = parts.disk_kind
    campaign.take_overs = judged(slots.take_overs(), history.faults, list(parts.nodes))
    campaign.node_logs = {node.name: node.log for node in parts.nodes.values()}
    if parts.database is not None and not parts.shape.has_disks:
        campaign.notes.append("no full disk: the database's own is not filled")
    if not parts.shape.has_clocks:
        campaign.notes.append("no steps of wall clocks: there is no C compiler for the preloaded clock")
    campaign.notes.append(
        "a loss of power is not simulated: what was written survives every kill in the system's memory"
    )
    return campaign


async def _tell_progress(plan: Plan, crowd: Crowd, history: History, began: float, tell: Callable[[str], None]) -> None:
    while True:
        await asyncio.sleep(PROGRESS_SECONDS)
        figures = figures_of(history)
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(figures.faults.items()))
        worst = max(figures.worst_waits.values(), default=0.0)
        back = max((one.seconds for one in figures.recoveries), default=0.0)
        tell(
            f"{time.monotonic() - began:4.0f} s: {len(history.faults)} of {plan.faults} faults,"
            f" {figures.acknowledged:,} moves acknowledged, {crowd.finished} matches finished;"
            f" longest wait of a client {worst:.1f} s, longest until the next move after a stop {back:.1f} s; {kinds}"
        )


def run(plan: Plan, tell: Callable[[str], None]) -> Campaign:
    """Carry out a plan; `tell` gets its progress. Raises NotInstalled where a program is missing."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_run(plan, tell))
