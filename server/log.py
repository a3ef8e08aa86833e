"""The log: structured lines with match and session ids. Payloads and tokens never get here.

Warnings and errors of one kind are limited: what strangers or an outage repeat thousands of times is written a few
times, and the next line says how many were left out.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from typing import Final, Literal, TextIO

import structlog

from cornered.protocol.text import visible

__all__ = ["WEBSOCKETS", "Limiter", "configure"]

BURST_LINES: Final = 5
"""Warnings or errors of one kind that are written at once."""
PAUSE_SECONDS: Final = 10.0
"""After those, one is written in so many seconds."""
MAX_KINDS: Final = 1_000
_LIMITED: Final = ("warning", "error", "critical", "exception")

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

WEBSOCKETS: Final = logging.getLogger("cornered.websockets")
"""What the library says. Strangers cause most of it (half a handshake, a reset), so it is shown to debuggers only."""
WEBSOCKETS.propagate = False
WEBSOCKETS.addHandler(logging.NullHandler())


def _escape(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Escape what an operator's terminal would obey, should a stranger's words ever get into a line."""
    return {name: visible(value) if isinstance(value, str) else value for name, value in event.items()}


def _write_traceback(output: TextIO, error: structlog.typing.ExcInfo) -> None:
    written = StringIO()
    structlog.dev.plain_traceback(written, error)
    output.write("\n".join(map(visible, written.getvalue().split("\n"))))


@dataclass(slots=True)
class _Bucket:
    """A token bucket for lines of one kind; `full_at` is when it will be full again."""

    full_at: float = 0.0
    suppressed: int = 0


class Limiter:
    """A processor of structlog that drops warnings and errors of a kind that comes too often.

    Lines are of one kind when they have the same level and the same text, whatever their fields are.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()

    def __len__(self) -> int:
        """Return how many kinds are known."""
        return len(self._buckets)

    def __call__(
        self, _logger: object, method: str, event_dict: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        if method not in _LIMITED:
            return event_dict
        kind = (method, str(event_dict.get("event")))
        bucket = self._buckets.setdefault(kind, _Bucket())
        self._buckets.move_to_end(kind)
        if len(self._buckets) > MAX_KINDS:
            self._buckets.popitem(last=False)
        now = self._now()
        full_at = max(bucket.full_at, now) + PAUSE_SECONDS
        if full_at > now + BURST_LINES * PAUSE_SECONDS:
            bucket.suppressed += 1
            raise structlog.DropEvent
        bucket.full_at = full_at
        if bucket.suppressed:
            event_dict["suppressed"], bucket.suppressed = bucket.suppressed, 0
        return event_dict


def configure(level: Literal["debug", "info", "warning", "error"], style: Literal["console", "json"]) -> None:
    """Write lines of at least `level` to standard error."""
    # Local variables stay out of tracebacks: among them are seeds and tokens.
    plain = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    final: list[structlog.typing.Processor] = (
        [structlog.processors.ExceptionRenderer(plain), structlog.processors.JSONRenderer()]
        if style == "json"
        else [
            _escape,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=_write_traceback),
        ]
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            Limiter(),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *final,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        # Looked up for every line, because whoever redirects standard error does it later.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
