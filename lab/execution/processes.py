"""Worker processes of this machine, each with a pipe of its own, so that a death costs one process.

All of it runs in the caller's thread: results are received in `Processes.wait`.
"""

from __future__ import annotations

import multiprocessing.connection
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Final, Generic, TypeVar

from cornered.bots.pool.worker_process import start_fork_server
from cornered.clients.sdk.worker_process import WorkerProcess
from cornered.lab.execution import heartbeat

__all__ = ["Batch", "Death", "Part", "Processes", "WorkerDied", "picklable_errors"]

T = TypeVar("T")
R = TypeVar("R")

PRELOADED: Final = "cornered.lab.contests.arena"
"""What the fork server loads besides the bots, so that workers start in milliseconds."""
BATCHES_PER_WORKER: Final = 2
"""One batch in work, and the next one, which is sent as soon as the result of the first comes."""
DEATH_TIMEOUT_S: Final = 1.0
"""Seconds between the end of a pipe and that of its process, after which the process is killed."""
ABANDONED_CHECK_INTERVAL_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Part(Generic[R]):
    """The results of the first items of a batch, perhaps of all, and how many seconds they took."""

    results: list[R]
    seconds: float


@dataclass(frozen=True, slots=True)
class Batch(Generic[T, R]):
    """Items with their places in an errand, and the function that is called with each.

    `patience` is in seconds, as `within` of `heartbeat.beat`. After `box` seconds the rest of the items is given back,
    so that a batch of long items is divided again.
    """

    errand: int
    function: Callable[[T], R]
    entries: Sequence[tuple[int, T]]
    patience: float | None
    box: float
    is_alone: bool = False
    """Whether it has to be carried out in a process that has done nothing before, and does nothing else."""

    def carry_out(self, abandoned: Path | None = None) -> Part[R]:
        """Return the results of as many items as there is time for, but at least one; where the file `abandoned`
        exists, of none that has not begun."""
        reporter = heartbeat.current()
        began = looked = perf_counter()
        results: list[R] = []
        is_wanted = abandoned is None or not abandoned.exists()
        try:
            for place, item in self.entries:
                if not is_wanted:
                    break
                reporter.begin(self.errand, place, self.patience)
                results.append(self.function(item))
                now = perf_counter()
                if now - began > self.box:
                    break
                if now - looked > ABANDONED_CHECK_INTERVAL_S:
                    looked, is_wanted = now, abandoned is None or not abandoned.exists()
        finally:
            reporter.rest()
        return Part(results, perf_counter() - began)


@dataclass(frozen=True, slots=True)
class Death:
    """How a process ended while it worked on an item. `words` are its last (`heartbeat.beat`)."""

    cause: str
    words: str = ""
    is_hung: bool = False
    """Whether it was killed because its next sign of life was overdue."""


class WorkerDied(Exception):
    """The process that had a batch ended before its result came. `beat` is its last sign of life."""

    def __init__(self, death: Death, beat: heartbeat.Beat | None) -> None:
        super().__init__(death.cause)
        self.death = death
        self.beat = beat


class _Worker:
    """A process, and the batches that it has, in their order; the first of them has been sent."""

    def __init__(self, folder: Path) -> None:
        # Not daemonic: daemonic processes cannot have children, which bots may start.
        self._process = WorkerProcess(batch_runner, str(folder), daemon=False)
        self._folder = folder
        self._batches: deque[tuple[bytes, Future[Any]]] = deque()
        self._is_alone = False
        self.connection = self._process.connection

    @property
    def load(self) -> int:
        """How many batches it has; the most it may have while it has one that must be alone."""
        return BATCHES_PER_WORKER if self._is_alone and self._batches else len(self._batches)

    def submit(self, batch: Batch[T, R]) -> Future[Part[R]]:
        future: Future[Part[R]] = Future()
        self._batches.append((pickle.dumps(batch), future))
        self._is_alone = batch.is_alone
        if len(self._batches) == 1:
            self._send()
        return future

    def _send(self) -> None:
        """Send the first batch: only to a process that waits for it, so that neither blocks in writing to the other."""
        # `receive` finds the end of a dead process's pipe.
        with suppress(OSError):
            self.connection.send_bytes(self._batches[0][0])

    def receive(self) -> None:
        """Complete the future of the first batch. Raises an OSError or EOFError where the process is dead."""
        answer: bytes = self.connection.recv()
        _, future = self._batches.popleft()
        if self._batches:
            self._send()
        try:
            outcome = pickle.loads(answer)
        except Exception as error:
            outcome = error
        if isinstance(outcome, Part):
            future.set_result(outcome)
        else:
            future.set_exception(outcome)

    def beat(self) -> heartbeat.Beat | None:
        """Return its newest sign of life."""
        return heartbeat.read(self._folder, self._process.process.pid or 0)

    def is_overdue(self) -> bool:
        """Say whether the deadline of its next sign of life has passed."""
        beat = self.beat()
        return beat is not None and beat.deadline < monotonic()

    def fail(self, *, is_hung: bool) -> None:
        """End the process, which is dead or hangs, and fail the futures of its batches."""
        if not is_hung:
            self._process.process.join(DEATH_TIMEOUT_S)
        self.end()
        beat, code = self.beat(), self._process.process.exitcode or 0
        if is_hung:
            cause = "gave no sign of life any more"
        elif code < 0:
            cause = f"was ended by {next((one.name for one in signal.Signals if one == -code), f'signal {-code}')}"
        else:
            cause = f"ended with exit code {code}"
        death = Death(cause, "" if beat is None else beat.words, is_hung)
        for _, future in self._batches:
            future.set_exception(WorkerDied(death, beat))

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.end()


