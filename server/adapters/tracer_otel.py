"""Traces of commands by the OpenTelemetry SDK, delivered by OTLP over HTTP from a thread of their own.

Nothing here makes the event loop wait: a span that ends is queued, and where the queue is full it is lost. The SDK's
log is not written, since it has a line for every attempt; this module's has one for each outage of the collector.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Final
from urllib.parse import urlsplit

import structlog
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span as RecordedSpan
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from cornered.protocol.commands import MatchCommand, Play
from cornered.server import VERSION
from cornered.server.refusal import Refusal
from cornered.server.runtime.token_bucket import TokenBucket
from cornered.server.tracing import NO_SPAN, Span, Step

__all__ = ["BATCH_SPANS", "MAX_QUEUE", "TRACES_BURST", "TRACES_RATE", "Batches", "Deliveries", "OtelTracer", "connect"]

TRACES_RATE: Final = 50.0
"""Traces a second that begin at this node, which bounds what clients can make it spend on them."""
TRACES_BURST: Final = 50.0
MAX_QUEUE: Final = 2_048
"""Spans that wait for their delivery; more are lost."""
BATCH_SPANS: Final = 64
"""Spans that are encoded at once: 1.4 ms, in which the event loop may wait for the interpreter's lock."""
BATCH_INTERVAL_MS: Final = 1_000
DELIVERY_SECONDS: Final = 5.0
"""How long the collector may take for a batch, with all attempts."""
DEFAULT_PATH: Final = "/v1/traces"

_PROPAGATOR: Final = TraceContextTextMapPropagator()
_HEADER: Final = "traceparent"

log = structlog.get_logger("traces")


class _Reasons(logging.Handler):
    """Keeps what the SDK logs first in a delivery, which is why it fails."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.of_thread = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(self.of_thread, "first", None) == "":
            self.of_thread.first = record.getMessage()


_SDK_LOG: Final = logging.getLogger("opentelemetry")
_SDK_LOG.propagate = False
_REASONS: Final = _Reasons()
_SDK_LOG.addHandler(_REASONS)


class Deliveries(SpanExporter):
    """Delivers batches in the SDK's thread, and reports in the event loop where that begins to fail or to work."""

    def __init__(self, exporter: SpanExporter, collector: str) -> None:
        self.delivered = 0
        """Spans that the collector took."""
        self.failed = 0
        """Spans that it did not take."""
        self.overflowed = 0
        """Spans for which there was no room in the queue."""
        self._exporter = exporter
        self._collector = collector
        self._loop = asyncio.get_running_loop()
        self._is_failing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        _REASONS.of_thread.first = ""
        result = SpanExportResult.FAILURE
        try:
            result = self._exporter.export(spans)
        finally:
            is_failing = result is not SpanExportResult.SUCCESS
            if is_failing:
                self.failed += len(spans)
            else:
                self.delivered += len(spans)
            if is_failing is not self._is_failing:
                self._is_failing = is_failing
                report = partial(self._report, _REASONS.of_thread.first, is_failing=is_failing)
                # The loop is closed where the server has stopped already.
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(report)
        return result

    def _report(self, reason: str, *, is_failing: bool) -> None:
        if is_failing:
            log.warning("traces are lost: the collector does not take them", collector=self._collector, reason=reason)
        else:
            lost = self.failed + self.overflowed
            log.info("the collector takes traces again", collector=self._collector, lost=lost)

    def shutdown(self) -> None:
        self._exporter.shutdown()


class Batches(BatchSpanProcessor):
    """A queue of spans and the thread that delivers them; what does not fit is counted in `Deliveries`."""

    def __init__(self, deliveries: Deliveries) -> None:
        super().__init__(
            deliveries,
            max_queue_size=MAX_QUEUE,
            schedule_delay_millis=BATCH_INTERVAL_MS,
            max_export_batch_size=BATCH_SPANS,
        )
        self._deliveries = deliveries
        self._queued = 0

    def on_end(self, span: ReadableSpan) -> None:
        deliveries = self._deliveries
        # The SDK's own bound, a little later, logs a line for each span.
        if self._queued - deliveries.delivered - deliveries.failed >= MAX_QUEUE:
            deliveries.overflowed += 1
            return
        self._queued += 1
        super().on_end(span)


