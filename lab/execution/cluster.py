"""A Dask scheduler and its workers on many machines, which carry out batches as processes of this machine do."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager, suppress
from functools import cache
from time import monotonic
from typing import Any, Final, TypeVar

import numba

from cornered import bots, lab
from cornered.engine.compile.kernel import cache_of, modules_of
from cornered.lab.execution import heartbeat
from cornered.lab.execution.processes import Batch, Part, picklable_errors

__all__ = ["Cluster"]

T = TypeVar("T")
R = TypeVar("R")

CLUSTER_SCHEMES: Final = ("tcp://", "tls://")
CONNECT_TIMEOUT_S: Final = 10.0
"""Seconds for the scheduler to answer, and then for its first worker to be there."""
BATCHES_PER_WORKER: Final = 4
"""The most batches for each worker, those in work included."""
RETRIES: Final = 2
"""How often Dask retries a batch that raises an error."""
WORKER_COUNT_INTERVAL_S: Final = 5.0
"""Seconds between counts of the workers, which come and go."""

log = logging.getLogger("cornered.lab")
_turn = threading.Lock()


class Cluster:
    """The workers of a Dask scheduler. Get it from `Cluster.open`."""

    def __init__(self, address: str, client: Any, executor: Executor) -> None:
        self.address = address
        self._client = client
        self._executor = executor
        self._futures: set[Future[Any]] = set()
        self._counted = monotonic()
        self.workers = self._count()
        """How many workers the last count found."""

    @classmethod
    @contextmanager
    def open(cls, address: str) -> Iterator[Cluster]:
        """Join a scheduler. Raises a ValueError that says what to do when Dask, the scheduler, its certificates or its
        workers are missing.

        Certificates come from Dask's configuration (`distributed.comm.tls`), in files or the environment.
        """
        if not address.startswith(CLUSTER_SCHEMES):
            raise ValueError(f"a cluster's address looks like tcp://host:8786 or tls://host:8786, not {address!r}")
        try:
            import distributed
        except ImportError:
            raise ValueError("a cluster needs Dask: pip install 'cornered[cluster]'") from None
        _check_certificates(address)
        try:
            with mismatches_logged():
                # Dask's annotations leave these out.
                connect: Any = distributed.Client
                client = connect(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False, name="cornered")
        except OSError as error:
            raise ValueError(f"no Dask scheduler answers at {address}: {error}") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_S)
            except TimeoutError:
                how = f"start some on each machine: dask worker {address} --nthreads 1 --nworkers -1"
                raise ValueError(f"the scheduler at {address} has no workers; {how}") from None
            # Not pure: two equal batches are two tasks.
            yield cls(address, client, client.get_executor(pure=False, retries=RETRIES))

    def has_room(self) -> bool:
        """Say whether another batch can be submitted."""
        if monotonic() - self._counted > WORKER_COUNT_INTERVAL_S:
            # That the scheduler is gone is raised in `has_lost`.
            with suppress(OSError):
                self.workers = self._count()
            self._counted = monotonic()
        return len(self._pending()) < self.most

    @property
    def most(self) -> int:
        """The most batches at once."""
        return BATCHES_PER_WORKER * max(1, self.workers)

    def wait(self, seconds: float) -> None:
        """Wait until a batch is done, at most so many seconds."""
        wait(self._pending(), seconds, FIRST_COMPLETED)

    def _pending(self) -> set[Future[Any]]:
        self._futures = {future for future in self._futures if not future.done()}
        return self._futures

    def submit(self, batch: Batch[T, R]) -> Future[Part[R]]:
        """Have a worker carry out a batch."""
        future = self._executor.submit(_carry_out, batch, sources_digest())
        self._futures.add(future)
        return future

    def has_lost(self, future: Future[Any]) -> bool:
        """Say whether Dask gave up a batch since each worker that had it died. Raises a ConnectionError when the
        scheduler is gone."""
        from distributed import KilledWorker

        try:
            return isinstance(future.exception(), KilledWorker)
        except CancelledError:
            raise ConnectionError(f"the scheduler at {self.address} is gone; start it and the command again") from None

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Cancel the batches that have not begun."""
        for future in futures:
            future.cancel()

    def _count(self) -> int:
        return len(self._client.nthreads())


def _check_certificates(address: str) -> None:
    import dask
    from distributed import Security

    if address.startswith("tls://") and not dask.config.get("distributed.client.security-loader", None):
        security: Any = Security()  # type: ignore[no-untyped-call]
        if not (security.tls_ca_file and security.tls_client_cert):
            names = "tls.ca-file, tls.client.cert and tls.client.key of distributed.comm"
            raise ValueError(f"{address} needs certificates: set {names} in Dask's configuration")


@contextmanager
def mismatches_logged() -> Iterator[None]:
    """Log which versions of packages differ between the machines. Only those that change games are refused, with each
    batch."""
    from distributed.versions import VersionMismatchWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VersionMismatchWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, VersionMismatchWarning):
            log.warning("%s", warning.message)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


@cache
def sources_digest() -> str:
    """Return what decides which games are played for a seed: our sources, and the compiler that is used."""
    modules = modules_of(bots) + modules_of(lab)
    return f"{cache_of('cornered.lab.contests.arena', *modules).name} numba-{numba.__version__}"


def _carry_out(batch: Batch[T, R], sources: str) -> Part[R]:
    """Carry out a batch on a Dask worker. Raises a ValueError where the same seeds would give other games."""
    if sources != sources_digest():
        raise ValueError("workers and this machine have different versions of cornered or numba; install the same")
    # One at a time, even on a worker with several threads: bots are not thread-safe.
    with _turn:
        before = heartbeat.current()
        heartbeat.install(heartbeat.Alarm())
        try:
            with picklable_errors():
                return batch.carry_out()
        finally:
            heartbeat.install(before)
