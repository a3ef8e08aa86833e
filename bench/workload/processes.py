"""The generator processes as the measuring process sees them, and what processes use of the machine."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from cornered.bench.workload.plan import Crowd, Table, Trial, TrialResult
from cornered.bench.workload.player import LoadFailed

__all__ = ["Generators", "Usage", "usage_of"]

LINE_LIMIT: Final = 1 << 26
"""Bytes of one answer, which holds histograms for each second."""
START_LEAD_S: Final = 0.3
"""Time until a trial's start, so that every process has the command before it."""
END_TIMEOUT_S: Final = 10.0
_STAT_UTIME: Final = 11
"""Index of a process's user time in /proc/PID/stat, after the name in parentheses; the system time follows."""
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100

Tell = Callable[[int], None]


class Usage:
    """CPU seconds and resident bytes of a process; None where the system does not tell, or the process has ended."""

    __slots__ = ("cpu", "resident")

    def __init__(self, cpu: float | None, resident: int | None) -> None:
        self.cpu = cpu
        self.resident = resident


def usage_of(pid: int, *, with_children: bool = False) -> Usage:
    """Return what a process uses, threads included; with its children and theirs for a database server."""
    pids = [pid, *(_descendants(pid) if with_children else ())]
    # Children that ended are in the times of their parent that follow its own.
    found = [one for one in (_read(each, with_ended=with_children) for each in pids) if one is not None]
    if not found:
        return Usage(None, None)
    return Usage(sum(cpu for cpu, _ in found), sum(resident for _, resident in found))


def _stat(pid: int) -> list[str] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None


def _read(pid: int, *, with_ended: bool) -> tuple[float, int] | None:
    fields = _stat(pid)
    if fields is None:
        return None
    times = fields[_STAT_UTIME : _STAT_UTIME + (4 if with_ended else 2)]
    return sum(map(int, times)) / _TICKS, int(fields[21]) * _PAGE_BYTES


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for one in Path("/proc").glob("[0-9]*"):
        fields = _stat(int(one.name))
        if fields is not None:
            parents.setdefault(int(fields[1]), []).append(int(one.name))
    found: list[int] = []
    level = parents.get(pid, [])
    while level:
        found += level
        level = [child for one in level for child in parents.get(one, [])]
    return found


class _GeneratorProcess:
    """One generator process."""

    def __init__(self, process: asyncio.subprocess.Process, tell: Tell) -> None:
        self._process = process
        self._tell = tell

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, command: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(f"{json.dumps(command)}\n".encode())

    async def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a command. Raises LoadFailed."""
        assert self._process.stdout is not None
        self.send(command)
        while line := await self._process.stdout.readline():
            match json.loads(line):
                case {"progress": int() as done}:
                    self._tell(done)
                case {"answer": dict() as answer}:
                    return answer
                case {"error": str() as text}:
                    raise LoadFailed(text, "error")
                case other:
                    raise ValueError(f"a load generator answered {other!r}")
        raise LoadFailed("a load generator ended unexpectedly; what it wrote is above", "ended")

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class Generators:
    """All generator processes; each takes its share of the pairs, the connections and the rate."""

    def __init__(self, processes: Sequence[_GeneratorProcess], done: list[int]) -> None:
        self._processes = processes
        self._shares = [1.0]
        self._sockets = 0
        self._done = done
        """Progress of each process in the present command."""
        self.faults: list[str] = []

    @classmethod
    @asynccontextmanager
    async def start(cls, count: int, tell: Tell) -> AsyncIterator[Generators]:
        """Run `count` processes inside the block. `tell` gets the progress of all, summed up for connections."""
        done = [0] * count
        processes: list[_GeneratorProcess] = []

        def teller(index: int) -> Tell:
            def tell_sum(value: int) -> None:
                done[index] = value
                tell(sum(done))

            return tell_sum

        try:
            for index in range(count):
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "cornered.bench.workload.generator"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    limit=LINE_LIMIT,
                    # Ctrl-C in the terminal is for the measuring process, which asks for what was measured so far.
                    start_new_session=True,
                )
                processes.append(_GeneratorProcess(process, teller(index)))
            yield cls(processes, done)
        finally:
            await asyncio.gather(*(process.end() for process in processes))

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    async def open_table(self, table: Table) -> list[str]:
        """Open the pairs and their matches; return the ids of the matches. Raises LoadFailed."""
        count = min(len(self._processes), table.pairs)
        pairs, bots = _split(table.pairs, count), _split(table.bot_pairs, count)
        matches = [table.matches * share // table.pairs for share in pairs]
        matches[0] += table.matches - sum(matches)
        self._shares = [share / table.matches for share in matches]
        tables = [
            replace(table, pairs=p, bot_pairs=b, matches=m, first_socket=2 * sum(pairs[:i]), seed=table.seed + i)
            for i, (p, b, m) in enumerate(zip(pairs, bots, matches, strict=True))
        ]
        self._sockets += 2 * table.pairs
        answers = await self._ask_all([{"do": "table", "table": asdict(one)} for one in tables])
        return [name for answer in answers for name in answer["matches"]]

    async def open_crowd(self, crowd: Crowd) -> None:
        """Open connections that send nothing. Raises LoadFailed."""
        count = 1 if crowd.is_bare else min(len(self._processes), crowd.count)
        counts, timed = _split(crowd.count, count), _split(crowd.timed, count)
        crowds = [
            replace(crowd, count=c, timed=min(c, t), first_socket=self._sockets + sum(counts[:i]))
            for i, (c, t) in enumerate(zip(counts, timed, strict=True))
        ]
        self._sockets += crowd.count
        await self._ask_all([{"do": "crowd", "crowd": asdict(one)} for one in crowds])

    async def make_trial(
        self, rate: float, *, warm_up: float, seconds: float, seed: int, begun: Callable[[Trial], None] = lambda _: None
    ) -> TrialResult:
        """Make moves at a rate, and return what all processes observed. `begun` gets the trial before its start."""
        loop_start = time.monotonic() + START_LEAD_S
        whole = Trial(rate=rate, warm_up=warm_up, seconds=seconds, start=loop_start, seed=seed)
        begun(whole)
        shares = [*self._shares, *([0.0] * (len(self._processes) - len(self._shares)))]
        trials = [replace(whole, rate=rate * share, seed=seed + 1_000 * i) for i, share in enumerate(shares)]
        answers = await self._ask_all([{"do": "trial", "trial": asdict(one)} for one in trials])
        result = TrialResult()
        for answer in answers:
            result.add(TrialResult.from_json(answer["result"]))
            self.faults += answer["faults"]
        return result

    def stop(self) -> None:
        """End the trial under way; `make_trial` returns what was observed so far."""
        for process in self._processes:
            process.send({"do": "stop"})

    async def _ask_all(self, commands: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        self._done[:] = [0] * len(self._done)
        pairs = zip(self._processes, commands, strict=False)
        return list(await asyncio.gather(*(process.ask(command) for process, command in pairs)))


def _split(total: int, count: int) -> list[int]:
    return [total * (index + 1) // count - total * index // count for index in range(count)]
