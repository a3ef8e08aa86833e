"""The worker processes in which an author's bot thinks: one that crashes or hangs costs its move and no more."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pickle import PicklingError
from time import monotonic
from typing import Final, ParamSpec, TypeVar

from cornered.clients.sdk.bot_word import ChooseState
from cornered.clients.sdk.choosing import BotFailed, TimedMove
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.worker_main import Failed, Position, Preparation, answering, packed
from cornered.clients.sdk.worker_process import Hung, Lost, WorkerProcess, start_fork_server
from cornered.engine.limit import Limit

__all__ = ["HANG_S", "Thinkers"]

HANG_S: Final = 60.0
"""Seconds after which a move without a clock counts as hung."""
START_TIMEOUT_S: Final = 600.0
"""Seconds for the start of a process and the bot's own imports."""
GRACE_MIN_S: Final = 0.05
"""Least seconds for an answer, whatever the clock says."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Thinker:
    """A process, and the match for which it thinks."""

    process: WorkerProcess
    match: MatchView | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held during a move."""


class Thinkers:
    """Up to `size` processes. Get it from `Thinkers.open`.

    A match keeps its process, so that a bot may remember what it found out, until the match ends or the process dies.
    """

    def __init__(
        self, load: bytes, size: int, seed: int | None, start_timeout_s: float, threads: ThreadPoolExecutor
    ) -> None:
        self._load = load
        self._size = size
        self._seed = seed
        self._start_timeout_s = start_timeout_s
        self._threads = threads
        self._all: list[_Thinker] = []
        self._starting = asyncio.Lock()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        load: Callable[[], ChooseState],
        size: int,
        *,
        seed: int | None = None,
        start_timeout_s: float = START_TIMEOUT_S,
    ) -> AsyncIterator[Thinkers]:
        """Start the first process, which has loaded the bot, and end all with the block.

        Raises BotFailed for a bot that cannot be loaded, and TypeError for one that cannot be given to a process.
        """
        try:
            data = packed(load)
        except (PicklingError, TypeError, AttributeError) as error:
            raise TypeError(
                f"the bot cannot be given to another process: {error}; make it inside choose, or run_bot(..., "
                'thinks_in="thread")'
            ) from None
        threads = ThreadPoolExecutor(size + 1, thread_name_prefix="thinkers")
        thinkers = cls(data, size, seed, start_timeout_s, threads)
        try:
            await thinkers._start()
            yield thinkers
        finally:
            for thinker in thinkers._all:
                threads.submit(thinker.process.end)
            threads.shutdown(wait=True)

    async def prepare(self, games: Sequence[str]) -> None:
        """Compile, or load, the rules of games in the first process, and on disk for the later ones."""
        first = self._all[0]
        try:
            await self._blocking(first.process.exchange, Preparation(tuple(games)), START_TIMEOUT_S)
        except Lost:
            # The first move starts another one.
            await self._drop(first)

    async def choose(self, match: MatchView, limit: Limit) -> TimedMove:
        """Return a legal move in the newest position of a match. Raises BotFailed, with what is wrong as its text."""
        thinker = self._own(match) or await self._new_thinker(match)
        async with thinker.turn:
            if thinker not in self._all:
                # Another match, with which it was shared, has ended it.
                return await self.choose(match, limit)
            state = match.state
            position = Position(state.game.name, dict(state.game.options), str(state), limit)
            timeout_s = _timeout_s(limit)
            began = monotonic()
            try:
                answer = await self._blocking(thinker.process.exchange, position, timeout_s)
            except Hung:
                await self._drop(thinker)
                seconds = monotonic() - began
                hang = f"choose gave no move in {seconds:.1f} s, and its process was ended"
                raise BotFailed(hang, is_hang=True, crash=hang, seconds=seconds) from None
            except Lost:
                seconds = monotonic() - began
                death = await self._death(thinker)
                raise BotFailed(death, crash=death, seconds=seconds) from None
            except BaseException:
                # Its answer to this position would be taken for that to the next one.
                await asyncio.shield(self._drop(thinker))
                raise
        match answer:
            case TimedMove():
                return answer
            case Failed():
                raise answer.error()
            case _:
                raise AssertionError(f"a worker answered {answer!r}")

    def _own(self, match: MatchView) -> _Thinker | None:
        """Return the process that a match has."""
        return next((one for one in self._all if one.match is not None and one.match.id == match.id), None)

    async def _new_thinker(self, match: MatchView) -> _Thinker:
        """Return a process for a match: a free or a new one; where all have a match, the least recently used."""
        async with self._starting:
            found = next((one for one in self._all if one.match is None or one.match.over), None)
            if found is None and len(self._all) < self._size:
                found = await self._start()
            if found is None:
                found = next((one for one in self._all if not one.turn.locked()), self._all[0])
            found.match = match
            # The least recently used comes first.
            self._all.remove(found)
            self._all.append(found)
            return found

    async def _start(self) -> _Thinker:
        """Start a process that has loaded the bot. Raises BotFailed."""
        process = await self._blocking(_started, self._load, self._seed)
        thinker = _Thinker(process)
        self._all.append(thinker)
        try:
            failure = await self._blocking(process.exchange, None, self._start_timeout_s)
        except Hung:
            await self._drop(thinker)
            hang = f"loading it takes longer than {self._start_timeout_s:g} s; is there a loop outside choose?"
            raise BotFailed(f"the bot cannot be loaded: {hang}", is_hang=True, crash=hang) from None
        except Lost:
            death = await self._death(thinker)
            raise BotFailed(f"the bot cannot be loaded: {death}", crash=death) from None
        if isinstance(failure, Failed):
            await self._drop(thinker)
            raise failure.error()
        return thinker

    async def _death(self, thinker: _Thinker) -> str:
        """Clean up after a process that died, and return its end in words."""
        await self._drop(thinker)
        return f"the process of choose died with exit code {thinker.process.process.exitcode}"

    async def _drop(self, thinker: _Thinker) -> None:
        """End a process; the next move starts another one."""
        if thinker in self._all:
            self._all.remove(thinker)
        await self._blocking(thinker.process.end)

    async def _blocking(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        call = functools.partial(function, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def _started(load: bytes, seed: int | None) -> WorkerProcess:
    start_fork_server(["cornered.clients.sdk.worker_preload"], {})
    return WorkerProcess(answering, load, seed, daemon=False)


def _timeout_s(limit: Limit) -> float:
    """Return the seconds after which a move counts as hung: when it is too late on the clock, or `HANG_S`."""
    if limit.remaining is None or limit.grace is None:
        return HANG_S
    return max(GRACE_MIN_S, limit.remaining + limit.grace / 1000)
