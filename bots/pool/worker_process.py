"""A worker process as the pool sees it: started, asked, told to stop, ended. Everything here blocks."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final, Self

from cornered.bots.bot import Thought
from cornered.bots.pool.blas import ONE_THREAD
from cornered.bots.pool.warming import PRELOAD, Preparation
from cornered.bots.pool.worker_main import Answer, Done, Failed, Job, Ready, WorkerSlot, work

__all__ = ["Lost", "Worker", "pass_for_main", "preloading"]

MAIN_NAME: Final = "CORNERED_MAIN_NAME"
MAIN_FILE: Final = "CORNERED_MAIN_FILE"
"""The environment variables that tell the fork server what program it belongs to."""
START_PATIENCE: Final = 600.0
"""Seconds that a worker has to start: on a machine that cannot keep compiled kernels each one compiles its own."""


log = logging.getLogger("cornered.pool")


class Lost(Exception):
    """A worker died or hangs, or its pool is closed; it is of no use any more."""


@dataclass(eq=False)
class Worker:
    """A process, the line to it, and the slot that it has: its number, and what it shares with the others."""

    process: BaseProcess
    connection: Connection
    slot: WorkerSlot
    prepared: dict[Preparation, bool] = field(default_factory=dict)
    ending: threading.Lock = field(default_factory=threading.Lock)
    line: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def start(cls, slot: WorkerSlot, preparations: Sequence[Preparation] = ()) -> Self:
        """Return a worker that is ready for what it was to prepare. Raises Lost."""
        # Never fork: a forked process inherits locks of threads that it does not have.
        process: BaseProcess
        here, there = multiprocessing.Pipe()
        if "forkserver" in multiprocessing.get_all_start_methods():
            server = multiprocessing.get_context("forkserver")
            server.set_forkserver_preload(["cornered.bots.pool.preload"])
            process = server.Process(target=work, args=(there, slot), name="bot worker", daemon=True)
        else:
            spawn = multiprocessing.get_context("spawn")
            process = spawn.Process(target=work, args=(there, slot), name="bot worker", daemon=True)
        process.start()
        there.close()
        worker = cls(process, here, slot)
        try:
            if not here.poll(START_PATIENCE) or not isinstance(here.recv(), Ready):
                raise Lost("it did not become ready")
            for preparation in preparations:
                worker.prepare(preparation)
        except (EOFError, OSError) as error:
            worker.end()
            raise Lost("it died while it started") from error
        except Lost:
            worker.end()
            raise
        return worker

    def prepare(self, preparation: Preparation) -> bool:
        """Have the worker load what it takes to play a game; say whether the bot can. Raises Lost."""
        if preparation not in self.prepared:
            answer = self._exchange(preparation, START_PATIENCE)
            self.prepared[preparation] = not isinstance(answer, Failed)
            if isinstance(answer, Failed):
                log.error("%s cannot play %s: %s", preparation.bot, preparation.game, answer.error)
        return self.prepared[preparation]

    def ask(self, job: Job, patience: float | None) -> Thought | Failed:
        """Return the answer to `job`. Raises Lost when none comes within `patience` seconds."""
        answer = self._exchange(job, patience)
        if isinstance(answer, Done):
            raise Lost("it answers another question")
        return answer

    def _exchange(self, question: Job | Preparation, patience: float | None) -> Answer:
        try:
            with self.line:
                self.connection.send(question)
                if not self.connection.poll(patience):
                    raise Lost("it hangs")
                answer: Answer = self.connection.recv()
        except (EOFError, OSError) as error:
            raise Lost("it died") from error
        return answer

    def end(self) -> None:
        """End the process, whatever it is doing; may be called twice, and by two threads."""
        with self.ending:
            self.process.kill()
            self.process.join()
            # Whoever still waits for an answer hears now that none will come, and lets go of the line.
            with self.line:
                self.connection.close()


@contextmanager
def preloading(bots: Sequence[str]) -> Iterator[None]:
    """Let a fork server that starts inside the block load what these bots need; one that runs is as it is."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    told = {
        **ONE_THREAD,
        PRELOAD: " ".join(bots),
        MAIN_NAME: getattr(getattr(main, "__spec__", None), "name", ""),
        MAIN_FILE: os.path.abspath(file) if file else "",
    }
    before = {name: os.environ.get(name) for name in told}
    os.environ.update(told)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def pass_for_main() -> None:
    """Make the fork server look as if it had loaded the program that started it.

    Otherwise each worker would load that program before anything else, which takes a second and is of no use to it.
    """
    main = sys.modules["__main__"]
    if name := os.environ.get(MAIN_NAME):
        main.__spec__ = ModuleSpec(name, None)
    if file := os.environ.get(MAIN_FILE):
        main.__file__ = file
    elif hasattr(main, "__file__"):
        # A notebook has none. An empty one would break `inspect.getmodule` in every worker.
        del main.__file__
