"""The log: structured lines with match and session ids, without payloads and tokens.

Warnings and errors are rate-limited by kind: of those that clients or an outage repeat thousands of times a few are
written, and the next line has the number of `suppressed` ones.
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
"""Burst of warnings or errors of one kind."""
REFILL_INTERVAL_S: Final = 10.0
"""Seconds until a kind may be written once more after a burst."""
MAX_KINDS: Final = 1_000
"""Kinds with a token bucket; beyond that the least recently used are dropped."""
_LIMITED_METHODS: Final = ("warning", "error", "critical", "exception")

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

WEBSOCKETS: Final = logging.getLogger("cornered.websockets")
"""The library's log, which is discarded: clients cause most of its lines by half a handshake or a reset."""
# At the level of debugging it would write what clients send, passwords too, for whoever adds a handler.
WEBSOCKETS.setLevel(logging.CRITICAL + 1)
WEBSOCKETS.propagate = False
WEBSOCKETS.addHandler(logging.NullHandler())


def _escape(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Escape control characters, which a client's text could otherwise send to an operator's terminal."""
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
    """A structlog processor that limits the rate of warnings and errors by kind, their level and event text."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._buckets: OrderedDict[tuple[str, str], _Bucket] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of kinds with a token bucket."""
        return len(self._buckets)

    def __call__(
        self, _logger: object, method: str, event_dict: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        if method not in _LIMITED_METHODS:
            return event_dict
        kind = (method, str(event_dict.get("event")))
        bucket = self._buckets.setdefault(kind, _Bucket())
        self._buckets.move_to_end(kind)
        if len(self._buckets) > MAX_KINDS:
            self._buckets.popitem(last=False)
        now = self._now()
        full_at = max(bucket.full_at, now) + REFILL_INTERVAL_S
        if full_at > now + BURST_LINES * REFILL_INTERVAL_S:
            bucket.suppressed += 1
            raise structlog.DropEvent
        bucket.full_at = full_at
        if bucket.suppressed:
            event_dict["suppressed"], bucket.suppressed = bucket.suppressed, 0
        return event_dict


def configure(level: Literal["debug", "info", "warning", "error"], style: Literal["console", "json"]) -> None:
    """Write lines of at least `level` to standard error."""
    # Without local variables, since these include seeds and tokens.
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
        # `sys.stderr` is looked up for every line, since it may be redirected later.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
