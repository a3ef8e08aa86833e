"""Both ends of an analysis: the results for a client that requests one, and the jobs of a bot that computes them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol, TypeVar

from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.errors import CommandRefused
from cornered.clients.sdk.pulse import Pulse
from cornered.protocol.analysis import OverlayPicture, Report, TreeNode
from cornered.protocol.commands import Analysed, AskAnalysis, CancelAnalysis, Command, OfferAnalysis
from cornered.protocol.messages import Acknowledged, Analyse, Analysis, StopAnalysis, TraceSearch
from cornered.protocol.values import Value

__all__ = ["Jobs", "Studies"]

MAX_BUFFERED_ANALYSES: Final = 64
"""Analyses whose newest result is buffered until `ask` reads it."""
MAX_JOBS: Final = 64
"""Buffered jobs; the server sends no more than were offered."""

T = TypeVar("T", bound=Value)


class StudyClient(Protocol):
    """The part of a client that both ends use."""

    def new_id(self) -> str:
        """Return a unique command id."""

    async def ask(self, command: Command, expected: type[T]) -> T:
        """Send a command and return its answer."""

    def mention(self, command: Command) -> None:
        """Send a command without waiting; drop it where there is no connection."""


class Studies:
    """Analyses that this client requested. Only the newest result of each is kept, since it includes earlier ones."""

    def __init__(self, client: StudyClient) -> None:
        self._client = client
        self._newest: OrderedDict[str, Analysis] = OrderedDict()
        self._connections = 0
        self._pulse = Pulse()

    async def ask(self, match: str, ply: int, lines: int) -> AsyncIterator[Analysis]:
        """Yield results up to the final one; a reconnection requests the analysis again. Raises CommandRefused."""
        while True:
            connection = self._connections
            command = AskAnalysis(id=self._client.new_id(), match=match, ply=ply, lines=lines)
            name = (await self._client.ask(command, Acknowledged)).ref or ""
            try:
                async for analysis in self._follow(name, connection):
                    yield analysis
                    if analysis.final:
                        return
            except (GeneratorExit, asyncio.CancelledError):
                # A cancelled task must not wait for an answer.
                self._client.mention(CancelAnalysis(id=self._client.new_id(), analysis=name))
                raise
            finally:
                self._newest.pop(name, None)

    async def _follow(self, name: str, connection: int) -> AsyncIterator[Analysis]:
        """Yield the results of one analysis until the connection of its request is lost."""
        last: Analysis | None = None
        while self._connections == connection:
            seen, newest = self._pulse.count, self._newest.get(name)
            if newest is not None and newest is not last:
                last = newest
                yield newest
            else:
                await self._pulse.after(seen)

    def receive(self, analysis: Analysis) -> None:
        """Buffer a result."""
        self._newest[analysis.analysis] = analysis
        self._newest.move_to_end(analysis.analysis)
        while len(self._newest) > MAX_BUFFERED_ANALYSES:
            self._newest.popitem(last=False)
        self._pulse.beat()

    def reconnect(self) -> None:
        """Discard the results of the old connection and wake their readers, which request them again."""
        self._connections += 1
        self._newest.clear()
        self._pulse.beat()

    def close(self) -> None:
        """Wake all waiting tasks with Closed."""
        self._pulse.close()


class Jobs:
    """Analysis jobs of a bot, and which of them are stopped. Iterating yields the jobs as they come."""

    def __init__(self, client: StudyClient) -> None:
        self._client = client
        self._waiting: deque[Analyse | TraceSearch] = deque(maxlen=MAX_JOBS)
        self._active: dict[str, asyncio.Event] = {}
        self._offered: OfferAnalysis | None = None
        self._pulse = Pulse()

    async def offer(
        self, games: Sequence[str], jobs: int, name: str, *, key: str | None = None, traces: bool = False
    ) -> None:
        """Register as analyst of these games with `jobs` jobs at once; repeated on every new connection.

        `name` is the displayed name; `key` is the operator's; with `traces` jobs to show a search come too. 0 jobs
        withdraw the offer. Raises CommandRefused, with `not_allowed` for a wrong key.
        """
        command = OfferAnalysis(
            id=self._client.new_id(), games=tuple(games), jobs=jobs, name=name, key=key, traces=traces
        )
        await self._client.ask(command, Acknowledged)
        self._offered = command

    async def tell(
        self,
        job: str,
        *,
        final: bool = False,
        report: Report | None = None,
        overlays: Sequence[OverlayPicture] | None = None,
        tree: Sequence[TreeNode] | None = None,
        trace: Sequence[str] | None = None,
        error: str | None = None,
    ) -> None:
        """Send results of a job; None is unchanged since the last call, and a `trace` has the lines since then.

        Waits where the server asks to. Raises CommandRefused when the job is lost, and when the server does not accept
        the results: then the job is still wanted, and an `error` gives it back.
        """

        async def send() -> None:
            command = Analysed(
                id=self._client.new_id(),
                job=job,
                final=final,
                report=report,
                overlays=None if overlays is None else tuple(overlays),
                tree=None if tree is None else tuple(tree),
                trace=None if trace is None else tuple(trace),
                error=error,
            )
            await self._client.ask(command, Acknowledged)

        is_over = final
        try:
            await retry(send)
        except CommandRefused as refusal:
            is_over = refusal.code == "unknown_analysis" or (final and error is not None)
            raise
        except asyncio.CancelledError:
            is_over = False
            raise
        finally:
            if is_over:
                self._done(job)

    def is_wanted(self, job: str) -> bool:
        """Return whether a job is not stopped."""
        return job in self._active

    async def stopped(self, job: str) -> None:
        """Return when a job is stopped or done."""
        if job in self._active:
            await self._active[job].wait()

    async def __aiter__(self) -> AsyncIterator[Analyse | TraceSearch]:
        """Yield jobs that are not stopped, as they come. For one reader. Raises Closed when the client closes."""
        while True:
            seen = self._pulse.count
            while self._waiting:
                job = self._waiting.popleft()
                if self.is_wanted(job.job):
                    yield job
            await self._pulse.after(seen)

    def receive(self, message: Analyse | TraceSearch | StopAnalysis) -> None:
        """Buffer a job, or stop one."""
        if isinstance(message, Analyse | TraceSearch):
            self._active[message.job] = asyncio.Event()
            self._waiting.append(message)
            self._pulse.beat()
        else:
            self._done(message.job)

    def reconnect(self) -> list[Command]:
        """Return the offer to repeat on a new connection; the jobs of the old one are assigned to other bots."""
        self._drop()
        return [] if self._offered is None else [self._offered.model_copy(update={"id": self._client.new_id()})]

    def close(self) -> None:
        """Stop all jobs, and wake the reader with Closed."""
        self._drop()
        self._pulse.close()

    def _drop(self) -> None:
        self._waiting.clear()
        for job in tuple(self._active):
            self._done(job)

    def _done(self, job: str) -> None:
        stopped = self._active.pop(job, None)
        if stopped is not None:
            stopped.set()
