"""The analysis queue, folded from its events: jobs, analysts and cached answers. Pure.

It is in memory alone. Sockets and players are referred to by their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self, TypeAlias, assert_never

from cornered.engine.game import State
from cornered.engine.text import PositionText
from cornered.protocol.analysis import MAX_ANALYSIS_MS, OverlayPicture, Report, TreeNode
from cornered.protocol.traces import TraceSettings
from cornered.protocol.values import GameSpec

__all__ = [
    "MAX_CACHED_ANSWERS",
    "MAX_CACHED_TRACES",
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
    "TraceSoFar",
    "Withdrawn",
    "pieces_of",
    "shape_of",
]

MAX_CACHED_ANSWERS: Final = 512
"""Newest answers that are kept for equal questions."""
MAX_CACHED_TRACES: Final = 24
"""Those of them that show a search, of at most a few hundred kB each."""


def shape_of(position: str) -> tuple[int, ...]:
    """Return the lengths of the rows of a position's board."""
    return tuple(map(len, position.split(" ")[0].split("/")))


def pieces_of(position: str) -> tuple[object, ...]:
    """Return a position without its counters, which rules with other limits count differently: rows, turn, walls."""
    parts = PositionText.parse(position)
    placed = {name: value for name, value in parts.facts.items() if not value.replace(",", "").isdigit()}
    return parts.rows, parts.turn, placed


@dataclass(frozen=True)
class Question:
    """A position to analyse, or one to show a search of; `state` is the same position as the rules' state, on which
    answers are validated."""

    game: GameSpec
    position: str
    lines: int
    state: State = field(compare=False, repr=False)
    milliseconds: int = MAX_ANALYSIS_MS
    """The search time."""
    search: TraceSettings | None = None
    """The search to show, in place of an analysis."""

    @classmethod
    def about_search(cls, game: GameSpec, state: State, search: TraceSettings) -> Self:
        """Return the question that shows a search. Without the setting that it does not read: equal searches have equal
        questions."""
        if search.search == "mcts":
            read = TraceSettings(search=search.search, playouts=search.playouts)
        else:
            read = TraceSettings(search=search.search, depth=search.depth)
        return cls(game, str(state), 1, state, search=read)

    @cached_property
    def key(self) -> str:
        """The key under which equal questions share one job."""
        settings = (sorted(self.game.options.items()), self.lines, self.milliseconds, self.search)
        return f"{self.game.name} {self.position} {settings!r}"

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the board's rows."""
        return shape_of(self.position)


@dataclass(frozen=True, slots=True)
class TraceSoFar:
    """The lines of a search that came, the positions of the nodes they enter, and until the end the rules' states."""

    lines: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    states: tuple[State, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AnalysisFindings:
    """Results so far; `by` is the analyst's name."""

    by: str = ""
    report: Report | None = None
    overlays: tuple[OverlayPicture, ...] = ()
    tree: tuple[TreeNode, ...] = ()
    error: str = ""
    trace: TraceSoFar = TraceSoFar()


@dataclass(frozen=True, slots=True)
class Analyst:
    """A bot's socket with its games and its number of concurrent jobs.

    `number` orders analysts by arrival; `failures` counts the jobs that failed since the last one that succeeded.
    `traces` tells whether it also shows searches.
    """

    id: str
    name: str
    games: frozenset[str]
    jobs: int
    number: int = 0
    failures: int = 0
    traces: bool = False

    def studies(self, question: Question) -> bool:
        """Return whether the analyst takes such questions."""
        return question.game.name in self.games and (self.traces or question.search is None)


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
                # The next analyst sends the lines of a search from the first one on.
                found = AnalysisFindings() if job.question.search else job.found
                returned = self._with(replace(job, analyst=None, due=due, failed_analysts=failed_analysts, found=found))
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
                kept = {**self.answers}
                kept.pop(key, None)
                kept[key] = name, found
                traced = [old for old, (_, answer) in kept.items() if answer.trace.lines]
                for old in [*traced[:-MAX_CACHED_TRACES], *tuple(kept)[:-MAX_CACHED_ANSWERS]]:
                    kept.pop(old, None)
                return replace(after, answers=kept)
            case _:
                assert_never(event)

    def _with(self, job: AnalysisJob) -> Self:
        return replace(self, jobs={**self.jobs, job.id: job})

    def _without(self, name: str) -> Self:
        jobs = {key: job for key, job in self.jobs.items() if key != name}
        here = {player for job in jobs.values() for player in job.askers.values()}
        return replace(self, jobs=jobs, served={player: at for player, at in self.served.items() if player in here})
