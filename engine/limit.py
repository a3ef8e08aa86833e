"""The limits of one search."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

__all__ = ["ClockTimes", "Limit"]


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """The clocks of a match when a search begins, in milliseconds: what each seat's has left, and gains with a move."""

    left: tuple[int, ...]
    increment: int


@dataclass(frozen=True, slots=True)
class Limit:
    """The limits of one search: milliseconds, plies, nodes, bytes. None does not limit; time runs from its
    construction.

    `lines` is the number of moves that get an exact score and a line: one to play, more to study.
    """

    time: int | None = None
    depth: int | None = None
    nodes: int | None = None
    memory: int | None = field(default=None, kw_only=True)
    """Bytes of a solver's tables; None leaves it to the solver."""
    lines: int = 1
    grace: int | None = None
    """Milliseconds after `time` within which an answer is still of use; None where unknown."""
    longest: int | None = None
    """Milliseconds that a search may take in place of `time` where its result is unsettled; None for no more."""
    clocks: ClockTimes | None = None
    """The clocks that `time` was taken from, for who manages time alone. A search may end early where it is settled:
    they keep what it leaves."""
    started: float = field(default_factory=monotonic, compare=False)

    def __post_init__(self) -> None:
        for name in ("time", "depth", "nodes", "memory", "lines", "longest"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"a limit's {name} is 1 or more, or None, not {value}")

    @property
    def deadline(self) -> float | None:
        """When the time is over, on the clock of `time.monotonic`, which all processes of one machine share."""
        return None if self.time is None else self.started + self.time / 1000

    @property
    def extension(self) -> float:
        """The seconds that a search may go on past its deadline while its result is unsettled."""
        return 0.0 if self.time is None or self.longest is None else max(0, self.longest - self.time) / 1000

    @property
    def remaining(self) -> float | None:
        """The seconds until the deadline, 0 when it has passed."""
        return None if self.deadline is None else max(0.0, self.deadline - monotonic())