class Processes:
    """A bounded number of workers, which start when there is work. Their signs of life are in the files of a folder."""

    def __init__(self, count: int, folder: Path) -> None:
        self.workers = count
        self._folder = folder
        self._staff: list[_Worker] = []

    @property
    def most(self) -> int:
        """The most batches at once."""
        return BATCHES_PER_WORKER * self.workers

    def has_room(self, *, alone: bool = False) -> bool:
        """Say whether another batch can be submitted, or one that has to be alone in its process."""
        least = min((worker.load for worker in self._staff), default=0)
        return len(self._staff) < self.workers or least < (1 if alone else BATCHES_PER_WORKER)

    def submit(self, batch: Batch[T, R]) -> Future[Part[R]]:
        """Have the worker that has the least to do carry out a batch; one that must be alone goes to a new process."""
        idle = next((worker for worker in self._staff if not worker.load), None)
        if idle is not None and batch.is_alone:
            self._staff.remove(idle)
            idle.end()
            idle = None
        if idle is None and len(self._staff) < self.workers:
            # In a thread, which Ctrl-C does not interrupt: a process that is half started would print a traceback.
            with ThreadPoolExecutor(1) as thread:
                thread.submit(self._start).result()
            idle = self._staff[-1]
        return (idle or min(self._staff, key=lambda worker: worker.load)).submit(batch)

    def _start(self) -> None:
        start_fork_server((), PRELOADED)
        self._staff.append(_Worker(self._folder))

    def wait(self, seconds: float) -> None:
        """Wait at most so many seconds for an answer; complete the futures of workers that have answered or died, and
        end those whose next sign of life is overdue."""
        busy = [worker for worker in self._staff if worker.load]
        ready = multiprocessing.connection.wait([worker.connection for worker in busy], seconds)
        for worker in busy:
            try:
                if worker.connection in ready:
                    worker.receive()
                elif worker.is_overdue():
                    self._fail(worker, is_hung=True)
            except (EOFError, OSError):
                self._fail(worker)

    def abandon(self, errand: int) -> None:
        """Let workers skip the items of an errand that have not begun."""
        _abandoned(self._folder, errand).touch()

    def close(self) -> None:
        """End all processes, whatever they do."""
        while self._staff:
            self._staff.pop().end()

    def _fail(self, worker: _Worker, *, is_hung: bool = False) -> None:
        self._staff.remove(worker)
        worker.fail(is_hung=is_hung)


def _abandoned(folder: Path, errand: int) -> Path:
    """Return the file that exists when the results of an errand are not wanted any more."""
    return folder / f"errand-{errand}-is-abandoned"


def batch_runner(folder: str) -> Callable[[Batch[Any, Any]], bytes]:
    """Return the function that answers batches in a worker process."""
    heartbeat.install(heartbeat.File(Path(folder)))
    return partial(_carry_out, Path(folder))


def _carry_out(folder: Path, batch: Batch[Any, Any]) -> bytes:
    """Return the batch's Part, pickled, or what it raised."""
    try:
        with picklable_errors():
            return pickle.dumps(batch.carry_out(_abandoned(folder, batch.errand)))
    except BaseException as error:
        error.add_note("".join(traceback.format_exception(error)))
        return pickle.dumps(error)


@contextmanager
def picklable_errors() -> Iterator[None]:
    """Replace an exception of the block that cannot be pickled by a RuntimeError that quotes it."""
    try:
        yield
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError("".join(traceback.format_exception(error))) from None
        raise
