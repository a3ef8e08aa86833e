"""The other side of the pool: a process that thinks about one position after another."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final, TypeAlias

from cornered import engine
from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.pool.warming import Preparation, exercise
from cornered.bots.roster import create
from cornered.bots.search.borrower import MemoryBorrower
from cornered.engine import OptionValue

if TYPE_CHECKING:
    from cornered.bots.search.memory import Memory

__all__ = ["Answer", "Done", "Failed", "Job", "Ready", "WorkerSlot", "think", "work"]

MODESTY: Final = 5
"""How nice workers are: what carries moves to and fro on this machine goes first, since it makes others wait."""


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """Where a worker sits: its number among the others, and the name of the memory that they share."""

    number: int
    memory: str


@dataclass(frozen=True, slots=True)
class Job:
    """A question: what would `bot` play in this position? Text and numbers only, so that it travels cheaply."""

    bot: str
    game: str
    options: Mapping[str, OptionValue]
    position: str
    limit: Limit
    seed: int | None = None
    """With a seed the question goes to a bot that knows nothing of any other, so the answer can be had again."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The first word of a worker: it takes questions."""


@dataclass(frozen=True, slots=True)
class Done:
    """What was to be prepared is loaded and compiled."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot raised an exception, which is a fault in the bot; the worker is well."""

    error: str


Answer: TypeAlias = Thought | Done | Failed


def think(job: Job, known: dict[str, Bot], memory: Memory | None = None) -> Thought:
    """Return the answer to `job`; `known` keeps the bots between jobs, and each is lent `memory`."""
    if job.seed is not None:
        bot = create(job.bot, job.seed)
    elif (known_bot := known.get(job.bot)) is not None:
        bot = known_bot
    else:
        bot = known[job.bot] = create(job.bot)
        if memory is not None and isinstance(bot, MemoryBorrower):
            bot.lend(memory)
    return bot.choose(engine.load(job.game, **job.options).parse(job.position), job.limit)


def _answer(question: Job | Preparation, known: dict[str, Bot], memory: Memory) -> Answer:
    try:
        if isinstance(question, Job):
            return think(question, known, memory)
        exercise(question)
        return Done()
    except Exception as error:
        return Failed(f"{type(error).__name__}: {error}")


def work(connection: Connection, slot: WorkerSlot) -> None:
    """Answer questions until the other side is gone."""
    from cornered.bots.search.memory import Memory

    # Ctrl-C reaches the whole process group; who ends when is the pool's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(MODESTY)
    known: dict[str, Bot] = {}
    with contextlib.suppress(EOFError, OSError):
        memory = Memory.attach(slot.memory, slot.number)
        connection.send(Ready())
        while True:
            connection.send(_answer(connection.recv(), known, memory))
    # Nothing is left to put in order, and the memory cannot be closed in order while bots look into it.
    os._exit(0)
