"""Worker processes: started under a fork server, sent requests through a pipe, waited for with a time limit, ended.

Everything here blocks.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cornered.bots.bot import Thought
from cornered.bots.pool.blas import ONE_THREAD
from cornered.bots.pool.warming import PRELOAD, Preparation
from cornered.bots.pool.worker_main import Done, Failed, ReadyCheck, ThinkJob, WorkerSlot, answering
from cornered.bots.ugi.command import is_program

if TYPE_CHECKING:
    # The first is missing on Windows.
    from multiprocessing.context import ForkServerContext, SpawnContext

__all__ = ["Lost", "Worker", "WorkerProcess", "pass_for_main", "start_fork_server"]

MAIN_NAME: Final = "CORNERED_MAIN_NAME"
MAIN_FILE: Final = "CORNERED_MAIN_FILE"
"""The environment variables that name the program that starts the fork server."""
START_TIMEOUT_S: Final = 600.0
"""Seconds for a worker's start: on a machine that cannot keep compiled kernels each one compiles its own."""

Answering: TypeAlias = Callable[[Any], object]
"""Maps a request to its answer."""

log = logging.getLogger("cornered.pool")


class Lost(Exception):
    """A worker died or hangs, or its pool is closed; it cannot be used any more."""


class WorkerProcess:
    """A process that answers requests in their order, and the pipe to it.

    The process calls `main(*arguments)` for the function that answers. It ignores Ctrl-C, and ends when the pipe or the
    process that started it ends.
    """

    def __init__(self, main: Callable[..., Answering], *arguments: object, daemon: bool) -> None:
        # Never fork: a forked process inherits locks of threads that it does not have.
        context: ForkServerContext | SpawnContext
        if "forkserver" in multiprocessing.get_all_start_methods():
            context = multiprocessing.get_context("forkserver")
        else:
            context = multiprocessing.get_context("spawn")
        self.connection, there = multiprocessing.Pipe()
        self.process: BaseProcess = context.Process(
            target=_serve, args=(there, main, arguments), name="bot worker", daemon=daemon
        )
        self._ending = threading.Lock()
        self._line = threading.Lock()
        """Held from a request to its answer."""
        self.process.start()
        # With the only other copy in the worker, its death is the end of the file here, even within a message.
        there.close()

    def exchange(self, request: object, timeout_s: float | None) -> Any:
        """Return the answer to a request. Raises Lost where none comes within the time limit."""
        try:
            with self._line:
                self.connection.send(request)
                if not self.connection.poll(timeout_s):
                    raise Lost("it hangs")
                return self.connection.recv()
        except (EOFError, OSError) as error:
            raise Lost("it died") from error

    def end(self) -> None:
        """Kill the process and wait for its end. Idempotent, and safe in several threads."""
        with self._ending:
            self.process.kill()
            self.process.join()
            # An exchange in another thread fails now, and releases the line.
            with self._line:
                self.connection.close()


class Worker(WorkerProcess):
    """A worker of a pool: it chooses moves in the workspace of the shared memory that is its slot's."""

    def __init__(self, slot: WorkerSlot) -> None:
        super().__init__(answering, slot, daemon=True)
        self.slot = slot
        self.prepared: dict[Preparation, bool] = {}
        """For each preparation that was tried, whether it succeeded."""

    @classmethod
    def start(cls, slot: WorkerSlot, preparations: Sequence[Preparation] = ()) -> Worker:
        """Return a worker that has loaded what `preparations` need. Raises Lost."""
        worker = cls(slot)
        try:
            worker.exchange(ReadyCheck(), START_TIMEOUT_S)
            for preparation in preparations:
                worker.prepare(preparation)
        except Lost as lost:
            worker.end()
            raise Lost(f"{lost} while it started") from lost
        return worker

    def prepare(self, preparation: Preparation) -> bool:
        """Load what the bot needs to play the game, once; return whether it can. Raises Lost."""
        if preparation not in self.prepared:
            answer = self.exchange(preparation, START_TIMEOUT_S)
            self.prepared[preparation] = not isinstance(answer, Failed)
            if isinstance(answer, Failed):
                log.error("%s cannot play %s: %s", preparation.bot, preparation.game, answer.error)
        return self.prepared[preparation]

    def ask(self, job: ThinkJob, timeout_s: float | None) -> Thought | Failed:
        """Return the answer to `job`. Raises Lost where none comes within the time limit."""
        answer: Thought | Failed | Done = self.exchange(job, timeout_s)
        if isinstance(answer, Done):
            raise Lost("it answers another question")
        return answer


def start_fork_server(bots: Sequence[str], *modules: str) -> None:
    """Start the process that forks all workers, unless it runs. It loads what `bots` need, and `modules`.

    Ctrl-C in the terminal reaches neither it nor its workers. Without a fork server, workers are spawned.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        os.environ.update(ONE_THREAD)
        return
    # The tracker's start unblocks SIGINT again, so it comes first.
    resource_tracker.ensure_running()
    forkserver.set_forkserver_preload(["cornered.bots.pool.preload", *modules])
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    inherited = {
        **ONE_THREAD,
        # A program that the fork server started would be one process for all workers.
        PRELOAD: " ".join(bot for bot in bots if not is_program(bot)),
        MAIN_NAME: getattr(getattr(main, "__spec__", None), "name", ""),
        MAIN_FILE: os.path.abspath(file) if file else "",
    }
    before = {name: os.environ.get(name) for name in inherited}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.update(inherited)
    try:
        forkserver.ensure_running()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def pass_for_main() -> None:
    """Make the fork server look as if it had loaded the program that started it.

    Otherwise each worker loads that program first, which takes a second and serves no purpose.
    """
    main = sys.modules["__main__"]
    if name := os.environ.get(MAIN_NAME):
        main.__spec__ = ModuleSpec(name, None)
    if file := os.environ.get(MAIN_FILE):
        main.__file__ = file
    elif hasattr(main, "__file__"):
        # A notebook has none. An empty one would break `inspect.getmodule` in every worker.
        del main.__file__


def _serve(connection: Connection, main: Callable[..., Answering], arguments: Sequence[object]) -> None:
    # Ctrl-C reaches the whole process group; the process that owns the workers ends them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end with parent", daemon=True).start()
    with suppress(EOFError, OSError):
        answer = main(*arguments)
        while True:
            connection.send(answer(connection.recv()))
    # Without cleaning up: shared memory cannot be closed while bots hold views of it.
    os._exit(0)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