class _OtelSpan:
    """Implements `Span`."""

    __slots__ = ("_span", "context")

    def __init__(self, span: RecordedSpan) -> None:
        carrier: dict[str, str] = {}
        _PROPAGATOR.inject(carrier, set_span_in_context(span))
        self.context = carrier.get(_HEADER, "")
        self._span = span

    def event(self, name: str, node: str) -> None:
        self._span.add_event(name, {"cornered.node": node})

    def end(self) -> None:
        if self._span.is_recording():
            self._span.end()

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Refusal):
            self._span.set_attribute("cornered.refusal", error.code)
        elif kind is not None:
            self._span.set_status(Status(StatusCode.ERROR, kind.__name__))
        self.end()


class OtelTracer:
    """Implements `Tracer`."""

    def __init__(
        self,
        processor: SpanProcessor,
        node: str,
        share: float,
        *,
        flush_seconds: float,
        chance: Callable[[], float] = random.random,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`share` of the commands get a trace, from 0 to 1; `chance` returns numbers from 0 to below 1."""
        names = {"service.name": "cornered", "service.instance.id": node, "service.version": VERSION}
        self._provider = TracerProvider(sampler=ALWAYS_ON, resource=Resource.create(names), shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._processor = processor
        self._tracer = self._provider.get_tracer("cornered", VERSION)
        self._share = share
        self._flush_seconds = flush_seconds
        self._chance = chance
        self._now = now
        self._traces = TokenBucket(TRACES_RATE, TRACES_BURST, now())

    def receive(self, command: MatchCommand, arrived: float) -> Span:
        if self._chance() >= self._share or not self._traces.take(self._now()):
            return NO_SPAN
        about: dict[str, str | int] = {"cornered.match": command.match, "cornered.command": command.type}
        if isinstance(command, Play):
            about["cornered.ply"] = command.ply
        waited = asyncio.get_running_loop().time() - arrived
        begun = time.time_ns() - int(waited * 1e9)
        return _OtelSpan(self._tracer.start_span("receive", kind=SpanKind.SERVER, attributes=about, start_time=begun))

    def step(self, step: Step, context: str, *, is_remote: bool = False) -> Span:
        if not context:
            return NO_SPAN
        parent = _PROPAGATOR.extract({_HEADER: context})
        if not get_current_span(parent).get_span_context().is_valid:
            return NO_SPAN
        return _OtelSpan(self._tracer.start_span(step, parent, _kind(step, is_remote=is_remote)))

    async def close(self) -> None:
        loop = asyncio.get_running_loop()
        done = asyncio.Event()

        def flush() -> None:
            self._provider.shutdown()
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(done.set)

        # Not a thread of the loop's pool: the loop would wait for it without a bound.
        threading.Thread(target=flush, name="last traces", daemon=True).start()
        try:
            async with asyncio.timeout(self._flush_seconds):
                await done.wait()
        except TimeoutError:
            log.warning("the last traces are lost: the collector is too slow", seconds=self._flush_seconds)
            if isinstance(self._processor, BatchSpanProcessor):
                self._processor.span_exporter.shutdown()


def connect(url: str, node: str, share: float, *, flush_seconds: float) -> OtelTracer:
    """Return a tracer that delivers to the collector at `url`. Raises a ValueError for a wrong one.

    The SDK's own variables add what is missing here, such as OTEL_EXPORTER_OTLP_HEADERS.
    """
    parts = urlsplit(url)
    # A port that is no number raises here too.
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("a collector's address is http://HOST:4318 or https://HOST/PATH")
    endpoint = parts._replace(path=DEFAULT_PATH).geturl() if parts.path in ("", "/") else url
    exporter = OTLPSpanExporter(endpoint, timeout=DELIVERY_SECONDS)
    processor = Batches(Deliveries(exporter, parts.hostname))
    return OtelTracer(processor, node, share, flush_seconds=flush_seconds)


def _kind(step: Step, *, is_remote: bool) -> SpanKind:
    match step:
        case "forward":
            return SpanKind.CLIENT
        case "execute":
            return SpanKind.SERVER if is_remote else SpanKind.INTERNAL
        case "publish":
            return SpanKind.PRODUCER
        case "deliver":
            return SpanKind.CONSUMER
        case "decide" | "append":
            return SpanKind.INTERNAL
