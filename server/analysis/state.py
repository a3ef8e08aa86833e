"""The queue of positions to be studied, folded from its events: who asks, who studies, what is known. Pure.

It lives in memory alone. Sockets are known by their ids here, players by theirs.
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
    "REMEMBERED",
    "AnalysisEvent",
    "AnalysisFacts",
    "Analyst",
    "Asked",
    "AskerJoined",
    "AskerLeft",
    "Assigned",
    "Ended",
    "Findings",
    "Found",
    "Job",
    "Offered",
    "Question",
    "Returned",
    "Withdrawn",
]

REMEMBERED: Final = 256
"""Newest answers that are known again."""


@dataclass(frozen=True)
class Question:
    """A position to be studied. `state` is the same under the rules, which the moves of an answer must keep to."""

    game: GameSpec
    position: str
    lines: int
    state: State = field(compare=False, repr=False)

    @cached_property
    def key(self) -> str:
        """What makes two questions the same."""
        return f"{self.game.name} {sorted(self.game.options.items())} {self.position} {self.lines}"

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the board's rows."""
        return tuple(map(len, self.position.split(" ")[0].split("/")))


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known so far. `by` is the analyst's name."""

    by: str = ""
    report: Report | None = None
    overlays: tuple[OverlayPicture, ...] = ()
    tree: tuple[TreeNode, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Analyst:
    """A bot's socket, what it studies and how much at once.

    `number` tells who came first; `failures` are its jobs since the last good one that it did not finish.
    """

    id: str
    name: str
    games: frozenset[str]
    jobs: int
    number: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A question that somebody waits for. `askers` maps sockets to their players, the owner first.

    `due` is when the analyst's time is over, or the patience of those who wait for one; `unfit` have failed at it.
    """

    id: str
    number: int
    question: Question
    askers: Mapping[str, str]
    due: int
    analyst: str | None = None
    tries: int = 0
    unfit: frozenset[str] = frozenset()
    found: Findings = Findings()

    @property
    def owner(self) -> str:
        """The player whose turn in the queue it takes."""
        return next(iter(self.askers.values()))


@dataclass(frozen=True, slots=True)
class Offered:
    """A bot studies positions from now on, or under other terms than before."""

    analyst: Analyst


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """An analyst studies no more."""

    analyst: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A new question waits."""

    job: Job


@dataclass(frozen=True, slots=True)
class AskerJoined:
    """Somebody else wants to know the same."""

    job: str
    socket: str
    player: str


@dataclass(frozen=True, slots=True)
class AskerLeft:
    """A socket wants to hear no more; the last one to leave ends the job."""

    job: str
    socket: str


@dataclass(frozen=True, slots=True)
class Assigned:
    """An analyst has the job, until `due`."""

    job: str
    analyst: str
    due: int


@dataclass(frozen=True, slots=True)
class Found:
    """The analyst knows more."""

    job: str
    found: Findings


@dataclass(frozen=True, slots=True)
class Returned:
    """The job waits again, until `due`: its analyst went away, or, where it is unfit, failed."""

    job: str
    analyst: str
    due: int
    is_unfit: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """The job is done with. Without a report it has failed."""

    job: str
    found: Findings


AnalysisEvent: TypeAlias = Offered | Withdrawn | Asked | AskerJoined | AskerLeft | Assigned | Found | Returned | Ended


@dataclass(frozen=True, slots=True)
class AnalysisFacts:
    """Everything that waits, is under way, or is remembered.

    `served` has each waiting player's last turn, counted by `turn`; `answers` maps a question's key to its job's id and
    what was found, the oldest first.
    """

    analysts: Mapping[str, Analyst] = field(default_factory=dict)
    jobs: Mapping[str, Job] = field(default_factory=dict)
    served: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[str, tuple[str, Findings]] = field(default_factory=dict)
    turn: int = 0
    number: int = 0

    def fold(self, events: Iterable[AnalysisEvent]) -> Self:
        """Return the queue after `events`."""
        queue = self
        for event in events:
            queue = queue.evolve(event)
        return queue

    def evolve(self, event: AnalysisEvent) -> Self:
        """Return the queue after `event`, which follows from it."""
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
                taken = self._with(replace(job, analyst=analyst, due=due, tries=job.tries + 1))
                return replace(taken, turn=turn, served={**self.served, job.owner: turn})
            case Found(name, found):
                return self._with(replace(self.jobs[name], found=found))
            case Returned(name, analyst, due, is_unfit):
                job, failed = self.jobs[name], self.analysts[analyst]
                unfit = job.unfit | {analyst} if is_unfit else job.unfit
                failed = replace(failed, failures=failed.failures + is_unfit)
                returned = self._with(replace(job, analyst=None, due=due, unfit=unfit))
                return replace(returned, analysts={**self.analysts, analyst: failed})
            case Ended(name, found):
                job, has_failed = self.jobs[name], found.report is None
                analysts = dict(self.analysts)
                if job.analyst is not None:
                    before = analysts[job.analyst]
                    analysts[job.analyst] = replace(before, failures=before.failures + 1 if has_failed else 0)
                after = replace(self._without(name), analysts=analysts)
                if has_failed:
                    return after
                key = job.question.key
                kept = [(old, answer) for old, answer in self.answers.items() if old != key][-REMEMBERED + 1 :]
                return replace(after, answers={**dict(kept), key: (name, found)})
            case _:
                assert_never(event)

    def _with(self, job: Job) -> Self:
        return replace(self, jobs={**self.jobs, job.id: job})

    def _without(self, name: str) -> Self:
        jobs = {key: job for key, job in self.jobs.items() if key != name}
        here = {player for job in jobs.values() for player in job.askers.values()}
        return replace(self, jobs=jobs, served={player: at for player, at in self.served.items() if player in here})
