"""Attribution of a worker process's death to the bot that was thinking in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cornered.lab.contests.terms import Fixture
from cornered.lab.execution.heartbeat import beat
from cornered.lab.execution.processes import Death

__all__ = ["FAILURES", "culprit", "report_preparing", "report_thinking", "was_preparing"]

FAILURES: Final = (Exception, SystemExit)
"""Exceptions of a bot that count as its loss; an uncaught `SystemExit` would end the contest."""


PREPARING: Final = "preparing"


def report_preparing(seat: int, opening: Sequence[str], within: float | None) -> None:
    """Report that the bot in a seat is being loaded for a game after `opening`, for at most `within` seconds."""
    beat(" ".join((PREPARING, str(seat), *opening)), within)


def was_preparing(death: Death) -> bool:
    """Return whether a process died while it loaded a bot, before the bot was asked for a move."""
    return death.words.startswith(PREPARING)


def report_thinking(seat: int, moves: Sequence[str], within: float | None) -> None:
    """Report that the bot in a seat starts to think after `moves`, for at most `within` seconds. A crash ends the
    worker without an exception, so this is reported before the bot is called."""
    beat(f"{seat} {' '.join(moves)}", within)


def culprit(death: Death, fixture: Fixture) -> tuple[int, tuple[str, ...]] | None:
    """Return the seat whose bot was thinking or loaded when a process died, and the moves played; None where none
    was."""
    if not death.words:
        return None
    seat, *moves = death.words.removeprefix(PREPARING).split()
    if tuple(moves[: len(fixture.opening)]) != fixture.opening:
        raise ValueError(f"{death.words!r} are not the last words of {fixture}")
    return int(seat), tuple(moves)
