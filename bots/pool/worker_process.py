"""The workers of a pool, which choose moves, and the fork server that has loaded what their bots need.

Everything here blocks.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Final

from cornered.bots.bot import Thought
from cornered.bots.pool.blas import ONE_THREAD
from cornered.bots.pool.warming import PRELOAD, Preparation
from cornered.bots.pool.worker_main import Done, Failed, ReadyCheck, ThinkJob, WorkerSlot, answering
from cornered.bots.roster import is_of_roster
from cornered.clients.sdk import worker_process
from cornered.clients.sdk.worker_process import Lost, WorkerProcess, has_fork_server

__all__ = ["Worker", "start_fork_server"]

START_TIMEOUT_S: Final = 600.0
"""Seconds for a worker's start: on a machine that cannot keep compiled kernels each one compiles its own."""

log = logging.getLogger("cornered.pool")


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

    def ask(self, job: ThinkJob, timeout_s: float | None, patience_s: float = 0.0) -> Thought | Failed:
        """Return the answer to `job`. Raises Lost where none comes within the limits, which are those of `exchange`."""
        answer: Thought | Failed | Done = self.exchange(job, timeout_s, patience_s=patience_s)
        if isinstance(answer, Done):
            raise Lost("it answers another question")
        return answer


def start_fork_server(bots: Sequence[str], *modules: str) -> None:
    """Start the process that forks all workers, unless it runs. It loads what `bots` need, and `modules`.

    Without a fork server, workers are spawned.
    """
    if not has_fork_server():
        os.environ.update(ONE_THREAD)
        return
    # Of other bots, a file's or a program, the fork server would have one for all workers.
    own = " ".join(filter(is_of_roster, bots))
    worker_process.start_fork_server(["cornered.bots.pool.preload", *modules], {**ONE_THREAD, PRELOAD: own})
