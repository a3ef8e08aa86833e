"""A collector of traces that keeps what it is sent."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["Collector", "Recorded", "collector", "of_sdk", "paths"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A span; `parent` is empty for the first of a trace, and `status` where nothing failed."""

    name: str
    node: str
    trace: str
    id: str
    parent: str
    kind: str
    status: str
    attributes: dict[str, str | int]
    events: list[tuple[str, str]]
    """Their names, each with the node that it concerns."""


def paths(spans: list[Recorded]) -> list[str]:
    """Return every span with those above it, as `receive@one > execute@one`, in the order of the text."""
    by_id = {span.id: span for span in spans}

    def path(span: Recorded) -> str:
        text = f"{span.name}@{span.node}"
        return f"{path(by_id[span.parent])} > {text}" if span.parent else text

    return sorted(map(path, spans))


@dataclass
class Collector:
    """The spans that came, and the requests that brought them."""

    answer: str = "200 OK"
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""
    spans: list[Recorded] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
        body = await reader.readexactly(int(headers["content-length"]))
        self.requests.append(first)
        self.headers.append(headers)
        self.spans += of_request(ExportTraceServiceRequest.FromString(body))
        if not self.answer:
            await self.ended.wait()
        writer.write(f"HTTP/1.1 {self.answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def collector(answer: str = "200 OK") -> AsyncIterator[Collector]:
    """Collect inside the block, with one status for every request; an empty one is not sent before the end."""
    made = Collector(answer)
    server = await asyncio.start_server(made.take, "127.0.0.1", 0)
    async with server:
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield made
        finally:
            made.ended.set()


def of_request(request: ExportTraceServiceRequest) -> list[Recorded]:
    """Return the spans of a request."""
    return [
        Recorded(
            span.name,
            next(one.value.string_value for one in of.resource.attributes if one.key == "service.instance.id"),
            span.trace_id.hex(),
            span.span_id.hex(),
            span.parent_span_id.hex(),
            Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
            span.status.message,
            {one.key: one.value.string_value or one.value.int_value for one in span.attributes},
            [(event.name, event.attributes[0].value.string_value) for event in span.events],
        )
        for of in request.resource_spans
        for scope in of.scope_spans
        for span in scope.spans
    ]


def of_sdk(spans: tuple[ReadableSpan, ...]) -> list[Recorded]:
    """Return the spans of the SDK's exporter in memory."""
    made = []
    for span in spans:
        assert span.context is not None
        attributes = {key: value for key, value in (span.attributes or {}).items() if isinstance(value, str | int)}
        made.append(
            Recorded(
                span.name,
                str(span.resource.attributes["service.instance.id"]),
                f"{span.context.trace_id:032x}",
                f"{span.context.span_id:016x}",
                f"{span.parent.span_id:016x}" if span.parent else "",
                span.kind.name,
                span.status.description or "",
                attributes,
                [(event.name, str((event.attributes or {})["cornered.node"])) for event in span.events],
            )
        )
    return made
