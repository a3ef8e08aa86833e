"""Which games the server can play without compiling on its event loop.

On a new machine `python -m cornered.server.runtime.readiness catalogue GAME...` compiles the rules beside the server.
Its results are loaded here in a thread, a fraction of a second a game. Until then the server serves the page and opens
tables; a match begins when its game is ready.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from typing import Final

import structlog

from cornered import engine
from cornered.engine.compile.compiler import compile_each, compiled
from cornered.engine.warming import is_warm, warm
from cornered.server.match import catalogue
from cornered.server.refusal import Refusal

__all__ = ["Readiness"]

CATALOGUE: Final = "catalogue"
"""The name of the list of games among those of games: it needs a part of every game, and is compiled first."""

log = structlog.get_logger("readiness")


class Readiness:
    """What is ready. Without `expect_all` everything is: the first use of a game on the loop loads or compiles it."""

    def __init__(self) -> None:
        self._ready: dict[str, asyncio.Event] = {}
        self._is_closed = False

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the games that are not ready yet."""
        return tuple(name for name, ready in self._ready.items() if not ready.is_set() and name != CATALOGUE)

    async def of(self, game: str) -> None:
        """Return when `game` is ready. Raises Refusal when the server stops before."""
        if (ready := self._ready.get(game)) is not None and not ready.is_set():
            await ready.wait()
            if self._is_closed:
                raise Refusal("shutting_down", "the server restarts; connect again in a moment")

    async def of_catalogue(self) -> None:
        """Return when the list of games is ready. Raises Refusal when the server stops before."""
        await self.of(CATALOGUE)

    async def of_all(self) -> None:
        """Return when every game is ready. Raises Refusal when the server stops before."""
        for name in self._ready:
            await self.of(name)

    def expect_all(self) -> None:
        """From now on, let a game be ready only when `prepare` has loaded it."""
        self._ready = {name: asyncio.Event() for name in (CATALOGUE, *(kind.name for kind in engine.games()))}

    async def prepare(self) -> None:
        """Load every game that is compiled, then compile and load the others. A failure costs time, but no game."""
        names = [kind.name for kind in engine.games()]
        cold = [name for name in names if not is_warm(name)]
        try:
            if not cold:
                await self._load(CATALOGUE)
            for name in names:
                if name not in cold:
                    await self._load(name)
            if cold:
                log.info("compiling the rules, once on this machine; matches begin when it is done", games=cold)
                await self._compile(cold)
        except Exception as error:
            # An exception of this task would end the server's task group.
            log.error("the rules cannot be compiled beforehand", error=repr(error))
        finally:
            for ready in self._ready.values():
                ready.set()

    def close(self) -> None:
        """End all waiting with a refusal."""
        self._is_closed = True
        for ready in self._ready.values():
            ready.set()

    async def _compile(self, games: list[str]) -> None:
        done = compiled(
            "cornered.server.runtime.readiness",
            (CATALOGUE, *games),
            on_noise=lambda line: log.warning("the compiling process says", line=line),
        )
        async with aclosing(done):
            async for name in done:
                log.info("compiled", game=name)
                await self._load(name)
        if self.missing:
            log.error("some rules cannot be compiled beforehand", games=self.missing)

    async def _load(self, name: str) -> None:
        """Load a game; it is ready even where that fails, since its first use loads it again."""
        try:
            await asyncio.to_thread(_make_ready, name)
        except Exception as error:
            # A file of the cache that a power cut truncated raises anything: EOFError, UnpicklingError.
            log.error("this game's compiled rules cannot be loaded", game=name, error=repr(error))
        self._ready[name].set()


def _make_ready(name: str) -> None:
    if name == CATALOGUE:
        catalogue.offered()
    else:
        warm(name)


if __name__ == "__main__":
    sys.exit(compile_each(sys.argv[1:], _make_ready))
