"""What can go wrong for a client, in one tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from cornered.protocol.messages import ErrorCode

__all__ = ["ClientError", "Closed", "NotUnderstood", "Refused", "Unavailable", "Unreachable", "plainly"]

PASSING: Final[frozenset[ErrorCode]] = frozenset({"too_fast", "internal"})
"""Refusals of a command that the same command may not meet a moment later."""
RETRY: Final = 0.5
"""Seconds before a command is tried again after a refusal that passes, unless the server says how long to wait."""
LONGEST_PAUSE: Final = 60.0


class ClientError(Exception):
    """Anything that this kit raises on purpose."""


class Refused(ClientError):
    """The server said no and changed nothing. `code` is stable and for programs, `text` is for people.

    `retry_after` is in milliseconds, None where waiting does not help.
    """

    def __init__(self, code: ErrorCode, text: str, retry_after: int | None = None) -> None:
        super().__init__(f"{text} ({code})")
        self.code: ErrorCode = code
        self.text = text
        self.retry_after = retry_after

    @property
    def pause(self) -> float | None:
        """Seconds to wait before the same command is tried again, None where it would be refused again."""
        if self.code not in PASSING:
            return None
        return min(LONGEST_PAUSE, max(RETRY, (self.retry_after or 0) / 1000))


class Unreachable(ClientError):
    """No server answered within the caller's patience."""


class Unavailable(Unreachable):
    """The server answered, and took no connections as long as the caller's patience lasted. The text has its words."""


class Closed(ClientError):
    """The client was closed, or the match left, while somebody still waited for it."""


class NotUnderstood(ClientError):
    """The answer cannot be decoded: the server has another version of the protocol, and may have done the command."""


@contextmanager
def plainly() -> Iterator[None]:
    """Raise the one error of a task group inside as itself: that there is a group at all is no caller's business.

    Closed beside another error only follows from it, and is dropped.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        errors = (group.split(Closed)[1] or group).exceptions
        if len(errors) != 1:
            raise
        error = errors[0]
        try:
            raise error from None
        finally:
            # The group holds the error: as its context it would close a circle, which some cannot pickle.
            error.__context__ = None
