"""The SDK's errors, in one tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cornered.protocol.messages import ErrorCode

__all__ = [
    "AlreadyPlaying",
    "ClientError",
    "Closed",
    "CommandRefused",
    "NoOpponent",
    "NotUnderstood",
    "Unavailable",
    "Unreachable",
    "unwrapped_errors",
]

TRANSIENT_CODES: Final[frozenset[ErrorCode]] = frozenset({"too_fast", "internal"})
"""Refusals of a command after which the same command may be accepted a moment later."""
RETRY_DELAY_S: Final = 0.5
"""Least wait before a retry; a longer `retry_after` of the server has precedence."""
MAX_RETRY_DELAY_S: Final = 60.0


class ClientError(Exception):
    """Base of the SDK's errors."""


class CommandRefused(ClientError):
    """The server refused a command and changed nothing. `code` is stable, for programs; `text` is for people.

    `retry_after` is in milliseconds, None where waiting does not help.
    """

    def __init__(self, code: ErrorCode, text: str, retry_after: int | None = None) -> None:
        super().__init__(f"{text} ({code})")
        self.code: ErrorCode = code
        self.text = text
        self.retry_after = retry_after

    @property
    def pause(self) -> float | None:
        """Seconds to wait before a retry; None for a permanent refusal."""
        if self.code not in TRANSIENT_CODES:
            return None
        return min(MAX_RETRY_DELAY_S, max(RETRY_DELAY_S, (self.retry_after or 0) / 1000))


class AlreadyPlaying(ClientError):
    """Another program is connected as this bot, so that games of this run alone cannot be told from those of both."""


class Unreachable(ClientError):
    """No server answered within the time limit of the connection."""


class Unavailable(Unreachable):
    """The server answered, but refused connections until the time limit; the text has its reason."""


class NoOpponent(ClientError):
    """The opponent that was named is not there, or does not want to play; the text says why and who else is there."""


class Closed(ClientError):
    """The client was closed, or the match left, during a wait for it."""


class NotUnderstood(ClientError):
    """The answer cannot be decoded: the server has another protocol version, and may have carried out the command."""


@contextmanager
def unwrapped_errors() -> Iterator[None]:
    """Raise the only error of an exception group from inside without its group, or without its nested groups.

    A `Closed` beside another error is its consequence, and is dropped.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group.split(Closed)[1] or group
        while isinstance(error, BaseExceptionGroup):
            if len(error.exceptions) != 1:
                raise
            error = error.exceptions[0]
        try:
            raise error from error.__cause__
        finally:
            # The group refers to the error: as its context it would be a reference cycle, which cannot be pickled.
            error.__context__ = None
