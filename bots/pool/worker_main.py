"""The worker's side of the pool: answers to the requests that come through its pipe, one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from cornered import engine
from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.pool.warming import Preparation, exercise
from cornered.bots.roster import create
from cornered.bots.search.borrower import MemoryBorrower
from cornered.engine import OptionValue

if TYPE_CHECKING:
    from cornered.bots.search.memory import SearchMemory

__all__ = ["Done", "Failed", "JobAnswer", "ReadyCheck", "ThinkJob", "WorkerSlot", "answering", "think"]

WORKER_NICENESS: Final = 5
"""Processes that carry moves on this machine go first, since players wait for them."""


@dataclass(frozen=True, slots=True)
class WorkerSlot:
    """A worker's number, which is its workspace's, and the name of the memory that the pool shares."""

    number: int
    memory: str


@dataclass(frozen=True, slots=True)
class ThinkJob:
    """A request for the move of `bot` in a position; text and numbers only, so that it is cheap to pickle."""

    bot: str
    game: str
    options: Mapping[str, OptionValue]
    position: str
    limit: Limit
    seed: int | None = None
    """With a seed a new bot with private memory answers, so that the answer is reproducible."""


@dataclass(frozen=True, slots=True)
class ReadyCheck:
    """Answered with Done by a worker that has started."""


@dataclass(frozen=True, slots=True)
class Done:
    """The answer to a ReadyCheck, and to a Preparation that is loaded and compiled."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot raised an exception; the worker goes on."""

    error: str


JobAnswer: TypeAlias = Thought | Done | Failed


def think(job: ThinkJob, known: dict[str, Bot], memory: SearchMemory | None = None) -> Thought:
    """Return the answer to `job`; `known` keeps the bots between jobs, and each searches in `memory`."""
    if job.seed is not None:
        bot = create(job.bot, job.seed)
    elif (known_bot := known.get(job.bot)) is not None:
        bot = known_bot
    else:
        bot = known[job.bot] = create(job.bot)
        if memory is not None and isinstance(bot, MemoryBorrower):
            bot.lend(memory)
    return bot.choose(engine.load(job.game, **job.options).parse(job.position), job.limit)


def answering(slot: WorkerSlot) -> Callable[[ReadyCheck | ThinkJob | Preparation], JobAnswer]:
    """Return the function that answers requests in a worker process."""
    from cornered.bots.search.memory import SearchMemory

    os.nice(WORKER_NICENESS)
    known: dict[str, Bot] = {}
    memory = SearchMemory.attach(slot.memory, slot.number)

    def answer(request: ReadyCheck | ThinkJob | Preparation) -> JobAnswer:
        try:
            match request:
                case ThinkJob():
                    return think(request, known, memory)
                case Preparation():
                    exercise(request)
                case ReadyCheck():
                    pass
        except Exception as error:
            return Failed(f"{type(error).__name__}: {error}")
        return Done()

    return answer
