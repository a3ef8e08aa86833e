"""The tracer of the SDK: which commands it traces, what it does while the collector is away, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator, Sequence
from functools import partial

import pytest
import structlog
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from structlog.testing import capture_logs

from cornered.protocol.commands import Play, Resign
from cornered.server.adapters.tracer_otel import (
    BATCH_SPANS,
    MAX_QUEUE,
    TRACES_BURST,
    TRACES_RATE,
    Batches,
    Deliveries,
    OtelTracer,
    connect,
)
from cornered.server.tracing import MAX_CONTEXT_CHARS, NO_SPAN, NO_TRACER
from tests.server.collector import collector, of_sdk
from tests.waiting import until

PLAY = Play(id="p", match="m", ply=3, move="a1")


class Blocked(SpanExporter):
    """A collector that takes a batch only when it is let, and refuses it where `is_away`."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.go = threading.Event()
        self.is_away = True
        self.taken: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.entered.set()
        self.go.wait()
        if self.is_away:
            logging.getLogger("opentelemetry.somewhere").warning("no route to %s", "it")
            logging.getLogger("opentelemetry.somewhere").error("given up")
            return SpanExportResult.FAILURE
        self.taken += spans
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        self.go.set()


@pytest.fixture
def blocked() -> Iterator[Blocked]:
    """An exporter whose thread ends with the test."""
    made = Blocked()
    yield made
    made.go.set()


def receive(tracer: OtelTracer, times: int = 1) -> int:
    """Receive commands; return how many of them are traced."""
    now = asyncio.get_running_loop().time()
    traced = 0
    for _ in range(times):
        with tracer.receive(PLAY, now) as span:
            traced += span is not NO_SPAN
    return traced


def have_failed(deliveries: Deliveries, spans: int) -> bool:
    return deliveries.failed == spans


async def test_a_context_is_a_traceparent_that_another_tracer_goes_on_from() -> None:
    memory = InMemorySpanExporter()
    one, two = (OtelTracer(SimpleSpanProcessor(memory), name, 1, flush_seconds=1) for name in ("one", "two"))
    with one.receive(Resign(id="r", match="m"), asyncio.get_running_loop().time() - 2.0) as first:
        assert len(first.context) == MAX_CONTEXT_CHARS
        with two.step("execute", first.context, is_remote=True):
            pass
    executed, received = of_sdk(memory.get_finished_spans())
    assert (executed.parent, executed.trace, executed.node) == (received.id, received.trace, "two")
    assert received.attributes == {"cornered.match": "m", "cornered.command": "resign"}
    _, raw = memory.get_finished_spans()
    assert (raw.end_time or 0) - (raw.start_time or 0) >= 2_000_000_000


async def test_a_step_without_a_good_context_is_not_recorded() -> None:
    memory = InMemorySpanExporter()
    tracer = OtelTracer(SimpleSpanProcessor(memory), "one", 1, flush_seconds=1)
    for context in ("", "x", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "é" * MAX_CONTEXT_CHARS):
        with tracer.step("append", context) as span:
            span.event("sent", "two")
        assert span is NO_SPAN
    assert memory.get_finished_spans() == ()


async def test_a_step_that_fails_says_so_and_ends_once() -> None:
    memory = InMemorySpanExporter()
    tracer = OtelTracer(SimpleSpanProcessor(memory), "one", 1, flush_seconds=1)
    with pytest.raises(OSError, match="secret"), tracer.receive(PLAY, 0.0) as span:
        raise OSError("secret")
    span.end()
    (recorded,) = of_sdk(memory.get_finished_spans())
    assert (recorded.status, recorded.events) == ("OSError", [])


async def test_a_share_of_the_commands_is_traced() -> None:
    numbers = iter([0.0, 0.24, 0.25, 0.99])
    tracer = OtelTracer(
        SimpleSpanProcessor(InMemorySpanExporter()), "one", 0.25, flush_seconds=1, chance=lambda: next(numbers)
    )
    assert [receive(tracer) for _ in range(4)] == [1, 1, 0, 0]
    untraced = OtelTracer(SimpleSpanProcessor(InMemorySpanExporter()), "one", 0, flush_seconds=1)
    assert receive(untraced, 1_000) == 0


