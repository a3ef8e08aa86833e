"""Compiling in a process of its own, item by item: what compiles, crashes or hangs there delays no one here.

A program is a module whose `__main__` calls `compile_each` with its arguments. It prints the name of each item that is
done as one line; any other line on standard output is noise of a library.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Iterable
from time import monotonic
from typing import Final

from cornered.engine.compile.child_process import reap

__all__ = ["COMPILE_TIMEOUT_S", "compile_each", "compiled"]

COMPILE_TIMEOUT_S: Final = 300.0
"""Seconds for one item; one that takes longer hangs."""
COMPILER_NICENESS: Final = 10
"""The niceness of a compiling process; moves of running games go first."""


async def compiled(
    program: str,
    items: Iterable[str],
    *arguments: str,
    stderr: int | None = None,
    on_noise: Callable[[str], None] = lambda line: None,
) -> AsyncGenerator[str]:
    """Yield each of `items` when `python -m program *arguments *items` has compiled it; close it to end the process.

    An item that crashes the process or exceeds COMPILE_TIMEOUT_S is left out; a new process compiles those behind it.
    Other lines go to `on_noise`.
    """
    waiting = list(dict.fromkeys(items))
    while waiting:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", program, *arguments, *waiting),
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            # Ctrl-C in the terminal reaches this process only, which then ends the compiling one.
            start_new_session=True,
        )
        assert process.stdout is not None
        current = 0
        deadline = monotonic() + COMPILE_TIMEOUT_S
        try:
            while line := await asyncio.wait_for(_next_line(process.stdout), deadline - monotonic()):
                item = line.decode(errors="replace").strip()
                if item in waiting:
                    current = waiting.index(item)
                    del waiting[current]
                    yield item
                    deadline = monotonic() + COMPILE_TIMEOUT_S
                else:
                    on_noise(item)
            if await process.wait() == 0:
                return
        except TimeoutError:
            pass
        finally:
            if process.returncode is None or not process.stdout.at_eof():
                _kill(process)
            # Reads what is left too, since the end of a process is known only when its pipe has ended.
            await reap(process)
        # Items are compiled in their order: those before the last one that was done have failed, the next one crashed.
        del waiting[: current + 1]


async def _next_line(output: asyncio.StreamReader) -> bytes:
    """Return the next line, empty at the end; what exceeds the reader's buffer is dropped, as noise."""
    while True:
        with contextlib.suppress(ValueError):
            return await output.readline()


def _kill(process: asyncio.subprocess.Process) -> None:
    """End the process and those that it started, which would keep the pipe open."""
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def compile_each(items: Iterable[str], compile_one: Callable[[str], object]) -> int:
    """Compile `items` in their order, print each that is done, and return the exit code: 1 when one has failed."""
    if sys.platform != "win32":
        os.nice(COMPILER_NICENESS)
    exit_code = 0
    # The process that reads this may have ended.
    with contextlib.suppress(BrokenPipeError):
        for item in items:
            try:
                compile_one(item)
            except Exception:
                sys.stderr.write(f"{item} cannot be compiled\n{traceback.format_exc()}")
                exit_code = 1
            else:
                sys.stdout.write(f"{item}\n")
                sys.stdout.flush()
    return exit_code
