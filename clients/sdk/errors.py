"""What can go wrong for a client, in one tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from protocol.messages import ErrorCode

__all__ = ["ClientError", "Closed", "Refused", "Unreachable", "plainly"]


class ClientError(Exception):
    """Anything that this kit raises on purpose."""


class Refused(ClientError):
    """The server said no and changed nothing. `code` is stable and for programs, `text` is for people."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(f"{text} ({code})")
        self.code: ErrorCode = code
        self.text = text


class Unreachable(ClientError):
    """No server answered within the caller's patience."""


class Closed(ClientError):
    """The client was closed, or the match left, while somebody still waited for it."""


@contextmanager
def plainly() -> Iterator[None]:
    """Raise the one error of a task group inside as itself: that there is a group at all is no caller's business."""
    try:
        yield
    except BaseExceptionGroup as group:
        if len(group.exceptions) != 1:
            raise
        error = group.exceptions[0]
        try:
            raise error from None
        finally:
            # The group holds the error: as its context it would close a circle, which some cannot pickle.
            error.__context__ = None
