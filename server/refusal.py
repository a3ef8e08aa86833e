"""The exception by which deciders refuse a command."""

from __future__ import annotations

from cornered.protocol.messages import ErrorCode

__all__ = ["Refusal"]


class Refusal(Exception):
    """A refused command, which changes nothing. `code` is stable, for programs; `text` tells people what to do next.

    `retry_after` is in milliseconds, for refusals that waiting resolves.
    """

    def __init__(self, code: ErrorCode, text: str, *, retry_after: int | None = None) -> None:
        super().__init__(f"{code}: {text}")
        self.code: ErrorCode = code
        self.text = text
        self.retry_after = retry_after
