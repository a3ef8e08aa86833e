"""The exception by which deciders refuse a command."""

from __future__ import annotations

import math

from cornered.protocol.messages import ErrorCode

__all__ = ["Refusal", "id_reused", "milliseconds"]


class Refusal(Exception):
    """A refused command, which changes nothing. `code` is stable, for programs; `text` tells people what to do next.

    `retry_after` is in milliseconds, for refusals that waiting resolves.
    """

    def __init__(self, code: ErrorCode, text: str, *, retry_after: int | None = None) -> None:
        super().__init__(f"{code}: {text}")
        self.code: ErrorCode = code
        self.text = text
        self.retry_after = retry_after


def id_reused() -> Refusal:
    """Return the refusal of a command under the id of an earlier one with other content, which is no repeat of it."""
    text = "an earlier command of yours with other content had this id; begin the ids of each run with something random"
    return Refusal("id_reused", text)


def milliseconds(seconds: float) -> int:
    """Return the first whole number of milliseconds that is longer, for `retry_after`.

    One that is shorter by a fraction has the command refused again, which costs a token more, so that the next wait is
    as short again: a client that does what it is told would wait many times.
    """
    return math.floor(seconds * 1000) + 1
