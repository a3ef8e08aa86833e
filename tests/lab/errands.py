"""Functions that workers run in tests: a module that they can import without the tests around it."""

from __future__ import annotations

import os
import signal
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

from cornered.bots import roster
from cornered.lab.contests import arena
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.execution.heartbeat import beat

STRANGERS = str(Path(__file__).with_name("strangers"))


def square(number: int) -> int:
    return number * number


def work(seconds: float) -> None:
    """Keep a core busy, as a bot does that thinks for so long."""
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        pass


def work_where(seconds: float) -> int:
    """Keep a core busy, and return the pid of this process."""
    work(seconds)
    return os.getpid()


def forever() -> NoReturn:
    """Do nothing until the process is ended."""
    threading.Event().wait()
    raise AssertionError("nothing sets the event")


def act(what: str) -> str:
    """Fail in the requested way, or return normally."""
    word, _, detail = what.partition(" ")
    match word:
        case "exit":
            beat(f"about to {what}")
            os._exit(int(detail))
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "exit-once":
            with Path(detail).open("a", encoding="utf-8") as file:
                print("tried", file=file)
            if len(Path(detail).read_text(encoding="utf-8").splitlines()) == 1:
                os._exit(1)
        case "cut-once":
            if not Path(detail).exists():
                Path(detail).touch()
                _die_while_answering()
            return "x" * 1_000_000
        case "hang":
            beat("about to hang", float(detail))
            forever()
        case "slow":
            for _ in range(6):
                beat("alive", 1.0)
                work(0.25)
        case "wait":
            forever()
        case "work":
            work(float(detail))
        case "tell":
            with Path(detail).open("a", encoding="utf-8") as file:
                print(os.getpid(), file=file)
        case "raise":
            raise Unsendable(1, 2)
        case _:
            pass
    return f"{what} is done"


def _die_while_answering() -> None:
    """Have this process killed in the middle of the next long message that it writes into a pipe."""
    well = Connection._send  # type: ignore[attr-defined]

    def send(line: Connection, message: memoryview) -> None:
        if len(message) <= 100_000:
            well(line, message)
            return
        os.write(line.fileno(), message[:100_000])
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send  # type: ignore[attr-defined]


def refuse(folder: str) -> NoReturn:
    """Fail while a worker starts."""
    os._exit(4)


class Unsendable(Exception):
    """An object that cannot be unpickled."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first)

    def __reduce__(self) -> NoReturn:
        raise TypeError("not me")


def play(terms: ContestTerms, fixture: Fixture) -> PlayedGame:
    """Play a fixture with the bots in `strangers` registered in this process; only for workers."""
    if STRANGERS not in roster.__path__:
        roster.__path__.append(STRANGERS)
        # Enough for these bots, which need no time.
        arena.HANG_TOLERANCE_S = 0.3  # type: ignore[misc]
    return arena.play(terms, fixture)


def play_where(terms: ContestTerms, fixture: Fixture) -> tuple[int, PlayedGame]:
    """Return the pid of this process, and the game of a fixture."""
    return os.getpid(), play(terms, fixture)


def tell_and_die(path: str) -> str:
    """Write the process id to a file, and end the process; a path named "other" ends nothing."""
    if path == "other":
        return path
    act(f"tell {path}")
    os._exit(9)


def exit_on(path: str) -> str:
    """End the process as soon as something is written to a pipe."""
    Path(path).read_text(encoding="utf-8")
    os._exit(6)
