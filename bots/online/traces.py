"""A search as an analyst shows it: run in a thread, recorded, and sent in messages that the server takes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from threading import Event
from time import monotonic
from typing import Final

from cornered import engine
from cornered.bots.bot import Limit, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.recording import Recorded, record
from cornered.clients.sdk import Client
from cornered.protocol.messages import TraceSearch
from cornered.protocol.traces import MAX_SENT_LINES

__all__ = ["MAX_TRACE_NODES", "messages_of", "searched", "send_trace"]

MAX_TRACE_NODES: Final = 10_000
"""Positions that a shown search visits: a second of plain Python, which no other work waits for."""
MAX_SENT_BYTES: Final = 7_000
"""Bytes of the lines in one message, below the frame limit."""
JSON_BYTES: Final = 3
"""Quotes and the comma around a line."""
TIME_SHARE: Final = 0.6
"""The part of a job's time that the search may take; the rest is for its messages."""


def searched(job: TraceSearch, stop: Event | None = None) -> Recorded:
    """Run the search of a job to its end, or until `stop` is set. Raises a ValueError where it is not for this game."""
    state = engine.load(job.game.name, **job.game.options).parse(job.position)
    # The first use of the rules and of the evaluation may load or compile them, which is no time of the search.
    evaluator(state.game.name).evaluate(state.play(state.moves()[0]), state.to_move)
    limit = Limit(time=int(TIME_SHARE * job.milliseconds), nodes=MAX_TRACE_NODES, started=monotonic())
    return record(state, job.settings, limit, most=job.lines, stop=stop)


def messages_of(lines: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the lines in parts, each within the limits of one message."""
    part: list[str] = []
    size = 0
    for line in lines:
        if part and (len(part) >= MAX_SENT_LINES or size + len(line) + JSON_BYTES > MAX_SENT_BYTES):
            yield tuple(part)
            part, size = [], 0
        part.append(line)
        size += len(line) + JSON_BYTES
    if part:
        yield tuple(part)


async def send_trace(client: Client, job: TraceSearch, thread: Executor) -> Thought:
    """Run the search of a job in a thread and send its lines; return its thought, for the last message.

    A cancelled search ends soon too. Raises CommandRefused, NotUnderstood and ValueError.
    """
    stop = Event()
    try:
        recorded = await asyncio.get_running_loop().run_in_executor(thread, searched, job, stop)
    finally:
        stop.set()
    for part in messages_of(recorded.lines):
        await client.jobs.tell(job.job, trace=part)
    return recorded.thought
