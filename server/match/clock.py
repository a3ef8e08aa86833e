"""Time controls and lag compensation. Nothing here reads a clock: every time is a parameter, in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Self, assert_never

from cornered.protocol.values import Clock, Correspondence, Delay, Fischer, NoClock, PerMove

__all__ = ["DAY_MS", "LAG_PER_MOVE", "LAG_QUOTA", "LAG_REGAIN", "Timer"]

LAG_PER_MOVE: Final = 500
"""The most that lag compensation gives back for one move."""
LAG_QUOTA: Final = 1_000
"""The most that a seat can have saved up for its next moves, so that pretended lag wins next to nothing."""
LAG_REGAIN: Final = 100
"""What every move adds to its seat's quota."""
SECOND: Final = 1_000
DAY_MS: Final = 86_400_000


def _initial(clock: Clock) -> int | None:
    match clock:
        case Fischer() | Delay():
            return clock.initial * SECOND
        case PerMove():
            return clock.seconds * SECOND
        case Correspondence():
            return clock.days * DAY_MS
        case NoClock():
            return None
        case _:
            assert_never(clock)


@dataclass(frozen=True, slots=True)
class Timer:
    """What every seat has left. `left` is true at `since`, when the present turn began; the clock of `running` ticks.

    Seats without a limit have None. `quota` is what lag compensation may still give back to each seat.
    """

    clock: Clock
    left: tuple[int | None, ...]
    running: int | None
    since: int
    quota: tuple[int, ...]

    @classmethod
    def of(cls, clock: Clock, seats: int, now: int) -> Self:
        """Return the timer of a match that begins, with no clock running."""
        return cls(clock, (_initial(clock),) * seats, None, now, (LAG_QUOTA,) * seats)

    @property
    def waits_for_first_moves(self) -> bool:
        """Whether no clock runs before every seat has made a move; a time for each move runs from the start."""
        return isinstance(self.clock, Fischer | Delay)

    def elapsed(self, now: int) -> int:
        """Return how long the present turn has lasted; a server's clock that was set back counts as standing still."""
        return max(0, now - self.since)

    def spend(self, seat: int, now: int, lag: int = 0) -> tuple[int, tuple[int | None, ...]]:
        """Return what a move made `now` costs after lag compensation, and every seat's time after it.

        The mover's is negative or zero when the flag has fallen before the increment could come.
        """
        elapsed = self.elapsed(now)
        if self.running != seat:
            return elapsed, self.left
        spent = elapsed - min(max(0, lag), elapsed, LAG_PER_MOVE, self.quota[seat])
        budget = self._budget(seat)
        clock = self.clock
        if budget is None:
            return spent, self.left
        rest = budget - spent
        if rest > 0:
            match clock:
                case Fischer():
                    rest += round(clock.increment * SECOND)
                case Delay():
                    rest = min(rest, budget - clock.delay * SECOND)
                case PerMove() | Correspondence():
                    rest = budget
                case NoClock():
                    pass
                case _:
                    assert_never(clock)
        return spent, (*self.left[:seat], rest, *self.left[seat + 1 :])

    def after_move(
        self, seat: int, spent: int, left: tuple[int | None, ...], now: int, *, running: int | None
    ) -> Timer:
        """Return the timer after a stored move; the turn passes, and the clock of `running` starts."""
        quota = self.quota
        if self.running == seat:
            compensated = self.elapsed(now) - spent
            rest = min(LAG_QUOTA, quota[seat] - compensated + LAG_REGAIN)
            if rest != quota[seat]:
                quota = (*quota[:seat], rest, *quota[seat + 1 :])
        return Timer(self.clock, left, running, now, quota)

    def turn(self, now: int, *, running: int | None) -> Timer:
        """Return the timer with a turn that begins `now`."""
        return replace(self, running=running if self.left[0] is not None else None, since=now)

    def _budget(self, seat: int) -> int | None:
        """Return how long the seat may think about this move."""
        left = self.left[seat]
        if left is not None and isinstance(self.clock, Delay):
            return left + self.clock.delay * SECOND
        return left

    def flag_at(self) -> int | None:
        """Return when the running clock reaches zero."""
        budget = None if self.running is None else self._budget(self.running)
        return None if budget is None else self.since + budget

    def is_down(self, now: int) -> bool:
        """Return whether the running clock has reached zero."""
        flag = self.flag_at()
        return flag is not None and now >= flag

    def decided_at(self) -> int | None:
        """Return when the flag falls for good: a move on its way may still be given back its lag until then."""
        flag = self.flag_at()
        return None if flag is None or self.running is None else flag + min(LAG_PER_MOVE, self.quota[self.running])

    def left_at(self, now: int) -> tuple[int | None, ...]:
        """Return what each seat has left, with the present turn so far taken off; never below zero."""
        seat = self.running
        if seat is None or isinstance(self.clock, PerMove | Correspondence):
            return self.left
        budget, left = self._budget(seat), self.left[seat]
        if budget is None or left is None:
            return self.left
        return (*self.left[:seat], max(0, min(left, budget - self.elapsed(now))), *self.left[seat + 1 :])

    def refund(self, milliseconds: int) -> Timer:
        """Return the timer as if the last `milliseconds` had not passed."""
        return replace(self, since=self.since + milliseconds)
