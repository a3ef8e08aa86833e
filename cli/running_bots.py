"""Runs bots until they have their games, a signal comes, or, for the house bots, their server ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine

from cornered.cli.house_process import until_stdin_ends
from cornered.clients.ending import run_until_signal

__all__ = ["run_until_ended"]


def run_until_ended(
    played: Callable[[], Coroutine[None, None, None]], *, is_house: bool = False, only_games: bool = False
) -> None:
    """Run the bots of `played` and print what they log. Raises what they raise, and SystemExit after SIGTERM or SIGHUP.

    House bots print warnings alone; with `only_games` a bot prints its games too, and nothing of its connections.
    At each end `played` is cancelled before other tasks, so that what it has started ends in its own order.
    """
    _tell_of_bots(logging.WARNING if is_house or only_games else logging.INFO)
    if only_games:
        logging.getLogger("cornered.bot").setLevel(logging.INFO)

    async def run() -> None:
        playing = asyncio.ensure_future(played())
        waiting = {playing, asyncio.ensure_future(until_stdin_ends())} if is_house else {playing}
        try:
            done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # A signal. The runner of the loop would cancel all tasks at once, those of a server in no order.
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            raise
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            if not task.cancelled():
                task.result()

    run_until_signal(run())


def _tell_of_bots(level: int) -> None:
    """Print the bots' log records, dropping repeated ones."""
    last = ""

    def is_new(record: logging.LogRecord) -> bool:
        nonlocal last
        said, last = last, record.getMessage()
        return last != said

    handler = logging.StreamHandler()
    handler.addFilter(is_new)
    logging.basicConfig(level=level, format="%(message)s", handlers=[handler], force=True)
