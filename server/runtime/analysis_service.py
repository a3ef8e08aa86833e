"""Assigns analysis jobs to connected analysts, and sends their results to the clients that requested them."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable
from typing import Final, Protocol, assert_never

from cornered.protocol.analysis import MAX_TREE_NODES
from cornered.protocol.commands import Analysed, CancelAnalysis, OfferAnalysis
from cornered.protocol.messages import (
    Acknowledged,
    Analyse,
    Analysis,
    ServerMessage,
    StopAnalysis,
    Traced,
    TraceSearch,
)
from cornered.protocol.traces import MAX_TRACE_LINES
from cornered.protocol.values import Player
from cornered.server.analysis.queue import MAX_JOBS, AnalysisQueue
from cornered.server.analysis.state import (
    AnalysisEvent,
    AnalysisFindings,
    AnalysisProgressed,
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
from cornered.server.metrics import Counts
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import Broadcast

__all__ = ["INTERRUPTED", "AnalysisClient", "AnalysisService", "failure"]

MOST_JOBS_OF_ADDRESS: Final = MAX_JOBS // 4
"""Queued and running analyses of all players of one address: enough for a class, and not the whole queue."""
PUBLISH_INTERVAL_S: Final = 0.25
"""Least interval of results so far."""
INTERRUPTED: Final = "the server that had this analysis changed; ask again"
"""Why an analysis ends that may be asked for again at once."""


class AnalysisClient(Protocol):
    """A socket that asks or offers, on this node or on another one. `id` is unique among the sockets of all nodes."""

    @property
    def id(self) -> str: ...
    @property
    def player(self) -> Player: ...
    @property
    def address(self) -> str: ...
    @property
    def is_behind(self) -> bool: ...

    def send(self, message: ServerMessage) -> None: ...

    def deliver(self, broadcast: Broadcast) -> None: ...


class AnalysisService:
    """The queue of analysis jobs between the clients that request them and the analysts; it does not search."""

    def __init__(self, counts: Counts, now: Callable[[], int], new_id: Callable[[], str], key: str = "") -> None:
        """`now` is the match clock in milliseconds; `new_id` makes ids that cannot be guessed.

        `key` is the operator's, which an analyst must send; without one there are no analysts.
        """
        self._key = key.encode()
        self._counts = counts
        self._now = now
        self._new_id = new_id
        self._loop = asyncio.get_running_loop()
        self._queue = AnalysisQueue()
        self._clients: dict[str, AnalysisClient] = {}
        self._changed: set[str] = set()
        self._publish_timer: asyncio.TimerHandle | None = None
        self._tick_timer: asyncio.TimerHandle | None = None

    @property
    def analysts(self) -> int:
        """Number of connected analysts."""
        return len(self._queue.analysts)

    @property
    def jobs(self) -> int:
        """Number of queued and running jobs."""
        return len(self._queue.jobs)

    def close(self) -> None:
        """Stop every timer."""
        for timer in (self._publish_timer, self._tick_timer):
            if timer is not None:
                timer.cancel()

    # Analysts

    def check_offer(self, client: AnalysisClient, command: OfferAnalysis) -> None:
        """Raise a Refusal where this client may not offer analysis."""
        if client.player.kind != "bot":
            raise Refusal("not_a_bot", "only a bot studies positions for others")
        if command.jobs and not self.is_operators(command.key):
            raise Refusal(
                "not_allowed",
                "only bots that the server's operator allows study positions for others: start yours with the server's "
                "CORNERED_ANALYST_KEY",
            )

    def offer(self, client: AnalysisClient, command: OfferAnalysis) -> None:
        """Register a bot as analyst, which `check_offer` has allowed, and answer it."""
        client.send(Acknowledged(id=command.id))
        self.register(client, command)

    def register(self, client: AnalysisClient, command: OfferAnalysis) -> None:
        """Register a bot as analyst whose offer is answered."""
        self._clients[client.id] = client
        self._apply(self._queue.offer(client.id, command, self._now()))

    def is_operators(self, key: str | None) -> bool:
        """Return whether this is the operator's key, compared in constant time."""
        return bool(self._key) and hmac.compare_digest((key or "").encode(), self._key)

    def analysed(self, client: AnalysisClient, command: Analysed) -> None:
        """Fold an analyst's results, and answer it. Raises Refusal."""
        events = self._queue.analysed(client.id, command, self._now())
        client.send(Acknowledged(id=command.id))
        self._apply(events)

    # Clients that request analyses

    def ask(self, client: AnalysisClient, command_id: str, question: Question) -> None:
        """Queue an analysis, and answer with its id and the results so far. Raises Refusal."""
        answer = self._queue.answers.get(question.key)
        if answer is not None:
            self._counts.analyses_remembered += 1
            client.send(Acknowledged(id=command_id, ref=answer[0]))
            client.send(_message(answer[0], question, answer[1], 0, final=True))
            return
        if self._queue.find(question) is None and self._jobs_of(client.address) >= MOST_JOBS_OF_ADDRESS:
            raise Refusal("busy", f"{MOST_JOBS_OF_ADDRESS} analyses from your address are not done yet; try again soon")
        events = self._queue.ask(client.id, client.player.id, question, self._new_id(), self._now())
        self._clients[client.id] = client
        self._apply(events)
        job = self._queue.find(question)
        assert job is not None
        self._changed.discard(job.id)
        client.send(Acknowledged(id=command_id, ref=job.id))
        client.send(_message(job.id, question, job.found, self._places().get(job.id, 0), final=False))

    def _jobs_of(self, address: str) -> int:
        """Count the analyses that connections from an address wait for."""
        return sum(
            any(self._clients[socket].address == address for socket in job.askers) for job in self._queue.jobs.values()
        )

    def cancel(self, client: AnalysisClient, command: CancelAnalysis) -> None:
        """Unsubscribe a client from an analysis, and acknowledge it."""
        client.send(Acknowledged(id=command.id))
        self._apply(self._queue.cancel(client.id, command.analysis, self._now()))

    def leave(self, client: AnalysisClient) -> None:
        """Remove a closed connection: its jobs return to the queue, its requests are dropped."""
        if client.id in self._clients:
            self._apply(self._queue.leave(client.id, self._now()))
            del self._clients[client.id]

    def interrupt(self, client: AnalysisClient) -> None:
        """Remove a connection that may be open: its requests end with a message that they may be repeated."""
        self._interrupt_requests(client)
        self.leave(client)

    def reset(self) -> None:
        """Remove all connections in this way, the answers of old questions apart."""
        clients = tuple(self._clients.values())
        for client in clients:
            self._interrupt_requests(client)
        for client in clients:
            self.leave(client)

    def _interrupt_requests(self, client: AnalysisClient) -> None:
        for job in [job for job in self._queue.jobs.values() if client.id in job.askers]:
            client.send(failure(job.id, job.question.position, INTERRUPTED, is_trace=job.question.search is not None))
            self._apply(self._queue.cancel(client.id, job.id, self._now()))

    # Effects

    def _apply(self, events: tuple[AnalysisEvent, ...]) -> None:
        for event in events:
            self._effect(event)
            self._queue = self._queue.evolve(event)
        if events:
            self._arm()
            if self._changed and self._publish_timer is None:
                self._publish_timer = self._loop.call_later(PUBLISH_INTERVAL_S, self._publish)

    def _effect(self, event: AnalysisEvent) -> None:
        """Send the messages of an event, before it is folded."""
        queue = self._queue
        match event:
            case Offered() | Withdrawn():
                pass
            case Asked(job):
                self._counts.analyses_asked += 1
                self._changed.add(job.id)
            case AskerJoined(name):
                self._changed.add(name)
            case AskerLeft(name):
                if len(queue.jobs[name].askers) == 1:
                    self._stop(name)
                self._changed.update(job.id for job in queue.waiting())
            case Assigned(name, analyst):
                question = queue.jobs[name].question
                self._clients[analyst].send(_job(name, question))
                self._changed.update(job.id for job in queue.waiting())
            case AnalysisProgressed(name):
                self._changed.add(name)
            case Returned(name):
                self._counts.analyses_returned += 1
                self._stop(name)
                self._changed.add(name)
            case JobEnded(name, found):
                self._counts.analyses_answered += found.report is not None
                self._counts.analyses_failed += found.report is None
                self._stop(name)
                job = queue.jobs[name]
                said = Broadcast(_message(name, job.question, found, 0, final=True))
                for socket in job.askers:
                    self._clients[socket].deliver(said)
            case _:
                assert_never(event)

    def _stop(self, name: str) -> None:
        """Send `stop_analysis` to the analyst that has a job, also to one that has just finished it."""
        analyst = self._clients.get(self._queue.jobs[name].analyst or "")
        if analyst is not None:
            analyst.send(StopAnalysis(job=name))

    def _publish(self) -> None:
        """Send results so far to the clients that requested them; one that is behind gets the final message only."""
        self._publish_timer = None
        changed, self._changed = self._changed, set()
        places = self._places()
        for name in changed:
            job = self._queue.jobs.get(name)
            if job is not None:
                said = Broadcast(_message(name, job.question, job.found, places.get(name, 0), final=False))
                for client in (self._clients[socket] for socket in job.askers):
                    if not client.is_behind:
                        client.deliver(said)

    def _places(self) -> dict[str, int]:
        """Return the place of each waiting job in the queue; the next one has 1."""
        return {job.id: place for place, job in enumerate(self._queue.waiting(), 1)}

    def _arm(self) -> None:
        due = self._queue.deadline()
        if self._tick_timer is not None:
            self._tick_timer.cancel()
            self._tick_timer = None
        if due is not None:
            self._tick_timer = self._loop.call_later(max(0, due - self._now()) / 1000, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        self._apply(self._queue.tick(self._now()))
        if self._tick_timer is None:
            self._arm()


def failure(analysis: str, position: str, error: str, *, is_trace: bool) -> Analysis | Traced:
    """Return the last message of an analysis, or of a search to be shown, that has no result."""
    if is_trace:
        return Traced(
            analysis=analysis,
            position=position,
            ahead=0,
            final=True,
            by="",
            report=None,
            lines=(),
            positions=(),
            error=error,
        )
    return Analysis(
        analysis=analysis,
        position=position,
        ahead=0,
        final=True,
        by="",
        report=None,
        overlays=(),
        tree=(),
        error=error,
    )


def _job(name: str, question: Question) -> Analyse | TraceSearch:
    if question.search is not None:
        return TraceSearch(
            job=name,
            game=question.game,
            position=question.position,
            settings=question.search,
            milliseconds=question.milliseconds,
            lines=MAX_TRACE_LINES,
        )
    return Analyse(
        job=name,
        game=question.game,
        position=question.position,
        lines=question.lines,
        milliseconds=question.milliseconds,
        nodes=MAX_TREE_NODES,
    )


def _message(name: str, question: Question, found: AnalysisFindings, ahead: int, *, final: bool) -> Analysis | Traced:
    if question.search is not None:
        return Traced(
            analysis=name,
            position=question.position,
            ahead=ahead,
            final=final,
            by=found.by,
            report=found.report if final else None,
            lines=found.trace.lines if final else (),
            positions=found.trace.positions if final else (),
            error=found.error,
        )
    return Analysis(
        analysis=name,
        position=question.position,
        ahead=ahead,
        final=final,
        by=found.by,
        report=found.report,
        overlays=found.overlays,
        tree=found.tree,
        error=found.error,
    )
