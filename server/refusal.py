"""The one way in which a decider says no."""

from __future__ import annotations

from cornered.protocol.messages import ErrorCode

__all__ = ["Refusal"]


class Refusal(Exception):
    """A command that changes nothing. `code` is for programs and stable, `text` tells people what to do next.

    `retry_after` is in milliseconds, where waiting helps.
    """

    def __init__(self, code: ErrorCode, text: str, *, retry_after: int | None = None) -> None:
        super().__init__(f"{code}: {text}")
        self.code: ErrorCode = code
        self.text = text
        self.retry_after = retry_after
