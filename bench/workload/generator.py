"""A generator process: it opens players, watchers and idle connections, and makes trials with them.

It reads commands as JSON lines from standard input, answers each with one JSON line after lines of progress, and ends
with its input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final

from cornered.bench.workload.arrivals import OpenLoop, Timer, poisson
from cornered.bench.workload.crowd import DRAIN_EVERY_S, Watching
from cornered.bench.workload.descriptors import raise_limit
from cornered.bench.workload.plan import Crowd, Table, Trial, TrialResult
from cornered.bench.workload.play import Play
from cornered.bench.workload.player import LOST, LoadFailed
from cornered.bench.workload.timer import monotonic_timer
from cornered.server.app import new_event_loop, settle_memory

__all__ = ["Generator", "main"]

PROGRESS_S: Final = 0.5


class Generator:
    """Everything that one process opened, and the trials that it makes with it."""

    def __init__(self, timer: Timer, tell: Callable[[dict[str, Any]], None]) -> None:
        self._timer = timer
        self._tell = tell
        self._play: Play | None = None
        self._crowds: list[Watching] = []
        self._bare_crowd: Watching | None = None
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """End the trial under way."""
        self._stopped.set()

    async def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out a command, and return the answer. Raises LoadFailed, OSError and TimeoutError."""
        match command:
            case {"do": "table", "table": given}:
                return await self._open_table(Table(**_with_tuples(given)))
            case {"do": "crowd", "crowd": given}:
                return await self._open_crowd(Crowd(**_with_tuples(given)))
            case {"do": "trial", "trial": given}:
                result = await self._make_trial(Trial(**given))
                return {"result": result.to_json(), "faults": [] if self._play is None else self._play.faults}
            case _:
                raise ValueError(f"there is no command {command!r}")

    def close(self) -> None:
        """Close all connections."""
        for one in (self._play, *self._crowds):
            if one is not None:
                one.close()

    async def _open_table(self, table: Table) -> dict[str, Any]:
        raise_limit(2 * table.pairs + 1_000, "the load generator")
        self._play = Play(table, lambda done: self._tell({"progress": done}))
        await self._play.open()
        settle_memory()
        return {"matches": self._play.names}

    async def _open_crowd(self, crowd: Crowd) -> dict[str, Any]:
        raise_limit(crowd.count + 1_000, "the load generator")
        watching = Watching(crowd, lambda done: self._tell({"progress": done}))
        self._crowds.append(watching)
        await watching.open()
        if crowd.is_bare:
            self._bare_crowd = watching
        settle_memory()
        return {}

    async def _make_trial(self, trial: Trial) -> TrialResult:
        self._stopped.clear()
        for crowd in self._crowds:
            crowd.begin(trial)
        telling = asyncio.create_task(self._tell_progress(trial), name="progress")
        try:
            result = await self._make_moves(trial)
        finally:
            telling.cancel()
        if self._crowds:
            # Counted watchers are emptied once more after the last move.
            await asyncio.sleep(2 * DRAIN_EVERY_S)
        for crowd in self._crowds:
            result.add(crowd.end())
        return result

    async def _make_moves(self, trial: Trial) -> TrialResult:
        if self._play is not None and trial.rate > 0:
            return await self._play.run(trial, self._timer, self._stopped)
        result = TrialResult()
        work: Coroutine[Any, Any, None] = self._timer.until(trial.end)
        if self._bare_crowd is not None and trial.rate > 0:
            work.close()
            work = self._say_to_all(trial, self._bare_crowd, result)
        working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        result.seconds = max(0.0, min(trial.end, self._timer.now()) - trial.measured_from)
        for task in (working, stopping):
            task.cancel()
        await asyncio.wait({working, stopping})
        return result

    async def _say_to_all(self, trial: Trial, crowd: Watching, result: TrialResult) -> None:
        """Let a bare server write to its crowd at the trial's rate."""
        times = poisson(trial.rate, random.Random(trial.seed))
        loop: OpenLoop[Watching]

        def send(one: Watching, due: float) -> None:
            one.say(due)
            loop.release(one)

        def note(due: float, late: float) -> None:
            if trial.measured_from <= due < trial.end:
                result.due += 1
                result.late.record(late)

        loop = OpenLoop(send)
        loop.release(crowd)
        await loop.drive(times, self._timer, trial.start, trial.end, note)

    async def _tell_progress(self, trial: Trial) -> None:
        while True:
            self._tell({"progress": max(0, round(self._timer.now() - trial.start))})
            await asyncio.sleep(PROGRESS_S)


def _with_tuples(given: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def _tell(message: dict[str, Any]) -> None:
    # The reader may have ended; then this process ends with its input.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(f"{json.dumps(message)}\n")
        sys.stdout.flush()


async def _run() -> None:
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, "")

    threading.Thread(target=read, daemon=True).start()
    with monotonic_timer() as timer:
        generator = Generator(timer, _tell)
        working: asyncio.Task[None] | None = None
        while line := await lines.get():
            command = json.loads(line)
            if command == {"do": "stop"}:
                generator.stop()
            else:
                working = asyncio.create_task(_answer(generator, command), name=command["do"])
        if working is not None:
            working.cancel()
        generator.close()


async def _answer(generator: Generator, command: dict[str, Any]) -> None:
    try:
        _tell({"answer": await generator.obey(command)})
    except (*LOST, LoadFailed, ValueError, BaseExceptionGroup) as error:
        first: BaseException = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        if not isinstance(first, (*LOST, LoadFailed, ValueError)):
            raise
        _tell({"error": str(first) or type(first).__name__})


def main() -> None:
    """Run a generator process."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_run())


if __name__ == "__main__":
    main()
