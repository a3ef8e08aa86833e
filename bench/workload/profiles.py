"""The profiles of `cornered bench load`: play, watch, idle and capacity. Each measures a bare baseline in the same run
where the load stays within this machine."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, assert_never

from cornered.bench.workload.descriptors import raise_limit, require_ports
from cornered.bench.workload.plan import Crowd, Place, Table, Trial
from cornered.bench.workload.processes import Generators, Usage, usage_of
from cornered.bench.workload.report import Fact, LoadReport, Machine, Phase
from cornered.bench.workload.servers import Servers, bare_server
from cornered.engine.progress import Progress, Report, no_report

__all__ = ["PROFILES", "LoadPlan", "Profile", "highest_rate", "load"]

Profile: TypeAlias = Literal["play", "watch", "idle", "capacity"]
PROFILES: Final[tuple[Profile, ...]] = ("play", "watch", "idle", "capacity")
TIMED_WATCHERS: Final = 50
"""Watchers whose updates are timed; of the others they are counted."""
PROBE_WARM_UP: Final = 0.4
"""Warm-up of a probe in relation to its measured time."""
FIRST_PROBE: Final = 500.0
MAX_PROBES: Final = 14
LEAST_RATE: Final = 20.0
"""Moves a second below which no capacity is searched: a probe would have too few for a p99."""
PRECISION: Final = 1.05
"""The search for the capacity ends when the lowest failing rate is at most this much above the highest passing one."""
LEAST_ANSWERED: Final = 0.999
CALM_SHARE: Final = 0.7
"""Share of the capacity at which latency is reported."""
SETTLE_S: Final = 1.0
"""Time that memory has to settle before it is read."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """What to load with; times in seconds."""

    pairs: int = 50
    matches: int = 0
    """Live matches at the same time; 0 for one a pair."""
    bot_pairs: int = 0
    watchers: int = 0
    idle: int = 0
    games: tuple[str, ...] = ("trapgrid",)
    rate: float = 500.0
    bound_ms: float = 50.0
    seconds: float = 20.0
    warm_up: float = 5.0
    seed: int = 1
    probe_seconds: float = 5.0
    """Measured time of each probe of the profile `capacity`; its warm-up is two fifths of it."""
    workers: int = 1
    place: Place = "any"
    has_baseline: bool = True

    @property
    def sockets(self) -> int:
        """Connections that it takes."""
        return 2 * self.pairs + self.watchers + self.idle


class _Interrupted(Exception):
    """Ctrl-C, while nothing was measured that could be kept."""


class _Run:
    """One run of a profile against servers."""

    def __init__(
        self, plan: LoadPlan, servers: Servers, out: LoadReport, progress: Report, ended: asyncio.Event
    ) -> None:
        self._plan = plan
        self._servers = servers
        self._out = out
        self._progress = progress
        self._ended = ended
        self._step = ("", 0)

    async def play(self) -> None:
        plan = self._plan
        if self._wants_baseline:
            await self._baseline(plan.rate)
        async with self._loaded(self._servers) as generators:
            await self._measure(generators, self._servers, "this server", plan.rate, plan.seconds)

    async def capacity(self) -> None:
        plan, out = self._plan, self._out
        async with self._loaded(self._servers) as generators:
            highest, is_limited = await self._search(generators)
            if highest:
                out.facts.append(Fact(f"highest rate with p99 <= {plan.bound_ms:g} ms", highest, "moves/s"))
                # Of two probes at one rate the last is the one that passed.
                passing = [phase for phase in out.phases if phase.rate == highest][-1]
                if passing.cpu:
                    label = f"at that rate, for each CPU second ({', '.join(passing.cpu)})"
                    out.facts.append(Fact(label, passing.moves_per_core_second, "moves"))
                name = f"at {CALM_SHARE:.0%} of it"
                await self._measure(generators, self._servers, name, CALM_SHARE * highest, plan.seconds)
            elif not self._ended.is_set():
                out.notes.append(f"no rate had a p99 of at most {plan.bound_ms:g} ms")
            if highest and is_limited:
                out.notes.append("the generator was the limit of the last probe: the capacity is at least this rate")
        if highest and self._wants_baseline:
            await self._baseline(CALM_SHARE * highest)

    async def watch(self) -> None:
        plan = self._plan
        if self._wants_baseline:
            async with bare_server("fanout", plan.watchers) as bare, self._generators() as generators:
                crowd = Crowd(bare.addresses, plan.watchers, timed=min(plan.watchers, TIMED_WATCHERS), is_bare=True)
                await self._open("bare watchers", generators.open_crowd(crowd), plan.watchers)
                phase = await self._measure(generators, bare, "bare server", plan.rate, plan.seconds)
                phase.watchers = plan.watchers
        async with self._generators() as generators:
            addresses = self._servers.addresses
            table = Table(addresses, 1, 1, place=plan.place, seed=plan.seed, is_endless=True)
            matches = await self._open("match", generators.open_table(table), 1)
            crowd = Crowd(addresses, plan.watchers, tuple(matches), timed=min(plan.watchers, TIMED_WATCHERS))
            await self._open("watchers", generators.open_crowd(crowd), plan.watchers)
            phase = await self._measure(generators, self._servers, "this server", plan.rate, plan.seconds)
            phase.watchers = plan.watchers

    async def idle(self) -> None:
        if self._wants_baseline:
            async with bare_server("echo", self._plan.sockets) as bare:
                await self._hold(bare, "bare server")
        await self._hold(self._servers, "this server")

    async def _hold(self, servers: Servers, name: str) -> None:
        """Measure what idle connections cost."""
        plan, facts = self._plan, self._out.facts
        async with self._generators() as generators:
            few = max(1, min(100, plan.idle // 10))
            is_bare = bool(servers.bare_of)
            # What the first connections allocate is not theirs alone.
            await self._open(
                "first connections", generators.open_crowd(Crowd(servers.addresses, few, is_bare=is_bare)), few
            )
            await self._pause(SETTLE_S)
            before, began = servers.usage(), time.monotonic()
            crowd = Crowd(servers.addresses, plan.idle, is_bare=is_bare)
            await self._open(f"connections, {name}", generators.open_crowd(crowd), plan.idle)
            facts.append(Fact(f"{name}: connections opened", plan.idle / (time.monotonic() - began), "a second"))
            await self._pause(SETTLE_S)
            opened = servers.usage()
            await self._pause(plan.seconds)
            after = servers.usage()
            for label, used in after.items():
                if used.resident is None or (base := before[label].resident) is None:
                    continue
                facts.append(Fact(f"{name}: memory of {label}", (used.resident - base) / plan.idle / 1024, "KiB each"))
                spent = _spent(opened, after).get(label, 0.0)
                facts.append(Fact(f"{name}: CPU of {label}", spent / plan.seconds * 100, "% of a core"))
            self._step = ("", 0)
            lost = (await generators.make_trial(0.0, warm_up=0.0, seconds=0.0, seed=plan.seed)).connections_lost
            facts.append(Fact(f"{name}: connections held", plan.idle + few - lost, f"of {plan.idle + few:,}"))
            if lost:
                self._out.faults.append(f"{name}: {lost:,} idle connections were lost")

    @property
    def _wants_baseline(self) -> bool:
        return self._plan.has_baseline and self._servers.is_local and not self._ended.is_set()

    async def _baseline(self, rate: float) -> None:
        """Measure the same load on a bare echo of the same messages."""
        plan = self._plan
        bare_plan = replace(plan, matches=0, bot_pairs=0, watchers=0, idle=0)
        async with bare_server("echo", bare_plan.sockets) as bare, self._loaded(bare, bare_plan) as generators:
            await self._measure(generators, bare, "bare echo", rate, plan.seconds)

    async def _search(self, generators: Generators) -> tuple[float, bool]:
        """Return the highest rate whose p99 is within the bound, and whether the generator limited the last probe."""
        plan = self._plan
        numbers = itertools.count(1)
        last: list[Phase] = []

        async def passes(rate: float) -> bool:
            name, warm_up = f"probe {next(numbers)}", PROBE_WARM_UP * plan.probe_seconds
            for _ in range(2):
                # Other work of the machine can spoil one probe, but hardly two.
                phase = await self._measure(generators, self._servers, name, rate, plan.probe_seconds, warm_up=warm_up)
                last[:] = [phase]
                if self._ended.is_set() or self._passes(phase):
                    break
            return self._passes(phase)

        highest = await highest_rate(passes, self._ended)
        return highest, bool(last and last[0].generator_limit)

    def _passes(self, phase: Phase) -> bool:
        latency = phase.result.acknowledged.percentile(99) * 1000
        return latency <= self._plan.bound_ms and phase.answered >= LEAST_ANSWERED * phase.result.due

    @asynccontextmanager
    async def _generators(self) -> AsyncIterator[Generators]:
        async with Generators.start(self._plan.workers, self._tell) as generators:
            try:
                yield generators
            finally:
                self._out.faults += generators.faults

    @asynccontextmanager
    async def _loaded(self, servers: Servers, plan: LoadPlan | None = None) -> AsyncIterator[Generators]:
        """Open players, watchers and idle connections inside the block."""
        plan = plan or self._plan
        matches = plan.matches or plan.pairs
        async with self._generators() as generators:
            table = Table(
                servers.addresses,
                plan.pairs,
                matches,
                plan.bot_pairs,
                plan.games,
                plan.place,
                plan.seed,
                is_bare=bool(servers.bare_of),
            )
            names = await self._open("matches", generators.open_table(table), matches)
            if plan.watchers:
                # All of them are timed, and so they follow rematches.
                crowd = Crowd(servers.addresses, plan.watchers, tuple(names), timed=plan.watchers)
                await self._open("watchers", generators.open_crowd(crowd), plan.watchers)
            if plan.idle:
                await self._open("idle", generators.open_crowd(Crowd(servers.addresses, plan.idle)), plan.idle)
            yield generators

    async def _open(self, step: str, opening: Awaitable[T], total: int) -> T:
        """Wait for connections to be opened, at most until Ctrl-C. Raises _Interrupted and LoadFailed."""
        self._step = (step, total)
        ending, work = asyncio.ensure_future(self._ended.wait()), asyncio.ensure_future(opening)
        try:
            await asyncio.wait({ending, work}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            raise _Interrupted
        finally:
            ending.cancel()
            work.cancel()

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
                raise _Interrupted

    async def _measure(
        self,
        generators: Generators,
        servers: Servers,
        name: str,
        rate: float,
        seconds: float,
        *,
        warm_up: float | None = None,
    ) -> Phase:
        """Make one trial, with the CPU time of all processes in its measured time, and add it to the report."""
        warm_up = self._plan.warm_up if warm_up is None else warm_up
        self._step = (f"{name}, {rate:,.0f}/s", round((warm_up + seconds) * self._plan.workers))
        samples: list[tuple[Mapping[str, Usage], list[Usage]]] = []

        def sample() -> None:
            samples.append((servers.usage(), [usage_of(pid) for pid in generators.pids]))

        async def observe(trial: Trial) -> None:
            for at in (trial.measured_from, trial.end):
                await asyncio.sleep(max(0.0, at - time.monotonic()))
                sample()

        async def stop() -> None:
            await self._ended.wait()
            generators.stop()

        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(stop(), name="stop at Ctrl-C")]
        try:
            result = await generators.make_trial(
                rate,
                warm_up=warm_up,
                seconds=seconds,
                seed=self._plan.seed,
                begun=lambda trial: tasks.append(asyncio.create_task(observe(trial), name="observe")),
            )
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        if len(samples) == 1:
            sample()
        phase = Phase(name, rate, result, is_bare=bool(servers.bare_of))
        if len(samples) == 2:
            (before, generators_before), (after, generators_after) = samples
            phase.cpu = _spent(before, after)
            phase.generator_cpu = [
                (late.cpu or 0.0) - (early.cpu or 0.0)
                for early, late in zip(generators_before, generators_after, strict=True)
            ]
        phase.load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
        self._out.phases.append(phase)
        return phase

    def _tell(self, done: int) -> None:
        step, total = self._step
        if total:
            self._progress(Progress(step, min(done, total), total))


async def highest_rate(passes: Callable[[float], Awaitable[bool]], ended: asyncio.Event) -> float:
    """Return the highest rate found that passes, by doubling and then halving the interval; 0 where none does."""
    passed, failed, rate = 0.0, math.inf, FIRST_PROBE
    for _ in range(MAX_PROBES):
        is_good = await passes(rate)
        if ended.is_set():
            break
        if is_good:
            passed = rate
        else:
            failed = rate
        if failed <= max(LEAST_RATE, passed * PRECISION):
            break
        rate = passed * 2 if failed == math.inf else max(LEAST_RATE, (passed + failed) / 2)
    return passed


def _spent(before: Mapping[str, Usage], after: Mapping[str, Usage]) -> dict[str, float]:
    """Return the CPU seconds between two looks, of the processes that could be seen both times."""
    return {
        label: used.cpu - start
        for label, used in after.items()
        if used.cpu is not None and (start := before[label].cpu) is not None
    }


async def load(
    profile: Profile,
    plan: LoadPlan,
    servers: Servers,
    *,
    command: str = "",
    progress: Report = no_report,
    ended: asyncio.Event | None = None,
) -> LoadReport:
    """Load servers, and return what was measured; with `ended` set, what was measured until then.

    Raises ValueError where this machine cannot open the sockets, and LoadFailed where a server refuses them.
    """
    require_ports(plan.sockets, servers.addresses)
    raise_limit(plan.sockets // plan.workers, "the load generator")
    report = LoadReport(profile, command, Machine.present(), servers.addresses)
    if plan.has_baseline and not servers.is_local:
        report.notes.append("no baseline: the servers are not on this machine's loopback interface")
    run = _Run(plan, servers, report, progress, ended := ended or asyncio.Event())
    try:
        match profile:
            case "play":
                await run.play()
            case "watch":
                await run.watch()
            case "idle":
                await run.idle()
            case "capacity":
                await run.capacity()
            case _:
                assert_never(profile)
    except _Interrupted:
        pass
    report.is_interrupted = ended.is_set()
    return report
