"""A bot that is another program: its command, its process, and the processes that wait for their next bot."""

from __future__ import annotations

import atexit
import re
import shlex
import shutil
import weakref
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from pathlib import PurePath
from typing import Final, Generic, TypeVar

from cornered.bots.bot import Bot, Limit, SettingValue
from cornered.bots.ugi.process import EngineProcess

__all__ = [
    "HANG_MARGIN_S",
    "START_TIMEOUT_S",
    "UNLIMITED_TIME_S",
    "CommandBot",
    "IdlePrograms",
    "Program",
    "hang_margin",
    "quit_idle",
]

START_TIMEOUT_S: Final = 8.0
"""Seconds from the start of a program to its first answer."""
UNLIMITED_TIME_S: Final = 60.0
"""Seconds after which a search without a limit of time is stopped."""
HANG_MARGIN_S: Final = 0.2
"""Seconds from the end of a move's time to the kill. A pool's worker that waits for the program hangs after 0.25 s
itself."""


def hang_margin(limit: Limit) -> float:
    """Return the seconds from the end of a move's time to the kill of a program."""
    return HANG_MARGIN_S if limit.grace is None else min(HANG_MARGIN_S, 0.8 * limit.grace / 1000)


class Program:
    """A started program; subclasses add what it was told last."""

    def __init__(self, command: tuple[str, ...], name: str) -> None:
        self.process = EngineProcess(command, name)


P = TypeVar("P", bound=Program)

_quitting: list[Callable[[], None]] = []


@atexit.register
def quit_idle() -> None:
    """End the programs that no bot uses."""
    for quit_all in _quitting:
        quit_all()


class IdlePrograms(Generic[P]):
    """Programs without a bot, by command: a contest makes new bots for each game, and programs outlive games."""

    def __init__(self) -> None:
        self._programs: defaultdict[tuple[str, ...], list[P]] = defaultdict(list)
        _quitting.append(self._quit)

    def take(self, command: tuple[str, ...]) -> P | None:
        """Return a running program of this command, if there is one."""
        programs = self._programs[command]
        while programs:
            program = programs.pop()
            if program.process.is_alive:
                return program
        return None

    def release(self, held: list[P], command: tuple[str, ...]) -> None:
        """Take the program of a bot that is gone; `held` is empty then."""
        while held:
            program = held.pop()
            if program.process.is_alive:
                self._programs[command].append(program)

    def _quit(self) -> None:
        for programs in self._programs.values():
            for program in programs:
                program.process.quit()
        self._programs.clear()


class CommandBot(Bot, Generic[P]):
    """The bot of a word `PREFIX:COMMAND`: the command is split as a shell would, and no shell runs it.

    The program starts with the first question, lives on, and is started again after it died. An illegal move raises
    IllegalMove, everything else that is wrong with it EngineFailed.
    """

    def __init__(self, idle: IdlePrograms[P], seed: int | None = None, **settings: SettingValue) -> None:
        """`idle` keeps the programs of the class. Raises ValueError where there is no such program."""
        text = str(settings.get("command", ""))
        try:
            self.command = tuple(shlex.split(text))
        except ValueError as error:
            raise ValueError(f"{self.name}:{text} cannot be split into words: {error}") from None
        if not self.command:
            raise ValueError(f"name a program, as in {self.name}:./engine")
        if shutil.which(self.command[0]) is None:
            raise ValueError(f"there is no program {self.command[0]!r} that can be executed")
        super().__init__(seed)
        self.settings = {"command": shlex.join(self.command)}
        words = (re.sub(r"[^\w.-]", "", PurePath(word).name) for word in self.command)
        self.label = "-".join([self.name, *filter(None, words)])
        self._idle = idle
        self._held: list[P] = []
        """The program while it runs, at most one."""
        weakref.finalize(self, idle.release, self._held, self.command)

    @abstractmethod
    def start(self) -> P:
        """Start the program, and wait for its first answer. Raises EngineFailed."""

    def running(self) -> P:
        """Return the running program, started where none is. Raises EngineFailed."""
        if not (self._held and self._held[0].process.is_alive):
            self._held.clear()
            self._held.append(self._idle.take(self.command) or self.start())
        return self._held[0]
