"""Both ends of an analysis: the news of one that was asked for, and the jobs of a bot that offered to do some."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol, TypeVar

from cornered.clients.sdk.pulse import Pulse
from cornered.protocol.analysis import OverlayPicture, Report, TreeNode
from cornered.protocol.commands import Analysed, AskAnalysis, CancelAnalysis, Command, OfferAnalysis
from cornered.protocol.messages import Acknowledged, Analyse, Analysis, StopAnalysis
from cornered.protocol.values import Value

__all__ = ["Jobs", "Studies"]

KEPT: Final = 64
"""Analyses whose newest word is kept for somebody who has not begun to listen."""
MAX_JOBS: Final = 64
"""Jobs that may wait for the bot to take them up; the server sends no more than were offered."""

T = TypeVar("T", bound=Value)


class Line(Protocol):
    """What both ends need of their client."""

    def new_id(self) -> str:
        """Return a fresh command id."""

    async def ask(self, command: Command, expected: type[T]) -> T:
        """Send a command and return its answer."""

    def mention(self, command: Command) -> None:
        """Send a command if the line stands, and wait for nothing."""


class Studies:
    """The analyses that this client asked for. Of each the newest word counts: it tells everything that is known."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._newest: OrderedDict[str, Analysis] = OrderedDict()
        self._connections = 0
        self._pulse = Pulse()

    async def ask(self, match: str, ply: int, lines: int) -> AsyncIterator[Analysis]:
        """Yield what is known of a position until all is, asking again after a lost connection. Raises Refused."""
        while True:
            connection = self._connections
            command = AskAnalysis(id=self._line.new_id(), match=match, ply=ply, lines=lines)
            name = (await self._line.ask(command, Acknowledged)).ref or ""
            try:
                async for analysis in self._follow(name, connection):
                    yield analysis
                    if analysis.final:
                        return
            except (GeneratorExit, asyncio.CancelledError):
                # Who is cancelled does not wait for an answer.
                self._line.mention(CancelAnalysis(id=self._line.new_id(), analysis=name))
                raise
            finally:
                self._newest.pop(name, None)

    async def _follow(self, name: str, connection: int) -> AsyncIterator[Analysis]:
        """Yield the news of one analysis as long as the connection holds on which it was asked for."""
        told: Analysis | None = None
        while self._connections == connection:
            seen, newest = self._pulse.count, self._newest.get(name)
            if newest is not None and newest is not told:
                told = newest
                yield newest
            else:
                await self._pulse.after(seen)

    def hear(self, analysis: Analysis) -> None:
        """Take what the server says of an analysis."""
        self._newest[analysis.analysis] = analysis
        self._newest.move_to_end(analysis.analysis)
        while len(self._newest) > KEPT:
            self._newest.popitem(last=False)
        self._pulse.beat()

    def reconnect(self) -> None:
        """There is a new connection, on which nothing was asked for yet."""
        self._connections += 1
        self._newest.clear()
        self._pulse.beat()

    def close(self) -> None:
        """Wake everybody who still waits here."""
        self._pulse.close()


class Jobs:
    """What a bot was asked to study, and what of it nobody wants any more. Iterating yields the jobs as they come."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._waiting: deque[Analyse] = deque(maxlen=MAX_JOBS)
        self._wanted: dict[str, asyncio.Event] = {}
        self._offered: OfferAnalysis | None = None
        self._pulse = Pulse()

    async def offer(self, games: Sequence[str], jobs: int, name: str, *, key: str | None = None) -> None:
        """Offer, as a bot, to study positions of these games, `jobs` at once; said again on every new connection.

        `name` is who thinks, as people see it; `key` is the operator's. No jobs at once take the offer back.
        Raises Refused, with `not_allowed` for a wrong key.
        """
        command = OfferAnalysis(id=self._line.new_id(), games=tuple(games), jobs=jobs, name=name, key=key)
        await self._line.ask(command, Acknowledged)
        self._offered = command

    async def tell(
        self,
        job: str,
        *,
        final: bool = False,
        report: Report | None = None,
        overlays: Sequence[OverlayPicture] | None = None,
        tree: Sequence[TreeNode] | None = None,
        error: str | None = None,
    ) -> None:
        """Tell what was found about a job so far; what is None is as it was. Raises Refused when the job is lost."""
        command = Analysed(
            id=self._line.new_id(),
            job=job,
            final=final,
            report=report,
            overlays=None if overlays is None else tuple(overlays),
            tree=None if tree is None else tuple(tree),
            error=error,
        )
        try:
            await self._line.ask(command, Acknowledged)
        finally:
            if final:
                self._done(job)

    def is_wanted(self, job: str) -> bool:
        """Say whether somebody still waits for what a job finds."""
        return job in self._wanted

    async def stopped(self, job: str) -> None:
        """Return when nobody waits for a job any more."""
        if job in self._wanted:
            await self._wanted[job].wait()

    async def __aiter__(self) -> AsyncIterator[Analyse]:
        """Yield the jobs that are wanted, as they come. For one reader. Raises Closed when the client closes."""
        while True:
            seen = self._pulse.count
            while self._waiting:
                job = self._waiting.popleft()
                if self.is_wanted(job.job):
                    yield job
            await self._pulse.after(seen)

    def hear(self, message: Analyse | StopAnalysis) -> None:
        """Take a job, or the word that one is not wanted any more."""
        if isinstance(message, Analyse):
            self._wanted[message.job] = asyncio.Event()
            self._waiting.append(message)
            self._pulse.beat()
        else:
            self._done(message.job)

    def reconnect(self) -> list[Command]:
        """Return what to say again on a new connection; the jobs of the old one are other bots' now."""
        self._drop()
        return [] if self._offered is None else [self._offered.model_copy(update={"id": self._line.new_id()})]

    def close(self) -> None:
        """Wake everybody who still waits here."""
        self._drop()
        self._pulse.close()

    def _drop(self) -> None:
        self._waiting.clear()
        for job in tuple(self._wanted):
            self._done(job)

    def _done(self, job: str) -> None:
        stopped = self._wanted.pop(job, None)
        if stopped is not None:
            stopped.set()
