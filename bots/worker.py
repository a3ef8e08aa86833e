"""The other side of the pool: a process that thinks about one position after another."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection

import engine
from bots.bot import Bot, Limit, Thought
from bots.roster import create
from engine import OptionValue
from engine.warming import warm

__all__ = ["Failed", "Job", "Ready", "think", "work"]


@dataclass(frozen=True, slots=True)
class Job:
    """A question: what would `bot` play in this position? Text and numbers only, so that it travels cheaply."""

    bot: str
    game: str
    options: Mapping[str, OptionValue]
    position: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Ready:
    """The first word of a worker: everything is loaded and compiled."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot raised an exception, which is a fault in the bot; the worker is well."""

    error: str


def think(job: Job, known: dict[str, Bot]) -> Thought:
    """Return the answer to `job`; `known` keeps the bots between jobs."""
    if job.bot not in known:
        known[job.bot] = create(job.bot)
    return known[job.bot].choose(engine.load(job.game, **job.options).parse(job.position), job.limit)


def work(connection: Connection) -> None:
    """Answer jobs until the other side is gone."""
    # Ctrl-C reaches the whole process group; who ends when is the pool's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    known: dict[str, Bot] = {}
    try:
        warm()
        connection.send(Ready())
        while True:
            job: Job = connection.recv()
            try:
                answer: Thought | Failed = think(job, known)
            except Exception as error:
                answer = Failed(f"{type(error).__name__}: {error}")
            connection.send(answer)
    except (EOFError, OSError):
        return
