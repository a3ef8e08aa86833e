"""Worker processes of this machine. Each has an executor to itself, so that whatever dies takes nothing else with it.

One executor with many processes ends them all as soon as one of them dies, and games on a clock would notice.
"""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Final, Generic, TypeVar

from cornered.bots.pool.worker_process import preloading
from cornered.lab.execution import heartbeat

__all__ = ["Batch", "Death", "Part", "Processes", "over"]

T = TypeVar("T")
R = TypeVar("R")

PRELOADED: Final = ["cornered.bots.pool.preload", "cornered.lab.contests.arena"]
"""What the fork server loads before its first child, so that all of them start in milliseconds."""
QUEUED: Final = 2
"""How many batches a worker has at once: one in work, and one so that it never waits for the next."""

LOOKING: Final = 0.02
"""Seconds between looks whether anybody still wants the results."""

GOING: Final = "cannot schedule new futures after shutdown"
"""What an executor says instead of BrokenProcessPool to who comes while it is just breaking."""


@dataclass(frozen=True, slots=True)
class Part(Generic[R]):
    """What came of the first items of a batch, perhaps of all, and how many seconds it took."""

    results: list[R]
    seconds: float


@dataclass(frozen=True, slots=True)
class Batch(Generic[T, R]):
    """Items with their places in an errand, and the function that is to be carried out for each.

    `patience` is in seconds, as `heartbeat.beat` has it. A worker that has been at it for `box` seconds gives the rest
    back, so that a batch of items that turn out long is shared again.
    """

    errand: int
    function: Callable[[T], R]
    entries: Sequence[tuple[int, T]]
    patience: float | None
    box: float

    def carry_out(self, over: Path | None = None) -> Part[R]:
        """Return the results of as many items as there is time for, but at least one; of none when nobody wants them
        any more, which is when there is a file `over`."""
        heart = heartbeat.current()
        began = looked = perf_counter()
        results: list[R] = []
        is_wanted = over is None or not over.exists()
        try:
            for place, item in self.entries:
                if not is_wanted:
                    break
                heart.begin(self.errand, place, self.patience)
                results.append(self.function(item))
                now = perf_counter()
                if now - began > self.box:
                    break
                if now - looked > LOOKING:
                    looked, is_wanted = now, over is None or not over.exists()
        finally:
            heart.rest()
        return Part(results, perf_counter() - began)


@dataclass(frozen=True, slots=True)
class Death:
    """How a process came to its end while it worked on an item. `words` are its last (`heartbeat.beat`)."""

    cause: str
    words: str = ""
    is_hung: bool = False
    """Whether it was ended because it gave no sign of life in time."""


class _Context(ForkServerContext):
    """Remembers the process that an executor starts, which has no public name there."""

    def __init__(self) -> None:
        super().__init__()
        self.started: BaseProcess | None = None

    def Process(self, *args: Any, **named: Any) -> BaseProcess:  # type: ignore[override]  # a class in the base
        self.started = ForkServerContext.Process(*args, **named)
        return self.started


