"""The one way in which a decider says no."""

from __future__ import annotations

from protocol.messages import ErrorCode

__all__ = ["Refusal"]


class Refusal(Exception):
    """A command that changes nothing. `code` is for programs and stable, `text` tells people what to do next."""

    def __init__(self, code: ErrorCode, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code: ErrorCode = code
        self.text = text
