"""A bot of a file that is loaded again when the file is edited, while the games of the last good version go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Final, TypeAlias

from cornered.clients.sdk.bot_source import BotSource
from cornered.clients.sdk.bot_word import ChooseState
from cornered.clients.sdk.choosing import BotFailed
from cornered.clients.sdk.thinkers import Thinkers

__all__ = ["EditableBot"]

LOOK_INTERVAL_S: Final = 0.5
"""Seconds between two looks at the files of the bot."""
LOAD_TIMEOUT_S: Final = 60.0
"""Seconds after which a file that is being loaded counts as hanging."""
LOAD_PATIENCE_S: Final = 10.0
"""Seconds after which the wait for a file is explained."""

Play: TypeAlias = Callable[[Callable[[], ChooseState]], Coroutine[None, None, None]]
"""Plays with the bot that the given function loads, until all is played."""


class EditableBot:
    """A bot's file, and its newest version that could be loaded. `tell` gets each line for people."""

    def __init__(self, path: Path, tell: Callable[[str], None], *, load_timeout_s: float = LOAD_TIMEOUT_S) -> None:
        self._path = path
        self._tell = tell
        self._load_timeout_s = load_timeout_s
        self._times: dict[Path, int] = {}
        self._source: BotSource | None = None

    async def load(self) -> None:
        """Load the file for the first time. Raises ValueError and BotFailed with its name."""
        self._times = self._read_times()
        source = BotSource.read(self._path)
        if (fault := await self._fault(source)) is not None:
            raise BotFailed(f"{self._path.name} cannot be loaded: {fault}")
        self._source = source

    async def play(self, play: Play) -> None:
        """Play until `play` returns. After an edit it is cancelled, and called again with the new version.

        A version that cannot be loaded is told of, and changes nothing.
        """
        assert self._source is not None
        while True:
            playing = asyncio.create_task(play(self._source.load), name="bot")
            editing = asyncio.create_task(self._until_edited(), name="edits")
            try:
                await asyncio.wait({playing, editing}, return_when=asyncio.FIRST_COMPLETED)
                if playing.done():
                    playing.result()
                    return
            except BotFailed as failure:
                # The author's own code: it is mended, and the games go on.
                self._tell(str(failure))
                await editing
            finally:
                for task in (playing, editing):
                    task.cancel()
                await asyncio.gather(playing, editing, return_exceptions=True)
            self._tell(f"{self._path.name} has changed and is loaded again")

    async def edited(self) -> None:
        """Return when a file has changed and the new version, which plays from then on, could be loaded."""
        await self._until_edited()
        self._tell(f"{self._path.name} has changed and is loaded again")

    async def _until_edited(self) -> None:
        """Return when a file has changed and the new version could be loaded."""
        while True:
            await asyncio.sleep(LOOK_INTERVAL_S)
            times = self._read_times()
            if times == self._times:
                continue
            self._times = times
            try:
                source = BotSource.read(self._path)
                fault = await self._fault(source)
            except ValueError as error:
                fault = str(error)
            if fault is None:
                self._source = source
                return
            self._tell(
                f"{self._path.name} has changed and cannot be loaded, so that the version before plays on: {fault}"
            )

    async def _fault(self, source: BotSource) -> str | None:
        """Load the bot in a process of its own, which is ended where it hangs; return what is wrong, or None."""
        explaining = asyncio.get_running_loop().call_later(
            LOAD_PATIENCE_S, self._tell, f"{self._path.name} is being loaded, for {self._load_timeout_s:g} s at most"
        )
        try:
            async with Thinkers.open(source.load, 1, start_timeout_s=self._load_timeout_s):
                return None
        except BotFailed as failure:
            return failure.crash or str(failure)
        finally:
            explaining.cancel()

    def _read_times(self) -> dict[Path, int]:
        """Return the times at which the Python files of the bot's folder were changed, in nanoseconds."""
        times = {}
        for file in (self._path, *self._path.parent.glob("*.py")):
            try:
                times[file] = file.stat().st_mtime_ns
            except FileNotFoundError:
                # An editor is replacing it.
                times[file] = 0
        return times
