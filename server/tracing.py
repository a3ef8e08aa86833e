"""Traces of commands across nodes: the port, and the tracer that records nothing.

A trace is a tree of spans, each a timed step of one command. A step refers to the one before by its context, a W3C
traceparent, which also travels in messages between nodes; the empty context belongs to commands that are not traced.
"""

from __future__ import annotations

from types import TracebackType
from typing import Final, Literal, Protocol, TypeAlias

from cornered.protocol.commands import MatchCommand

__all__ = ["MAX_CONTEXT_CHARS", "NO_SPAN", "NO_TRACER", "Span", "Step", "Tracer"]

MAX_CONTEXT_CHARS: Final = 55
"""The length of a traceparent of version 00."""

Step: TypeAlias = Literal["forward", "execute", "decide", "append", "publish", "deliver"]
"""What follows from a command that was received: at its client's node `forward`, at the owner's `execute` with
`decide`, `append` and `publish` in it, and `deliver` at every other node with clients of the match."""


class Span(Protocol):
    """A step that has begun. As a context manager it ends with the block, and records the exception that leaves it."""

    @property
    def context(self) -> str:
        """What the steps that follow from this one refer to; empty where nothing is recorded."""

    def event(self, name: str, node: str) -> None:
        """Record that something happened now that concerns another node."""

    def end(self) -> None:
        """End the step, once: a later call does nothing."""

    def __enter__(self) -> Span: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class Tracer(Protocol):
    """Records steps. Nothing here waits or raises."""

    def receive(self, command: MatchCommand, arrived: float) -> Span:
        """Begin a trace, if this command is to have one, at the loop's time `arrived`."""

    def step(self, step: Step, context: str, *, is_remote: bool = False) -> Span:
        """Begin a step that follows from the one of `context`, which on another node `is_remote`."""

    async def close(self) -> None:
        """Deliver what is recorded, within a bound; what is left then is lost."""


class _NoSpan:
    __slots__ = ()

    context = ""

    def event(self, name: str, node: str) -> None: ...

    def end(self) -> None: ...

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class _NoTracer:
    __slots__ = ()

    def receive(self, command: MatchCommand, arrived: float) -> Span:
        return NO_SPAN

    def step(self, step: Step, context: str, *, is_remote: bool = False) -> Span:
        return NO_SPAN

    async def close(self) -> None: ...


NO_SPAN: Final[Span] = _NoSpan()
"""The step of a command that is not traced."""
NO_TRACER: Final[Tracer] = _NoTracer()
"""Traces nothing."""
