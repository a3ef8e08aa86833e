"""The analysis queue, folded from its events: jobs, analysts and cached answers. Pure.

It is in memory alone. Sockets and players are referred to by their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self, TypeAlias, assert_never

from cornered.engine.game import State
from cornered.protocol.analysis import OverlayPicture, Report, TreeNode
from cornered.protocol.values import GameSpec

__all__ = [
    "MAX_CACHED_ANSWERS",
    "AnalysisEvent",
    "AnalysisFacts",
    "AnalysisFindings",
    "AnalysisJob",
    "AnalysisProgressed",
    "Analyst",
    "Asked",
    "AskerJoined",
    "AskerLeft",
    "Assigned",
    "JobEnded",
    "Offered",
    "Question",
    "Returned",
    "Withdrawn",
]

MAX_CACHED_ANSWERS: Final = 256
"""Newest answers that are kept for equal questions."""


@dataclass(frozen=True)
class Question:
    """A position to analyse; `state` is the same position as the rules' state, on which answers are validated."""

    game: GameSpec
    position: str
    lines: int
    state: State = field(compare=False, repr=False)

    @cached_property
    def key(self) -> str:
        """The key under which equal questions share one job."""
        return f"{self.game.name} {sorted(self.game.options.items())} {self.position} {self.lines}"

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the board's rows."""
        return tuple(map(len, self.position.split(" ")[0].split("/")))


@dataclass(frozen=True, slots=True)
class AnalysisFindings:
    """Results so far; `by` is the analyst's name."""

    by: str = ""
    report: Report | None = None
    overlays: tuple[OverlayPicture, ...] = ()
    tree: tuple[TreeNode, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Analyst:
    """A bot's socket with its games and its number of concurrent jobs.

    `number` orders analysts by arrival; `failures` counts the jobs that failed since the last one that succeeded.
    """

    id: str
    name: str
    games: frozenset[str]
    jobs: int
    number: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class AnalysisJob:
    """A question with its subscribers: `askers` maps sockets to their players, the owner first.

    `due` is the timeout of the assignment, or of the wait for one. `failed_analysts` do not get the job again.
    """

    id: str
    number: int
    question: Question
    askers: Mapping[str, str]
    due: int
    analyst: str | None = None
    attempts: int = 0
    failed_analysts: frozenset[str] = frozenset()
    found: AnalysisFindings = AnalysisFindings()

    @property
    def owner(self) -> str:
        """The player whose turn in the round-robin the job uses."""
        return next(iter(self.askers.values()))


@dataclass(frozen=True, slots=True)
class Offered:
    """A bot is an analyst from now on, or has changed its offer."""

    analyst: Analyst


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An analyst has withdrawn or disconnected."""

    analyst: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A new question is queued."""

    job: AnalysisJob


@dataclass(frozen=True, slots=True)
class AskerJoined:
    """Another socket subscribes to a job with an equal question."""

    job: str
    socket: str
    player: str


@dataclass(frozen=True, slots=True)
class AskerLeft:
    """A socket unsubscribes; the job ends with its last subscriber."""

    job: str
    socket: str


@dataclass(frozen=True, slots=True)
class Assigned:
    """A job is assigned to an analyst until `due`."""

    job: str
    analyst: str
    due: int


@dataclass(frozen=True, slots=True)
class AnalysisProgressed:
    """A job has a new intermediate result."""

    job: str
    found: AnalysisFindings


@dataclass(frozen=True, slots=True)
class Returned:
    """A job is queued again until `due`, because its analyst left or `has_failed`."""

    job: str
    analyst: str
    due: int
    has_failed: bool


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A job is over; without a report it has failed."""

    job: str
    found: AnalysisFindings


AnalysisEvent: TypeAlias = (
    Offered | Withdrawn | Asked | AskerJoined | AskerLeft | Assigned | AnalysisProgressed | Returned | JobEnded
)


@dataclass(frozen=True, slots=True)
class AnalysisFacts:
    """State of the queue: jobs, analysts and cached answers.

    `served` has the last turn of each player with a job, counted by `turn`; `answers` maps a question's key to its
    job's id and findings, the oldest first.
    """

    analysts: Mapping[str, Analyst] = field(default_factory=dict)
    jobs: Mapping[str, AnalysisJob] = field(default_factory=dict)
    served: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, tuple[str, AnalysisFindings]] = field(default_factory=dict)
    turn: int = 0
    number: int = 0

    def fold(self, events: Iterable[AnalysisEvent]) -> Self:
        """Return the queue after `events`."""
        queue = self
        for event in events:
            queue = queue.evolve(event)
        return queue

    def evolve(self, event: AnalysisEvent) -> Self:
        """Return the queue after `event`, which was decided on this state."""
        match event:
            case Offered(analyst):
                return replace(self, analysts={**self.analysts, analyst.id: analyst}, number=self.number + 1)
            case Withdrawn(analyst):
                return replace(self, analysts={key: one for key, one in self.analysts.items() if key != analyst})
            case Asked(job):
                served = {job.owner: self.turn, **self.served}
                return replace(self, jobs={**self.jobs, job.id: job}, served=served, number=self.number + 1)
            case AskerJoined(name, socket, player):
                job = self.jobs[name]
                served = {player: self.turn, **self.served}
                return replace(self._with(replace(job, askers={**job.askers, socket: player})), served=served)
            case AskerLeft(name, socket):
                job = self.jobs[name]
                left = {key: player for key, player in job.askers.items() if key != socket}
                return self._with(replace(job, askers=left)) if left else self._without(name)
            case Assigned(name, analyst, due):
                job = self.jobs[name]
                turn = self.turn + 1
                taken = self._with(replace(job, analyst=analyst, due=due, attempts=job.attempts + 1))
                return replace(taken, turn=turn, served={**self.served, job.owner: turn})
            case AnalysisProgressed(name, found):
                return self._with(replace(self.jobs[name], found=found))
            case Returned(name, analyst, due, has_failed):
                job, failed = self.jobs[name], self.analysts[analyst]
                failed_analysts = job.failed_analysts | {analyst} if has_failed else job.failed_analysts
                failed = replace(failed, failures=failed.failures + has_failed)
                returned = self._with(replace(job, analyst=None, due=due, failed_analysts=failed_analysts))
                return replace(returned, analysts={**self.analysts, analyst: failed})
            case JobEnded(name, found):
                job, has_failed = self.jobs[name], found.report is None
                analysts = dict(self.analysts)
                if job.analyst is not None:
                    before = analysts[job.analyst]
                    analysts[job.analyst] = replace(before, failures=before.failures + 1 if has_failed else 0)
                after = replace(self._without(name), analysts=analysts)
                if has_failed:
                    return after
                key = job.question.key
                kept = [(old, answer) for old, answer in self.answers.items() if old != key][-MAX_CACHED_ANSWERS + 1 :]
                return replace(after, answers={**dict(kept), key: (name, found)})
            case _:
                assert_never(event)

    def _with(self, job: AnalysisJob) -> Self:
        return replace(self, jobs={**self.jobs, job.id: job})

    def _without(self, name: str) -> Self:
        jobs = {key: job for key, job in self.jobs.items() if key != name}
        here = {player for job in jobs.values() for player in job.askers.values()}
        return replace(self, jobs=jobs, served={player: at for player, at in self.served.items() if player in here})
