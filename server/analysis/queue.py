"""Decides the analysis queue: commands become events or refusals. Pure: time is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from cornered.engine.game import CHANCE, State
from cornered.protocol.analysis import MAX_ATTEMPTS, MAX_OPEN_ANALYSES, Report, TreeNode
from cornered.protocol.commands import Analysed, AskAnalysis, OfferAnalysis
from cornered.protocol.values import Move
from cornered.server.analysis.state import (
    AnalysisEvent,
    AnalysisFacts,
    AnalysisFindings,
    AnalysisJob,
    AnalysisProgressed,
    Analyst,
    Asked,
    AskerJoined,
    AskerLeft,
    Assigned,
    JobEnded,
    Offered,
    Question,
    Returned,
    Withdrawn,
)
from cornered.server.analysis.traces import after_move, read_lines
from cornered.server.match.state import MatchState
from cornered.server.match.views import studied
from cornered.server.refusal import Refusal

__all__ = ["MAX_JOBS", "QUESTION_TIMEOUT_MS", "REPLY_GRACE_MS", "AnalysisQueue", "question_about"]

REPLY_GRACE_MS: Final = 10_000
"""Milliseconds after the search time until a job without a final answer is unassigned."""
QUESTION_TIMEOUT_MS: Final = 90_000
"""Milliseconds that a question waits for an analyst before it fails."""
MAX_JOBS: Final = 200
"""Queued and running analyses of all players together."""

_OVERLAY_ALPHABETS: Final = {"zones": frozenset("0123b./"), "heat": frozenset("0123456789./")}
"""The characters of each kind of overlay."""


def question_about(match: MatchState, command: AskAnalysis) -> Question:
    """Return the question about the position that is asked for. Raises Refusal where no player is to move."""
    state = studied(match, command.ply)
    for move in command.moves:
        state = after_move(state, move)
    if state.outcome is not None:
        raise Refusal("nothing_to_analyse", "the game is decided here; go back to an earlier move")
    if state.to_move == CHANCE:
        raise Refusal("nothing_to_analyse", "the dice are rolled here; go to another move")
    return Question(match.terms.spec, str(state), command.lines, state, command.milliseconds)


class AnalysisQueue(AnalysisFacts):
    """A queue that serves players round-robin and reassigns jobs whose analyst fails or times out."""

    __slots__ = ()

    def offer(self, socket: str, command: OfferAnalysis, now: int) -> tuple[AnalysisEvent, ...]:
        """Return the events of a bot's offer."""
        if not command.jobs:
            return self.leave(socket, now, asks=False)
        known = self.analysts.get(socket)
        number, failures = (known.number, known.failures) if known else (self.number, 0)
        games = frozenset(command.games)
        return self._with_assignments(
            [Offered(Analyst(socket, command.name, games, command.jobs, number, failures, command.traces))], now
        )

    def ask(self, socket: str, player: str, question: Question, new_id: str, now: int) -> tuple[AnalysisEvent, ...]:
        """Return the events of a question that is not in `answers`. `new_id` is an unused id. Raises Refusal."""
        asked = [job for job in self.jobs.values() if player in job.askers.values()]
        same = self.find(question)
        if same is not None and socket in same.askers:
            return ()
        if len(asked) >= MAX_OPEN_ANALYSES:
            raise Refusal("busy", f"{MAX_OPEN_ANALYSES} of your analyses are not done yet; cancel one, or wait")
        if same is not None:
            return (AskerJoined(same.id, socket, player),)
        if not any(analyst.studies(question) for analyst in self.analysts.values()):
            raise Refusal("no_analyst", "no bot that is here studies this game; try again later")
        if len(self.jobs) >= MAX_JOBS:
            raise Refusal("busy", "too many positions wait to be studied; try again in a minute")
        job = AnalysisJob(new_id, self.number, question, {socket: player}, now + QUESTION_TIMEOUT_MS)
        return self._with_assignments([Asked(job)], now)

    def find(self, question: Question) -> AnalysisJob | None:
        """Return the job that answers the same question, if there is one."""
        return next((job for job in self.jobs.values() if job.question.key == question.key), None)

    def cancel(self, socket: str, job: str, now: int) -> tuple[AnalysisEvent, ...]:
        """Return the events of a socket's unsubscription from a job; none where the job is over."""
        known = self.jobs.get(job)
        return self._with_assignments([AskerLeft(job, socket)], now) if known and socket in known.askers else ()

    def leave(self, socket: str, now: int, *, asks: bool = True) -> tuple[AnalysisEvent, ...]:
        """Return the events of a closed socket, or, without `asks`, of one that only withdraws as an analyst."""
        events: list[AnalysisEvent] = []
        if socket in self.analysts:
            events += [self._unassign(job, now) for job in self.jobs.values() if job.analyst == socket]
            events.append(Withdrawn(socket))
        ended = {event.job for event in events if isinstance(event, JobEnded)}
        if asks:
            events += [AskerLeft(job.id, socket) for job in self.jobs.values() if socket in job.askers.keys() - ended]
        return self._with_assignments(events, now) if events else ()

    def analysed(self, socket: str, command: Analysed, now: int) -> tuple[AnalysisEvent, ...]:
        """Return the events of an analyst's answer. Raises Refusal."""
        job = self.jobs.get(command.job)
        if job is None or job.analyst != socket:
            raise Refusal("unknown_analysis", "this is not your job, or not any more")
        _check_answer(command, job.question)
        name = self.analysts[socket].name
        found = replace(
            job.found,
            by=name,
            report=command.report or job.found.report,
            overlays=job.found.overlays if command.overlays is None else command.overlays,
            tree=job.found.tree if command.tree is None else command.tree,
            trace=job.found.trace
            if command.trace is None
            else read_lines(job.found.trace, command.trace, job.question.state),
        )
        if not command.final:
            return (AnalysisProgressed(job.id, found),)
        # Some lines of a search are no answer, where an early report of an analysis is one.
        has_failed = found.report is None or (job.question.search is not None and command.error is not None)
        if has_failed:
            return self._with_assignments([self._unassign(job, now, has_failed=True, reason=command.error or "")], now)
        # The rules' states are of use only while further lines may come.
        found = replace(found, trace=replace(found.trace, states=()))
        return self._with_assignments([JobEnded(job.id, found)], now)

    def tick(self, now: int) -> tuple[AnalysisEvent, ...]:
        """Return the events of the timeouts that are due at `now`."""
        events: list[AnalysisEvent] = []
        for job in self.jobs.values():
            if job.due > now:
                continue
            if job.analyst is None:
                events.append(JobEnded(job.id, AnalysisFindings(error="nobody has had time for this; try again later")))
            else:
                events.append(self._unassign(job, now, has_failed=True, reason="it took too long"))
        return self._with_assignments(events, now) if events else ()

    def deadline(self) -> int | None:
        """Return the time of the next timeout."""
        return min((job.due for job in self.jobs.values()), default=None)

    def waiting(self) -> list[AnalysisJob]:
        """Return the unassigned jobs in their order: returned ones, then each player's oldest, round-robin."""
        waiting = sorted((job for job in self.jobs.values() if job.analyst is None), key=lambda job: job.number)
        rounds: dict[str, int] = {}
        order: list[tuple[bool, int, int, int, AnalysisJob]] = []
        for job in waiting:
            owner = job.owner
            rounds[owner] = rounds.get(owner, 0) + 1
            order.append((not job.attempts, rounds[owner], self.served.get(owner, 0), job.number, job))
        return [entry[-1] for entry in sorted(order, key=lambda entry: entry[:-1])]

    def _unassign(
        self, job: AnalysisJob, now: int, *, has_failed: bool = False, reason: str = ""
    ) -> Returned | JobEnded:
        """Return the event that takes a job from its analyst: back to the queue, or its end after the last attempt."""
        assert job.analyst is not None
        barred = job.failed_analysts | {job.analyst}
        others = [one for one in self.analysts.values() if one.studies(job.question) and one.id not in barred]
        if job.attempts < MAX_ATTEMPTS and (others or not has_failed):
            return Returned(job.id, job.analyst, now + QUESTION_TIMEOUT_MS, has_failed)
        if job.found.report is not None and job.question.search is None:
            return JobEnded(job.id, job.found)
        name = self.analysts[job.analyst].name
        return JobEnded(
            job.id, AnalysisFindings(error=f"{name} could not study this" + (f": {reason}" if reason else ""))
        )

    def _with_assignments(self, events: list[AnalysisEvent], now: int) -> tuple[AnalysisEvent, ...]:
        """Return the events, followed by the assignments of free analysts."""
        after = self.fold(events)
        while (assigned := after._next_assignment(now)) is not None:
            events.append(assigned)
            after = after.evolve(assigned)
        return tuple(events)

    def _next_assignment(self, now: int) -> Assigned | None:
        load = dict.fromkeys(self.analysts, 0)
        for job in self.jobs.values():
            if job.analyst is not None:
                load[job.analyst] += 1
        free = [analyst for analyst in self.analysts.values() if load[analyst.id] < analyst.jobs]
        free.sort(key=lambda analyst: (analyst.failures, analyst.number))
        if free:
            for job in self.waiting():
                for analyst in free:
                    if analyst.studies(job.question) and analyst.id not in job.failed_analysts:
                        return Assigned(job.id, analyst.id, now + job.question.milliseconds + REPLY_GRACE_MS)
        return None


