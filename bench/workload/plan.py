"""What a generator process is asked to do and what it answers, as values that travel between processes as JSON."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from cornered.bench.workload.histogram import Histogram

__all__ = ["PLACES", "Crowd", "Place", "Table", "Trial", "TrialResult"]

Place: TypeAlias = Literal["any", "same", "different"]
PLACES: Final[tuple[Place, ...]] = ("any", "same", "different")
"""Where the two players of a pair connect: each to the next server in turn, both to one, or to two different ones."""


@dataclass(frozen=True, slots=True)
class Table:
    """The players and matches of one generator process."""

    servers: tuple[str, ...]
    pairs: int
    matches: int
    bot_pairs: int = 0
    """Pairs whose second player is a bot that declares its games and is challenged."""
    games: tuple[str, ...] = ("trapgrid",)
    place: Place = "any"
    seed: int = 1
    is_endless: bool = False
    """Whether matches never end, so that one match can be watched for long."""
    is_bare: bool = False
    """Whether the server is the bare echo of `cornered.bench.targets`, which knows no players and no matches."""
    first_socket: int = 0
    """Number of this process's first socket among those of all, which decides its local address."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """Connections of one generator process that send nothing: watchers of `matches`, or idle ones without any."""

    servers: tuple[str, ...]
    count: int
    matches: tuple[str, ...] = ()
    timed: int = 0
    """Watchers whose updates are timed; those of the others are counted, which costs the generator far less."""
    is_bare: bool = False
    first_socket: int = 0


@dataclass(frozen=True, slots=True)
class Trial:
    """Moves at a rate for a while. `start` is a time of the machine's monotonic clock, the same in all processes."""

    rate: float
    warm_up: float
    seconds: float
    start: float
    seed: int = 1

    @property
    def measured_from(self) -> float:
        return self.start + self.warm_up

    @property
    def end(self) -> float:
        return self.measured_from + self.seconds


@dataclass
class TrialResult:
    """What was observed of the moves that were due in the measured time. Times are in seconds."""

    acknowledged: Histogram = field(default_factory=Histogram)
    """From when a move was due until its player had the acknowledgement, after it was stored."""
    delivered: Histogram = field(default_factory=Histogram)
    """From when a move was due until its opponent had it."""
    watched: Histogram = field(default_factory=Histogram)
    """From when a move was due until a timed watcher had it."""
    late: Histogram = field(default_factory=Histogram)
    """From when a move was due until the generator handled it: its own delay."""
    by_second: dict[int, Histogram] = field(default_factory=dict)
    """Acknowledgements by the second of the trial in which the move was due."""
    seconds: float = 0.0
    """Duration of the measured time, shorter than planned after an interruption."""
    due: int = 0
    """Moves that became due."""
    in_time: int = 0
    """Moves whose acknowledgement came within the measured time, whenever they were due: the throughput."""
    made: int = 0
    """Moves that were acknowledged in the whole trial, those of the warm-up included."""
    unanswered: int = 0
    """Moves without an acknowledgement at the end; they are in `acknowledged` with the time that they had waited."""
    matches: int = 0
    """Matches that ended, each followed by its rematch."""
    updates: int = 0
    """Updates that watchers received as events, in the whole trial."""
    snapshots: int = 0
    """Snapshots that watchers received in place of events, because they were behind, in the whole trial."""
    received_bytes: int = 0
    """Bytes that the watchers received in the whole trial."""
    connections_lost: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    """Refusals by their codes."""

    def add(self, other: TrialResult) -> None:
        """Add what another process observed in the same trial."""
        for name in _HISTOGRAMS:
            getattr(self, name).add(getattr(other, name))
        for second, histogram in other.by_second.items():
            self.by_second.setdefault(second, Histogram()).add(histogram)
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.seconds = max(self.seconds, other.seconds)
        self.refused.update(other.refused)

    def to_json(self) -> dict[str, Any]:
        """Return a form for JSON."""
        shown: dict[str, Any] = {name: getattr(self, name).to_json() for name in _HISTOGRAMS}
        shown |= {name: getattr(self, name) for name in (*_COUNTS, "seconds")}
        shown["by_second"] = {str(second): one.to_json() for second, one in sorted(self.by_second.items())}
        return shown | {"refused": dict(self.refused)}

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> TrialResult:
        """Return the result that `to_json` described. Raises ValueError or KeyError."""
        made = cls()
        for name in _HISTOGRAMS:
            setattr(made, name, Histogram.from_json(given[name]))
        for name in (*_COUNTS, "seconds"):
            setattr(made, name, given[name])
        made.by_second = {int(second): Histogram.from_json(one) for second, one in given["by_second"].items()}
        made.refused = Counter(given["refused"])
        return made


_HISTOGRAMS: Final = ("acknowledged", "delivered", "watched", "late")
_COUNTS: Final = (
    *("due", "in_time", "made", "unanswered", "matches", "updates", "snapshots", "received_bytes", "connections_lost"),
)
