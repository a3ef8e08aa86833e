"""A process in which quick bots think as plain Python, while what they need is compiled.

`python -m cornered.bots.pool.plain` reads one job a line and writes one answer a line, both as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import Final

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.pool.worker_main import ThinkJob, think
from cornered.clients.sdk.worker_process import Lost
from cornered.engine import State
from cornered.engine.compile.child_process import reap

__all__ = ["PlainThinker"]

ANSWER_TIMEOUT_S: Final = 20.0
"""Seconds for one move, the start of the process and its imports included."""
MOVE_TIME_MS: Final = 1_000
"""Milliseconds for the search of one move: the bots' few nodes take 10 to 500."""


class PlainThinker:
    """The process, which starts with the first question and answers one after another."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def choose(self, bot: str, state: State) -> Thought:
        """Return what `bot` plays, with the score and what is proven. Raises Lost."""
        job = {"bot": bot, "game": state.game.name, "options": dict(state.game.options), "position": str(state)}
        async with self._turn:
            try:
                async with asyncio.timeout(ANSWER_TIMEOUT_S):
                    found = await self._ask(json.dumps(job))
            except TimeoutError:
                await self._end()
                raise Lost("the plain process hangs") from None
            except BaseException:
                # Its answer to this job would be taken for that to the next one.
                await self._end()
                raise
        if isinstance(found, str):
            raise Lost(f"{bot} failed in {state}: {found}")
        return found

    async def close(self) -> None:
        """End the process."""
        async with self._turn:
            await self._end()

    async def _ask(self, job: str) -> Thought | str:
        """Return the answer, or the error's text."""
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "cornered.bots.pool.plain"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
                # Ctrl-C in the terminal reaches this process only, which then ends that one.
                start_new_session=True,
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{job}\n".encode())
            await process.stdin.drain()
            line = await process.stdout.readline()
        except OSError as error:
            raise Lost("the plain process died") from error
        if not line:
            raise Lost("the plain process died")
        found = json.loads(line)
        return found["error"] if "error" in found else Thought(**found)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await reap(process)


def answer(line: str, known: dict[str, Bot]) -> str:
    """Return the answer to a job."""
    try:
        thought = think(ThinkJob(limit=Limit(time=MOVE_TIME_MS), **json.loads(line)), known)
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})
    return json.dumps({"move": thought.move, "score": thought.score, "proven": thought.proven})


def main() -> None:
    """Answer until standard input ends, as it does with the process that started this one."""
    known: dict[str, Bot] = {}
    for line in sys.stdin:
        sys.stdout.write(f"{answer(line, known)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