class _Worker:
    """One process behind an executor of its own. It starts with its first batch."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._context = _Context()
        self._executor = ProcessPoolExecutor(1, self._context, _enter, (str(folder),))
        self._futures: set[Future[Any]] = set()
        self._is_alone = False
        self._is_hung = False

    def pending(self) -> set[Future[Any]]:
        """Return the futures of the batches that it has."""
        self._futures = {future for future in self._futures if not future.done()}
        return self._futures

    @property
    def load(self) -> int:
        """How many batches it has; as many as it can for one that must be alone."""
        pending = len(self.pending())
        return QUEUED if self._is_alone and pending else pending

    def submit(self, batch: Batch[T, R], *, alone: bool) -> Future[Part[R]]:
        """Raises BrokenProcessPool when the process has died in the meantime."""
        try:
            with _interrupts_put_off():
                future = self._executor.submit(_carry_out, batch, str(self._folder))
        except RuntimeError as error:
            if str(error) == GOING:
                raise BrokenProcessPool("its process is gone") from error
            raise
        self._futures.add(future)
        self._is_alone = alone
        return future

    def beat(self) -> heartbeat.Beat | None:
        """Return its newest sign of life."""
        process = self._context.started
        return None if process is None or process.pid is None else heartbeat.read(self._folder, process.pid)

    def watch(self) -> None:
        """End the process if its next sign of life is overdue, or break its futures if it is dead."""
        process = self._context.started
        if process is None or process.pid is None or not self.pending():
            return
        if wait([process.sentinel], 0):
            # Most often the executor is about to see it as well, and `end` lets it; but it may have been before the
            # last batch, of which nobody would hear again.
            self.end()
        elif (beat := self.beat()) is not None and beat.deadline != inf and beat.deadline < monotonic():
            self._is_hung = True
            self._kill()

    def autopsy(self) -> Death:
        """Return how the process died, when it has."""
        self.end()
        process, beat = self._context.started, self.beat()
        code = None if process is None else process.exitcode
        if self._is_hung:
            cause = "gave no sign of life any more"
        elif code is None:
            cause = "could not be started"
        elif code < 0:
            named = {one.value: one.name for one in signal.Signals}
            cause = f"was ended by {named.get(-code, f'signal {-code}')}"
        else:
            cause = f"ended with exit code {code}"
        return Death(cause, "" if beat is None else beat.words, self._is_hung)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._kill()
        # The executor joins the process: only one thread may ask how it ended, or the answer is lost between two.
        self._executor.shutdown(wait=True)
        # It breaks what it knows of. A batch that came while it did so is known to nobody but us.
        for future in self.pending():
            future.set_exception(BrokenProcessPool("its process was gone when it came"))

    def _kill(self) -> None:
        process = self._context.started
        if process is not None and process.pid is not None:
            process.kill()


class Processes:
    """Some workers. What they tell about themselves is in the files of a folder."""

    def __init__(self, count: int, folder: Path) -> None:
        self.workers = count
        self._folder = folder
        self._staff: list[_Worker] = []
        self._owners: dict[Future[Any], _Worker] = {}

    @property
    def most(self) -> int:
        """How many batches there may be at once."""
        return QUEUED * self.workers

    def has_room(self, *, alone: bool = False) -> bool:
        """Say whether another batch can be submitted, or one that has to be alone in its process."""
        return self._lightest().load < (1 if alone else QUEUED)

    def wait_for_room(self, seconds: float) -> None:
        """Wait until a batch is done, but no longer than so many seconds."""
        concurrent.futures.wait([one for worker in self._staff for one in worker.pending()], seconds, FIRST_COMPLETED)

    def submit(self, batch: Batch[T, R], *, alone: bool = False) -> Future[Part[R]]:
        """Have a worker carry out a batch: `alone`, in a process that has done nothing before."""
        worker = self._lightest()
        if alone:
            worker = self._replace(worker)
        try:
            future = worker.submit(batch, alone=alone)
        except BrokenProcessPool:
            # It died, and nothing of what it had has been settled since.
            worker = self._replace(worker)
            future = worker.submit(batch, alone=alone)
        self._owners[future] = worker
        return future

    def settle(self, future: Future[Any]) -> tuple[Death, heartbeat.Beat | None] | None:
        """Forget a future that is done. Return how its process died, if it did, and what its last sign of life was."""
        worker = self._owners.pop(future, None)
        if worker is None or not isinstance(future.exception(), BrokenProcessPool):
            return None
        death = worker.autopsy()
        if worker in self._staff:
            self._replace(worker)
        return death, worker.beat()

    def watch(self) -> None:
        """End every process whose next sign of life is overdue, and break the futures of those that are dead."""
        for worker in self._staff:
            worker.watch()

    def abandon(self, errand: int, futures: Sequence[Future[Any]]) -> None:
        """Let workers know that nobody wants the results of an errand any more; they finish the item in work."""
        # Cancelled futures would upset an executor that breaks before it has noticed them.
        if not futures:
            return
        over(self._folder, errand).touch()
        for future in futures:
            self._owners.pop(future, None)

    def close(self) -> None:
        """End all processes, whatever they are doing."""
        for worker in self._staff:
            worker.end()

    def _lightest(self) -> _Worker:
        if len(self._staff) < self.workers:
            idle = next((worker for worker in self._staff if worker.load == 0), None)
            if idle is None:
                if not self._staff:
                    _start_fork_server()
                self._staff.append(idle := _Worker(self._folder))
            return idle
        return min(self._staff, key=lambda worker: worker.load)

    def _replace(self, worker: _Worker) -> _Worker:
        worker.end()
        new = self._staff[self._staff.index(worker)] = _Worker(self._folder)
        return new


def over(folder: Path, errand: int) -> Path:
    """Return the file that is there when nobody wants the results of an errand any more."""
    return folder / f"errand-{errand}-is-over"


def _start_fork_server() -> None:
    """Start the process that workers come from, so that Ctrl-C in the terminal reaches neither it nor them."""
    # It starts another helper, which would let the signal through again.
    resource_tracker.ensure_running()
    forkserver.set_forkserver_preload(PRELOADED)
    with preloading(()), _without_interrupts():
        forkserver.ensure_running()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block; processes that start in it never get it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _interrupts_put_off() -> Iterator[None]:
    """Let Ctrl-C count at the end of the block: a process that is half started would complain that we are gone."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    interrupts: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if interrupts:
            signal.raise_signal(signal.SIGINT)


def _enter(folder: str) -> None:
    """Begin a worker's life."""
    # Somebody else may have started the fork server; Ctrl-C is for the process that has the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    heartbeat.install(heartbeat.File(Path(folder)))
    threading.Thread(target=_end_with_parent, name="end with parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


@contextmanager
def travelling() -> Iterator[None]:
    """Raise what the block raises as something that can go from one process to another."""
    try:
        yield
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            # What cannot travel would look like a process that died.
            raise RuntimeError("".join(traceback.format_exception(error))) from None
        raise


def _carry_out(batch: Batch[T, R], folder: str) -> Part[R]:
    with travelling():
        return batch.carry_out(over(Path(folder), batch.errand))
