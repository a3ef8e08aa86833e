"""Runs bots until they have their games, a signal comes, or, for the house bots, their server ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Coroutine

import typer

from cornered.cli.house_process import until_stdin_ends

__all__ = ["run_until_ended", "tell_of_bots"]


def run_until_ended(played: Callable[[], Coroutine[None, None, None]], *, is_house: bool = False) -> None:
    """Run the bots of `played` and print what they log. Raises what they raise, and typer.Exit after SIGTERM."""
    tell_of_bots(logging.WARNING if is_house else logging.INFO)
    was_ended = False

    async def run() -> None:
        playing = asyncio.ensure_future(played())

        def end() -> None:
            nonlocal was_ended
            if not was_ended:  # A second signal must not interrupt the shutdown.
                was_ended = True
                playing.cancel()

        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end)
        waiting = {playing, asyncio.ensure_future(until_stdin_ends())} if is_house else {playing}
        done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            if not task.cancelled():
                task.result()

    asyncio.run(run())
    if was_ended:
        raise typer.Exit(128 + signal.SIGTERM)


def tell_of_bots(level: int) -> None:
    """Print the bots' log records, dropping repeated ones."""
    last = ""

    def is_new(record: logging.LogRecord) -> bool:
        nonlocal last
        said, last = last, record.getMessage()
        return last != said

    handler = logging.StreamHandler()
    handler.addFilter(is_new)
    logging.basicConfig(level=level, format="%(message)s", handlers=[handler], force=True)