async def test_the_traces_of_a_second_are_bounded() -> None:
    now = 0.0
    tracer = OtelTracer(SimpleSpanProcessor(InMemorySpanExporter()), "one", 1, flush_seconds=1, now=lambda: now)
    assert receive(tracer, 1_000) == TRACES_BURST
    now = 0.5
    assert receive(tracer, 1_000) == TRACES_RATE / 2


async def test_a_collector_that_hangs_holds_a_bounded_number_of_spans_and_nothing_up(blocked: Blocked) -> None:
    deliveries = Deliveries(blocked, "collector")
    tracer = OtelTracer(Batches(deliveries), "one", 1, flush_seconds=1)
    first = tracer.receive(PLAY, 0.0)
    for _ in range(MAX_QUEUE + 100):
        tracer.step("decide", first.context).end()
    # The spans ended while the exporter's thread waited.
    assert blocked.entered.is_set()
    assert (deliveries.overflowed, deliveries.delivered, deliveries.failed) == (100, 0, 0)
    blocked.is_away = False
    blocked.go.set()
    await tracer.close()
    assert (deliveries.overflowed, deliveries.delivered, len(blocked.taken)) == (100, MAX_QUEUE, MAX_QUEUE)


async def test_an_outage_of_the_collector_is_one_line_with_its_reason_and_its_end_another(
    blocked: Blocked, capsys: pytest.CaptureFixture[str]
) -> None:
    structlog.reset_defaults()
    deliveries = Deliveries(blocked, "collector")
    tracer = OtelTracer(Batches(deliveries), "one", 1, flush_seconds=60)
    blocked.go.set()
    first = tracer.receive(PLAY, 0.0)
    with capture_logs() as lines:
        for number in range(1, 6):
            for _ in range(BATCH_SPANS):
                tracer.step("decide", first.context).end()
            await until(partial(have_failed, deliveries, BATCH_SPANS * number))
        blocked.is_away = False
        first.end()
        await tracer.close()
        await until(lambda: len(lines) == 2)
    failing, working = lines
    assert failing == {
        "event": "traces are lost: the collector does not take them",
        "collector": "collector",
        "reason": "no route to it",
        "log_level": "warning",
    }
    assert (working["event"], working["lost"]) == ("the collector takes traces again", 5 * BATCH_SPANS)
    assert capsys.readouterr().err == ""


async def test_a_stop_waits_for_a_collector_that_hangs_no_longer_than_it_may(blocked: Blocked) -> None:
    structlog.reset_defaults()
    tracer = OtelTracer(Batches(Deliveries(blocked, "collector")), "one", 1, flush_seconds=0.01)
    receive(tracer)
    with capture_logs() as lines:
        await tracer.close()
    assert [line["event"] for line in lines] == ["the last traces are lost: the collector is too slow"]
    # The exporter was told to end, which lets its thread go.
    assert blocked.go.is_set()


async def test_a_collector_that_refuses_is_reported_with_its_host_alone() -> None:
    structlog.reset_defaults()
    with capture_logs() as lines:
        async with collector("404 Not Found") as refusing:
            tracer = connect(refusing.url.replace("//", "//user:password@"), "one", 1, flush_seconds=60)
            receive(tracer)
            await tracer.close()
            await until(lambda: lines)
    (line,) = lines
    assert (line["collector"], line["log_level"]) == ("127.0.0.1", "warning")
    assert "404" in line["reason"]
    assert "password" not in str(line)
    assert refusing.headers[0]["authorization"].startswith("Basic ")


async def test_headers_of_the_sdks_variables_go_with_the_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc")
    async with collector() as collected:
        tracer = connect(collected.url, "one", 1, flush_seconds=60)
        receive(tracer)
        await tracer.close()
    assert [span.name for span in collected.spans] == ["receive"]
    assert collected.headers[0]["authorization"] == "Bearer abc"


async def test_the_tracer_of_servers_without_a_collector_gives_every_step_the_same_object() -> None:
    span = NO_TRACER.receive(PLAY, 0.0)
    assert span is NO_TRACER.step("append", span.context) is NO_SPAN
    with span as same:
        same.event("sent", "two")
    assert (span.context, same) == ("", span)
    await NO_TRACER.close()
