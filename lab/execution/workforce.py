"""Many independent pieces of work, on every core of this machine or on a Dask cluster.

Work is a picklable function of one item. Each result comes back once, as soon as it is done, whatever processes die in
between, and so not in the order of the items.
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

from cornered.lab.execution.cluster import Cluster
from cornered.lab.execution.processes import Batch, Death, Part, Processes, WorkerDied

__all__ = ["Death", "Workforce", "in_order"]

T = TypeVar("T")
R = TypeVar("R")

HANG_CHECK_INTERVAL_S: Final = 0.25
"""Seconds between checks for processes that hang."""
ITEM_TRIES: Final = 2
"""How many processes an item may end in which it is alone, until it is lost."""
FRUITLESS_DEATHS_MAX: Final = 20
"""How many processes in a row may end before they begin an item."""


@dataclass(slots=True)
class _Pace:
    """The size of batches: they take about `aim` seconds, so that each is cheap and workers share the rest."""

    low: int
    high: int
    aim: float
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.size = self.low

    @property
    def box(self) -> float:
        """Seconds after which the rest of a batch is divided again."""
        return 5 * self.aim

    def learn(self, items: int, seconds: float) -> None:
        fitting = self.high if seconds <= 0 else int(items * self.aim / seconds)
        self.size = max(self.low, min(self.high, fitting, 2 * self.size))


@dataclass(slots=True)
class _Errand(Generic[T, R]):
    """One call of `carry_out`: its items that wait, and those in work."""

    number: int
    function: Callable[[T], R]
    items: Iterator[tuple[int, T]]
    patience: float | None
    pace: _Pace
    again: deque[Sequence[tuple[int, T]]] = field(default_factory=deque)
    """Items of batches whose worker has not begun them."""
    suspects: deque[tuple[int, T]] = field(default_factory=deque)
    """Items that a process may have died of; each is tried again alone."""
    running: dict[Future[Part[R]], Batch[T, R]] = field(default_factory=dict)
    deaths: Counter[int] = field(default_factory=Counter)
    """How many processes died of an item that was alone, by its place."""
    fruitless: int = 0
    """How many processes have died since the last result without beginning an item."""

    def next(self) -> Sequence[tuple[int, T]]:
        return self.again.popleft() if self.again else list(itertools.islice(self.items, self.pace.size))

    def submit(self, entries: Sequence[tuple[int, T]], site: Cluster | Processes, *, alone: bool = False) -> None:
        batch = Batch(self.number, self.function, entries, self.patience, self.pace.box, alone)
        self.running[site.submit(batch)] = batch

    def take(self, batch: Batch[T, R], part: Part[R]) -> Iterator[tuple[int, R]]:
        """Yield the results of a part of a batch; queue the rest again."""
        self.fruitless = 0
        if part.results:
            self.pace.learn(len(part.results), part.seconds)
        # The next batches are as long as what there was time for.
        fitting = max(1, len(part.results))
        for first in range(len(part.results), len(batch.entries), fitting):
            self.again.append(batch.entries[first : first + fitting])
        for (place, _), result in zip(batch.entries, part.results, strict=False):
            yield place, result

    def on_worker_death(self, batch: Batch[T, R], died: WorkerDied) -> tuple[int, T] | None:
        """Queue again what a dead process had; return the item that it has certainly died of, if any.

        Raises a ChildProcessError where processes cannot work at all.
        """
        beat = died.beat
        if beat is None or beat.errand < 0:
            self.fruitless += 1
            if self.fruitless >= FRUITLESS_DEATHS_MAX:
                raise ChildProcessError(f"processes end before they begin to work; the last one {died}")
        at = None if beat is None or beat.errand != self.number else beat.place
        culprit = next((entry for entry in batch.entries if entry[0] == at), None)
        if innocent := [entry for entry in batch.entries if entry is not culprit]:
            if batch.is_alone:
                self.suspects.extend(innocent)
            else:
                self.again.append(innocent)
        if culprit is not None:
            # One that hung says itself which item it was; a second one rules out that the machine had stopped.
            self.deaths[culprit[0]] += batch.is_alone or died.death.is_hung
            if self.deaths[culprit[0]] >= ITEM_TRIES:
                return culprit
            self.suspects.append(culprit)
        return None


class Workforce:
    """The workers that carry out work. Get it from `Workforce.open`."""

    def __init__(self, processes: Processes, cluster: Cluster | None = None) -> None:
        self._processes = processes
        self._cluster = cluster
        self._errands = itertools.count()
        self.workers = processes.workers if cluster is None else cluster.workers

    @classmethod
    @contextmanager
    def open(cls, workers: int | None = None, cluster: str | None = None) -> Iterator[Workforce]:
        """Start so many processes, by default one a core, or join the Dask scheduler at `cluster`.

        With a cluster, processes of this machine only retry what its workers died of. Raises a ValueError that says
        what to do for a cluster that cannot be joined.
        """
        count = workers or os.cpu_count() or 1
        if count < 1:
            raise ValueError(f"work needs 1 worker or more, not {count}")
        with ExitStack() as stack:
            joined = None if cluster is None else stack.enter_context(Cluster.open(cluster))
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cornered-")))
            processes = Processes(count, folder)
            stack.callback(processes.close)
            yield cls(processes, joined)

    def carry_out(
        self,
        function: Callable[[T], R],
        items: Iterable[T],
        *,
        batch: int | None = None,
        patience: float | None = None,
        lost: Callable[[T, Death], R] | None = None,
    ) -> Generator[tuple[int, R], None, None]:
        """Yield the place of each item and what `function` makes of it, as soon as it is done.

        `batch` items go to a worker at once; by default as many as take a tenth of a second. What `function` raises is
        raised here. An item whose process dies is retried, alone in a new process; when that has died twice, the result
        is `lost(item, death)`, or a ChildProcessError without `lost`. A process without a sign of life
        (`heartbeat.beat`) for `patience` seconds is ended. Closing the generator cancels what has not begun.
        """
        if batch is not None and batch < 1:
            raise ValueError(f"a batch has 1 item or more, not {batch}")
        low, high, aim = (1, 512, 0.1) if self._cluster is None else (10, 50, 2.0)
        pace = _Pace(low, high, aim) if batch is None else _Pace(batch, batch, aim)
        errand = _Errand(next(self._errands), function, iter(enumerate(items)), patience, pace)
        try:
            while True:
                is_all = self._hand_out(errand)
                if is_all and not errand.running:
                    return
                for future in self._wait(errand):
                    yield from self._settle(errand, future, lost)
        finally:
            here = [future for future, each in errand.running.items() if self._is_here(each)]
            if here:
                self._processes.abandon(errand.number)
            if self._cluster is not None:
                self._cluster.abandon(errand.running.keys() - set(here))

    def _is_here(self, batch: Batch[T, R]) -> bool:
        """Say whether a process of this machine has the batch."""
        return self._cluster is None or batch.is_alone

    def _wait(self, errand: _Errand[T, R]) -> list[Future[Part[R]]]:
        """Return the errand's futures that are done; where none is, wait a moment for the workers that have its
        batches, or, while none has any, for those that are busy with other errands."""
        if not any(future.done() for future in errand.running):
            sites = [self._is_here(batch) for batch in errand.running.values()]
            is_here = all(sites or [self._cluster is None or bool(errand.suspects)])
            self._processes.wait(HANG_CHECK_INTERVAL_S if is_here else 0)
            if self._cluster is not None and not is_here:
                self._cluster.wait(HANG_CHECK_INTERVAL_S)
        return [future for future in errand.running if future.done()]

    def _hand_out(self, errand: _Errand[T, R]) -> bool:
        """Submit batches while there is room for them, suspects first; say whether no item is left."""
        while errand.suspects and self._processes.has_room(alone=True):
            errand.submit([errand.suspects.popleft()], self._processes, alone=True)
        site = self._cluster or self._processes
        # Bounded by the batches of this errand too: workers may be quicker than the consumer of its results.
        while len(errand.running) < site.most and site.has_room():
            entries = errand.next()
            if not entries:
                return not errand.suspects
            errand.submit(entries, site)
        return False

    def _settle(
        self, errand: _Errand[T, R], future: Future[Part[R]], lost: Callable[[T, Death], R] | None
    ) -> Iterator[tuple[int, R]]:
        """Yield the results of a future that is done. Where its process died, queue its items or yield the lost one."""
        batch = errand.running.pop(future)
        if self._cluster is not None and not batch.is_alone:
            if self._cluster.has_lost(future):
                errand.suspects.extend(batch.entries)
            else:
                yield from errand.take(batch, future.result())
            return
        try:
            part = future.result()
        except WorkerDied as died:
            culprit = errand.on_worker_death(batch, died)
            if culprit is not None:
                place, item = culprit
                if lost is None:
                    raise ChildProcessError(f"every process that works on {item!r} dies; the last one {died}") from None
                yield place, lost(item, died.death)
        else:
            yield from errand.take(batch, part)


def in_order(results: Iterable[tuple[int, R]]) -> Iterator[R]:
    """Yield results in the order of their items, each as soon as all before it are there."""
    waiting: dict[int, R] = {}
    following = 0
    for place, result in results:
        waiting[place] = result
        while following in waiting:
            yield waiting.pop(following)
            following += 1
