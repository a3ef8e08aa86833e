"""The client under test, as a program."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
from collections import deque
from collections.abc import Sequence
from typing import Final, Protocol

from cornered.services.bound_process import bound

__all__ = ["Program", "Subject"]

STOP_S: Final = 3.0
"""Seconds from SIGTERM to SIGKILL."""
TOLD_LINES: Final = 4
"""Lines of a program's standard error that a verdict shows."""
MAX_LINE_CHARS: Final = 300
BOT_FAILURE: Final = re.compile(r" resigns match .+? at ply \d+: (.+)")
"""The line in which a bot of the kit says that it has no legal move, and why."""


class Subject(Protocol):
    """A client that the kit starts, possibly several times."""

    async def start(self, server: str, token: str, name: str) -> None:
        """Start it as the player with this token. Raises OSError."""

    async def stop(self, *, at_once: bool = False) -> None:
        """End it, if it runs; without asking it first where `at_once`."""

    def ended(self) -> str | None:
        """Return how it has ended by itself; None while it runs."""


class Program:
    """A command, which finds the server, its token and its name in CORNERED_SERVER, CORNERED_TOKEN and CORNERED_NAME.

    Its standard output is discarded. It runs in a session of its own, so that whatever it starts ends with it. Raises
    ValueError where there is no such program.
    """

    def __init__(self, command: Sequence[str]) -> None:
        if not command or shutil.which(command[0]) is None:
            raise ValueError(f"there is no program {' '.join(command[:1])!r} that could be started")
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._told: deque[str] = deque(maxlen=TOLD_LINES)
        self.bot_failure: str | None = None
        """Why a bot of the kit has made no legal move since its start, as it has said last."""

    async def start(self, server: str, token: str, name: str) -> None:
        """Start the program. Raises OSError."""
        given = {"CORNERED_SERVER": server, "CORNERED_TOKEN": token, "CORNERED_NAME": name}
        self._told.clear()
        self.bot_failure = None
        self._process = await asyncio.create_subprocess_exec(
            *bound(self._command, signal.SIGTERM),
            env=os.environ | given,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stderr is not None
        self._listening = asyncio.create_task(self._listen(self._process.stderr), name="standard error")

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # A line above the stream's limit.
                continue
            if not line:
                return
            self._told.append(told := line.decode(errors="replace").strip()[:MAX_LINE_CHARS])
            if failure := BOT_FAILURE.search(told):
                self.bot_failure = failure[1]

    def ended(self) -> str | None:
        """Return the exit code and the last lines of standard error; None while the program runs."""
        if self._process is None or self._process.returncode is None:
            return None
        told = " | ".join(self._told) or "nothing on standard error"
        return f"the client ended with exit code {self._process.returncode}: {told}"

    async def stop(self, *, at_once: bool = False) -> None:
        """End the program and its children, by SIGKILL `at_once`."""
        process, self._process = self._process, None
        if process is None:
            return
        if not at_once:
            self._signal(process, signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await process.wait()
        # Whatever is left of its session.
        self._signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        await process.wait()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    def _signal(self, process: asyncio.subprocess.Process, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, number)
            else:
                process.terminate()
