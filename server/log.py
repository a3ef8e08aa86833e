"""The log: structured lines with match and session ids. Payloads and tokens never get here."""

from __future__ import annotations

import logging
import sys
from typing import Final, Literal

import structlog

__all__ = ["WEBSOCKETS", "configure"]

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}

WEBSOCKETS: Final = logging.getLogger("cornered.websockets")
"""What the library says. Strangers cause most of it (half a handshake, a reset), so it is shown to debuggers only."""
WEBSOCKETS.propagate = False
WEBSOCKETS.addHandler(logging.NullHandler())


def configure(level: Literal["debug", "info", "warning", "error"], style: Literal["console", "json"]) -> None:
    """Write lines of at least `level` to standard error."""
    # Local variables stay out of tracebacks: among them are seeds and tokens.
    plain = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    final: list[structlog.typing.Processor] = (
        [structlog.processors.ExceptionRenderer(plain), structlog.processors.JSONRenderer()]
        if style == "json"
        else [
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *final,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        # Looked up for every line, because whoever redirects standard error does it later.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )
