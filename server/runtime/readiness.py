"""Which games this process can play without compiling anything. Nothing that needs another one blocks the loop.

On a new machine the rules are compiled by a process beside the server: `python -m cornered.server.runtime.readiness
GAME...`. What it has made is loaded here in a thread, a fraction of a second a game. Until then the page is there,
players come, and tables are opened; a match begins when its game is ready.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import traceback
from typing import Final

import structlog

from cornered import engine
from cornered.engine.warming import is_warm, warm
from cornered.server.match import catalogue
from cornered.server.refusal import Refusal

__all__ = ["Readiness"]

MODESTY: Final = 10
"""How nice the compiling process is."""
CATALOGUE: Final = "catalogue"
"""What the list of games is called where names of games are: it needs a little of every game, and comes first."""

log = structlog.get_logger("readiness")


class Readiness:
    """What is ready. Without `prepare` everything is, as the loop's own first use of a game loads or compiles it."""

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

    def expect_all(self) -> None:
        """Call nothing ready that `prepare` has not prepared."""
        self._ready = {name: asyncio.Event() for name in (CATALOGUE, *(kind.name for kind in engine.games()))}

    async def prepare(self) -> None:
        """Make everything ready: what is compiled at once, the rest when it is. A fault costs time, but no game."""
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
            # Whatever it is, this task belongs to the server's group and would end it.
            log.error("the rules cannot be compiled beforehand", error=repr(error))
        finally:
            for ready in self._ready.values():
                ready.set()

    def close(self) -> None:
        """Let nobody wait any more."""
        self._is_closed = True
        for ready in self._ready.values():
            ready.set()

    async def _compile(self, games: list[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered.server.runtime.readiness", *games),
            stdout=asyncio.subprocess.PIPE,
            # Ctrl-C in the terminal is for the server, which then ends this in good order.
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                name = line.decode(errors="replace").strip()
                if name in (CATALOGUE, *games):
                    log.info("compiled", game=name)
                    await self._load(name)
                else:
                    log.warning("the compiling process says", line=name)
            if code := await process.wait():
                raise RuntimeError(f"the compiling process ended with exit code {code}")
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()

    async def _load(self, name: str) -> None:
        """Load a game, and call it ready even where that fails: its first use tries again."""
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


def _compile_all(games: list[str]) -> bool:
    """Compile what the list of games needs, then each game, and print the name of what is done; say whether all is."""
    os.nice(MODESTY)
    is_done = True
    for name in (CATALOGUE, *games):
        try:
            _make_ready(name)
        except Exception:
            traceback.print_exc()
            is_done = False
        else:
            sys.stdout.write(f"{name}\n")
            sys.stdout.flush()
    return is_done


if __name__ == "__main__":
    sys.exit(not _compile_all(sys.argv[1:]))
