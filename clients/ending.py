"""Runs a program's coroutine until it ends, or until a signal ends the program."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

__all__ = ["run_until_signal"]

T = TypeVar("T")


def run_until_signal(main: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns. SIGTERM, and SIGHUP where the system has it, cancel it as Ctrl-C does.

    Raises SystemExit after them, with 128 and the signal's number. An exception in the handler of the signal would come
    out of any task, whose traceback the loop would print.
    """
    ended_by: signal.Signals | None = None

    async def run() -> T:
        task = asyncio.current_task()
        assert task is not None

        def end(number: signal.Signals) -> None:
            nonlocal ended_by
            if ended_by is None:  # A second signal must not interrupt what ends in order.
                ended_by = number
                task.cancel()

        for number in _endings():
            # Windows has none, and outside the main thread they belong to others.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
                asyncio.get_running_loop().add_signal_handler(number, end, number)
        return await main

    with _restored():
        try:
            result = asyncio.run(run())
        except asyncio.CancelledError:
            if ended_by is None:
                raise
        if ended_by is not None:
            raise SystemExit(128 + ended_by)
        return result


def _endings() -> list[signal.Signals]:
    """Return SIGTERM, and SIGHUP, the end of the terminal, unless `nohup` has it ignored."""
    hang_up: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hang_up is None or signal.getsignal(hang_up) is signal.SIG_IGN:
        return [signal.SIGTERM]
    return [signal.SIGTERM, hang_up]


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    """Put back the handlers of signals that a loop replaces by the system's own when it ends."""
    before = {number: signal.getsignal(number) for number in _endings()}
    try:
        yield
    finally:
        for number, handler in before.items():
            # Outside the main thread they were not replaced.
            with contextlib.suppress(ValueError):
                signal.signal(number, handler)
