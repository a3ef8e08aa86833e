"""Runs bots until they have their games, a signal comes, or, for the house bots, their server ends."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Coroutine

import typer

from cornered.cli.house_process import until_stdin_ends

__all__ = ["run_until_ended"]


def run_until_ended(
    played: Callable[[], Coroutine[None, None, None]], *, is_house: bool = False, only_games: bool = False
) -> None:
    """Run the bots of `played` and print what they log. Raises what they raise, and typer.Exit after SIGTERM or SIGHUP.

    House bots print warnings alone; with `only_games` a bot prints its games too, and nothing of its connections.
    At each end `played` is cancelled before other tasks, so that what it has started ends in its own order.
    """
    _tell_of_bots(logging.WARNING if is_house or only_games else logging.INFO)
    if only_games:
        logging.getLogger("cornered.bot").setLevel(logging.INFO)
    ended_by: signal.Signals | None = None

    async def run() -> None:
        playing = asyncio.ensure_future(played())

        def end(number: signal.Signals) -> None:
            nonlocal ended_by
            if ended_by is None:  # A second signal must not interrupt the shutdown.
                ended_by = number
                playing.cancel()

        for number in _endings():
            with contextlib.suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(number, end, number)
        waiting = {playing, asyncio.ensure_future(until_stdin_ends())} if is_house else {playing}
        try:
            done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # Ctrl-C. The runner of the loop would cancel all tasks at once, those of a server in no order.
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            raise
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            if not task.cancelled():
                task.result()

    asyncio.run(run())
    if ended_by is not None:
        raise typer.Exit(128 + ended_by)


def _endings() -> list[signal.Signals]:
    """Return SIGTERM and, where the system has it, SIGHUP, the end of the terminal; `nohup` has that one ignored."""
    hang_up: signal.Signals | None = getattr(signal, "SIGHUP", None)
    if hang_up is None or signal.getsignal(hang_up) is signal.SIG_IGN:
        return [signal.SIGTERM]
    return [signal.SIGTERM, hang_up]


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
