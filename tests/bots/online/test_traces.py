"""A shown search, as an analyst sends it: within the limits of messages, and what the search itself finds."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from cornered import engine
from cornered.bots.bot import Limit, Thought
from cornered.bots.online.analyst import serve_analysis
from cornered.bots.online.traces import MAX_TRACE_NODES, messages_of, searched, send_trace
from cornered.bots.pool.pool import Pool
from cornered.bots.textbook.recording import Recorded, Recording, record
from cornered.clients.sdk import Client
from cornered.protocol.codec import MAX_FRAME, MSGPACK
from cornered.protocol.commands import Analysed
from cornered.protocol.messages import StopAnalysis, TraceSearch
from cornered.protocol.traces import MAX_SENT_LINES, MAX_TRACE_LINES, SearchName, TraceSettings
from cornered.protocol.values import GameSpec
from cornered.server.analysis.state import TraceSoFar
from cornered.server.analysis.traces import read_lines
from tests.bots.online.scenes import accept_analyst
from tests.clients.sdk.scripted import Wire, connected, scripted
from tests.waiting import until


def job(name: SearchName, depth: int, lines: int = MAX_TRACE_LINES, **options: int) -> TraceSearch:
    game = engine.load("isolation", **options)
    return TraceSearch(
        job="j",
        game=GameSpec(name="isolation", options=dict(game.options)),
        position=str(game.start()),
        settings=TraceSettings(search=name, depth=depth),
        milliseconds=60_000,
        lines=lines,
    )


def test_the_server_takes_every_message() -> None:
    searches: tuple[tuple[SearchName, dict[str, int]], ...] = (
        ("minimax", {"width": 3, "height": 3}),
        ("korf", {"width": 3, "height": 3, "players": 4}),
        ("mcts", {"width": 4}),
    )
    for name, options in searches:
        lines = searched(job(name, 4, **options)).lines
        assert len(lines) <= MAX_TRACE_LINES
        so_far, start = TraceSoFar(), engine.load("isolation", **options).start()
        for part in messages_of(lines):
            assert len(part) <= MAX_SENT_LINES
            message = Analysed(id="x" * 40, job="y" * 32, trace=part)
            assert len(message.model_dump_json().encode()) <= MAX_FRAME
            assert len(MSGPACK.encode(message)) <= MAX_FRAME
            so_far = read_lines(so_far, part, start)
        assert so_far.lines == lines


def test_a_search_visits_a_bounded_number_of_positions() -> None:
    recorded = searched(job("minimax", 12, width=4, height=4))
    assert recorded.thought.nodes <= MAX_TRACE_NODES
    assert recorded.thought.score is None


async def test_a_cancelled_search_ends_in_its_thread_too(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stops, remaining = threading.Event(), list[threading.Event](), list[float | None]()

    class Watched(Recording):
        def has_left(self) -> bool:
            begun.set()
            return super().has_left()

    def watched(state: engine.State, settings: TraceSettings, limit: Limit, **others: Any) -> Recorded:
        recorded = record(state, settings, limit, **others)
        stops.append(others["stop"])
        remaining.append(limit.remaining)
        return recorded

    monkeypatch.setattr("cornered.bots.textbook.recording.Recording", Watched)
    monkeypatch.setattr("cornered.bots.online.traces.record", watched)
    monkeypatch.setattr("cornered.bots.online.traces.MAX_TRACE_NODES", 10**9)
    with ThreadPoolExecutor(1) as thread:
        sending = asyncio.create_task(send_trace(cast("Client", None), job("minimax", 12, width=5, height=5), thread))
        await until(begun.is_set)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        await until(lambda: stops)
    assert stops[0].is_set()
    assert remaining[0], "it ended before its time was over"


async def test_at_most_one_shown_search_runs_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = list[str](), list[int]()
    release, is_over = threading.Event(), asyncio.Event()

    def stubborn(asked: TraceSearch, stop: threading.Event) -> Recorded:
        running.append(asked.job)
        most.append(len(running))
        release.wait()
        running.remove(asked.job)
        return Recorded((), Thought("a1"))

    async def script(wire: Wire) -> None:
        await accept_analyst(wire, "isolation")
        for number in range(3):
            await wire.say(job("minimax", 2, width=3, height=3).model_copy(update={"job": f"j{number}"}))
            # The pong comes after the job, so by then the analyst has it.
            await wire.pong()
            if number < 2:
                await wire.say(StopAnalysis(job=f"j{number}"))
        await wire.acknowledge(await wire.hear(Analysed))
        is_over.set()
        await wire.stay()

    monkeypatch.setattr("cornered.bots.online.traces.searched", stubborn)
    async with asyncio.timeout(60), scripted(script) as server, connected(server) as client:
        serving = asyncio.create_task(serve_analysis(client, cast("Pool", None), "random", jobs=3))
        try:
            for number in range(3):
                await until(lambda number=number: client.jobs.is_wanted(f"j{number}"))  # type: ignore[misc]
                await until(lambda: running)
                await client.ping()
        finally:
            release.set()
        await is_over.wait()
    await serving
    assert set(most) == {1}
    assert len(most) == 2, "a search that was stopped before its turn does not run"


def test_a_job_bounds_the_lines() -> None:
    assert len(searched(job("minimax", 3, lines=100, width=3, height=3)).lines) == 100