def _check_answer(command: Analysed, question: Question) -> None:
    """Raise a Refusal where an answer has overlays of another shape, illegal moves, or a trace that nobody asked for.

    Every move of every line and of the tree is played: at most `MAX_LINES * MAX_LINE_PLIES + MAX_TREE_NODES` moves.
    """
    if command.trace is not None and question.search is None:
        raise Refusal("malformed", "trace: this job is an analysis")
    if command.report is not None:
        _check_lines(command.report, question.state)
    _check_tree(command.tree or (), question.state)
    for picture in command.overlays or ():
        if tuple(map(len, picture.cells.split("/"))) != question.shape:
            raise Refusal("malformed", "overlays: the rows are not those of the position")
        if not _OVERLAY_ALPHABETS[picture.kind].issuperset(picture.cells):
            raise Refusal("malformed", f"overlays: {picture.kind} are drawn with other characters")
        if picture.numbers and tuple(row.count(",") + 1 for row in picture.numbers.split("/")) != question.shape:
            raise Refusal("malformed", "overlays: the numbers are not those of the position's cells")


def _check_lines(report: Report, start: State) -> None:
    reached: dict[tuple[Move, ...], State] = {(): start}
    for line in report.lines:
        if line.pv[0] != line.move:
            raise Refusal("malformed", "pv: a line starts with its move")
        for ply, move in enumerate(line.pv):
            so_far = line.pv[: ply + 1]
            if so_far not in reached:
                reached[so_far] = after_move(reached[line.pv[:ply]], move)


def _check_tree(tree: Sequence[TreeNode], start: State) -> None:
    reached: list[State] = []
    for number, node in enumerate(tree):
        if node.parent >= number:
            raise Refusal("malformed", "tree: a move comes after its parent")
        reached.append(after_move(start if node.parent < 0 else reached[node.parent], node.move))
