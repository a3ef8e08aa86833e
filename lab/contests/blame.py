"""Who is to blame for a game that ended its process: the bot that was thinking, as far as anybody knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cornered.lab.contests.terms import Fixture
from cornered.lab.execution.heartbeat import beat
from cornered.lab.execution.processes import Death

__all__ = ["FAILURES", "accused", "thinks"]

FAILURES: Final = (Exception, SystemExit)
"""What a bot may raise that is its own loss: one that ends its process would end the contest."""


def thinks(seat: int, moves: Sequence[str], within: float | None) -> None:
    """Say that the bot in a seat thinks now, after all these moves, for at most so many seconds.

    The next thing that a worker hears from the bot is its move, or nothing: a bot that ends its process cannot be
    caught, so whose turn it is has to be told before it is asked.
    """
    beat(f"{seat} {' '.join(moves)}", within)


def accused(death: Death, fixture: Fixture) -> tuple[int, tuple[str, ...]] | None:
    """Return the seat whose bot was thinking when a process died, and all moves until then; None when nobody was."""
    if not death.words:
        return None
    seat, *moves = death.words.split()
    if tuple(moves[: len(fixture.opening)]) != fixture.opening:
        raise ValueError(f"{death.words!r} are not the last words of {fixture}")
    return int(seat), tuple(moves)
