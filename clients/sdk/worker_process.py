"""Worker processes: started under a fork server, sent requests through a pipe, waited for with a time limit, ended.

Everything here blocks.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    # The first is missing on Windows.
    from multiprocessing.context import ForkServerContext, SpawnContext

__all__ = ["Hung", "Lost", "WorkerProcess", "has_fork_server", "pass_for_main", "start_fork_server"]

MAIN_NAME: Final = "CORNERED_MAIN_NAME"
MAIN_FILE: Final = "CORNERED_MAIN_FILE"
"""The environment variables that name the program that starts the fork server."""

LOOK_AGAIN_S: Final = 0.01
"""The shortest time between two looks at how much CPU time a worker has used."""

Answering: TypeAlias = Callable[[Any], object]
"""Maps a request to its answer."""


class Lost(Exception):
    """A worker died or hangs, or its pool is closed; it cannot be used any more."""


class Hung(Lost):
    """A worker gave no answer in time, and may still run."""


class WorkerProcess:
    """A process that answers requests in their order, and the pipe to it.

    The process calls `main(*arguments)` for the function that answers. It ignores Ctrl-C, and ends when the pipe or the
    process that started it ends. What it has started itself ends with it, where the system has process groups.
    """

    def __init__(self, main: Callable[..., Answering], *arguments: object, daemon: bool) -> None:
        # Never fork: a forked process inherits locks of threads that it does not have.
        context: ForkServerContext | SpawnContext
        if has_fork_server():
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

    def exchange(self, request: object, timeout_s: float | None, *, patience_s: float = 0.0) -> Any:
        """Return the answer to a request. Raises Lost where none comes within the time limit.

        With `patience_s` the limit is of CPU time, where the system tells it, for so many seconds at most: a process
        that other processes keep from running does not hang.
        """
        try:
            with self._line:
                used = self.cpu_seconds()
                self.connection.send(request)
                if not self._has_answer(timeout_s, patience_s, used):
                    raise Hung("it hangs")
                return self.connection.recv()
        except (EOFError, OSError) as error:
            raise Lost("it died") from error

    def _has_answer(self, timeout_s: float | None, patience_s: float, used: float | None) -> bool:
        """Return whether an answer comes; the process had `used` that much CPU time before."""
        if self.connection.poll(timeout_s):
            return True
        if timeout_s is None or used is None:
            return False
        until = monotonic() + patience_s - timeout_s
        while (left := until - monotonic()) > 0:
            now = self.cpu_seconds()
            if now is None or now - used >= timeout_s:
                return False
            # It cannot have used its time before that.
            if self.connection.poll(min(left, max(LOOK_AGAIN_S, timeout_s - (now - used)))):
                return True
        return False

    def cpu_seconds(self) -> float | None:
        """Return the CPU time that the process has used; None where the system does not tell, or it has ended."""
        if sys.platform.startswith("linux") and self.process.pid is not None:
            with suppress(OSError):
                # The clock of a process, as clock_getcpuclockid(3) names it.
                return time.clock_gettime((~self.process.pid << 3) | 2)
        return None

    def end(self) -> None:
        """Kill the process and wait for its end. Idempotent, and safe in several threads."""
        with self._ending:
            _kill_group(self.process.pid)
            self.process.kill()
            self.process.join()
            # An exchange in another thread fails now, and releases the line.
            with self._line:
                self.connection.close()


def has_fork_server() -> bool:
    """Return whether workers are forked from a server that has loaded their modules; otherwise they are spawned."""
    return "forkserver" in multiprocessing.get_all_start_methods()


def start_fork_server(modules: Sequence[str], variables: Mapping[str, str]) -> None:
    """Start the process that forks all workers, unless it runs or there is none. It imports `modules`.

    One of them has to call `pass_for_main`. The workers see `variables` in their environment. Ctrl-C in the terminal
    reaches neither the server nor its workers.
    """
    if not has_fork_server():
        return
    # The tracker's start unblocks SIGINT again, so it comes first.
    resource_tracker.ensure_running()
    forkserver.set_forkserver_preload(list(modules))
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    inherited = {
        **variables,
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
    if hasattr(os, "setsid"):
        os.setsid()
    threading.Thread(target=_end_with_parent, name="end with parent", daemon=True).start()
    with suppress(EOFError, OSError):
        answer = main(*arguments)
        while True:
            connection.send(answer(connection.recv()))
    # Without cleaning up: shared memory cannot be closed while bots hold views of it.
    _kill_group(os.getpid())
    os._exit(0)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    _kill_group(os.getpid())
    os._exit(1)


def _kill_group(pid: int | None) -> None:
    """Kill the process that leads a group, and all processes of it."""
    if hasattr(os, "killpg") and pid is not None:
        # It leads no group yet, or has ended with all of them.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
