"""Asks a bot's `choose` for one move: what it may return, what is wrong with a result, and how long it took."""

from __future__ import annotations

import asyncio
import inspect
import reprlib
import sysconfig
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, Literal, Protocol, TypeAlias

from cornered.clients.sdk.errors import Closed
from cornered.clients.sdk.match import MatchView
from cornered.engine.game import State
from cornered.engine.limit import Limit

__all__ = [
    "MAX_SHOWN_CHARS",
    "Answer",
    "BotFailed",
    "Choose",
    "OnError",
    "TimeUsed",
    "TimedMove",
    "WithMove",
    "author_place",
    "awaited",
    "choose_legal",
    "crash_text",
    "legal_answer",
    "require_legal",
    "shown",
]

MAX_SHOWN_CHARS: Final = 120
"""Characters of an invalid result that are logged."""
MAX_MOVE_CHARS: Final = 16
"""Characters of a move's text."""
MAX_FRAMES: Final = 12
"""Frames of a traceback that are reported, those next to the error."""
NOT_OF_AUTHORS: Final = (
    Path(__file__).parents[2],
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
)
"""The folders of Cornered itself, of the standard library and of installed packages."""


class WithMove(Protocol):
    """A move with thoughts about it, such as the house bots' `Thought`: the move is played."""

    @property
    def move(self) -> str:
        """The move's text."""


@dataclass(frozen=True, slots=True)
class TimedMove:
    """A move that was chosen in another process, and the seconds of `choose` alone, without the process's start."""

    move: str
    seconds: float


Answer: TypeAlias = str | WithMove
Choose: TypeAlias = Callable[[MatchView, Limit], Awaitable[Answer | Awaitable[Answer]] | Answer]
"""Picks a move for the seat to move in the match's newest position."""
OnError: TypeAlias = Literal["resign", "random", "raise"]
"""What a bot does that has returned no legal move: resign that match, make a random move, or end with the error."""


class BotFailed(Exception):
    """The bot has returned no legal move; the text has its result. What `choose` raised is the cause.

    `is_hang` says that it gave no answer in time, `is_known` that the server has refused the move itself. `crash` is
    what the bot's owner is told of an error in the bot, as `crash_text` has it; None where it has returned something
    else than a legal move. `seconds` are those of `choose` alone, where they were taken in another process.
    """

    def __init__(
        self,
        text: str,
        *,
        is_hang: bool = False,
        is_known: bool = False,
        crash: str | None = None,
        seconds: float | None = None,
    ) -> None:
        super().__init__(text)
        self.is_hang = is_hang
        self.is_known = is_known
        self.crash = crash
        self.seconds = seconds


@dataclass(slots=True)
class TimeUsed:
    """The time that a bot has taken for its moves, in seconds, without the start of a process for them."""

    moves: int = 0
    total: float = 0.0
    last: float = 0.0
    """For the newest move."""
    blocked: float = 0.0
    """The longest time of the newest move in which nothing else ran on the event loop."""


async def choose_legal(choose: Choose, match: MatchView, limit: Limit, used: TimeUsed) -> str:
    """Return the legal move of `choose`, and add its time to `used`. Raises BotFailed."""
    return await legal_answer(partial(choose, match, limit), match.state, used)


async def legal_answer(ask: Callable[[], object], state: State, used: TimeUsed) -> str:
    """Return the legal move that `ask` returns for a state, or an awaitable of it; add its time. Raises BotFailed."""
    began = monotonic()
    used.blocked = 0.0
    seconds: float | None = None
    try:
        chosen = ask()
        used.blocked = monotonic() - began
        while inspect.isawaitable(chosen):
            if inspect.iscoroutine(chosen):
                chosen = _Watched(chosen, used)
            chosen = await chosen
        if isinstance(chosen, TimedMove):
            seconds = chosen.seconds
    except BotFailed as failure:
        seconds = failure.seconds
        raise
    except Closed:
        raise
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise BotFailed(text := "choose was cancelled from inside", crash=text) from None
    except (Exception, SystemExit) as error:
        raise BotFailed(f"choose raised {shown(error)}", crash=crash_text(error)) from error
    finally:
        used.last = monotonic() - began if seconds is None else seconds
        used.total += used.last
        used.moves += 1
    return require_legal(chosen, state)


async def awaited(found: object) -> object:
    """Return what a coroutine returns, and what a coroutine that it returns does."""
    while inspect.isawaitable(found):
        found = await found
    return found


def require_legal(chosen: object, state: State) -> str:
    """Return the move's text of a bot's result. Raises BotFailed for one that is no legal move of the state."""
    try:
        move: object = chosen if isinstance(chosen, str) else getattr(chosen, "move", None)
    except Exception as error:
        raise BotFailed(f"choose raised {shown(error)}", crash=crash_text(error)) from error
    if not isinstance(move, str) or len(move) > MAX_MOVE_CHARS or not state.is_legal(move):
        raise BotFailed(f"choose returned {shown(chosen)}, which is no legal move in {state}")
    return move


class _Watched:
    """Awaits a coroutine and notes its longest run between two suspensions in `used.blocked`."""

    def __init__(self, coroutine: Coroutine[Any, Any, object], used: TimeUsed) -> None:
        self._coroutine = coroutine
        self._used = used

    def __await__(self) -> Generator[Any, Any, object]:
        step: Callable[[], Any] = partial(self._coroutine.send, None)
        while True:
            began = monotonic()
            try:
                waiting = step()
            except StopIteration as done:
                return done.value
            finally:
                self._used.blocked = max(self._used.blocked, monotonic() - began)
            try:
                step = partial(self._coroutine.send, (yield waiting))
            except BaseException as error:
                step = partial(self._coroutine.throw, error)


def author_place(error: BaseException) -> str | None:
    """Return the file and line of the author's own code that is nearest to an error; None where none is in its
    traceback."""
    own = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if not one.filename.startswith("<") and not any(map(Path(one.filename).is_relative_to, NOT_OF_AUTHORS))
    ]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else None


def crash_text(error: BaseException) -> str:
    """Return an error with the frames of the bot's own code: names of files without their folders."""
    kit = Path(__file__).parent
    frames = [
        one
        for one in traceback.extract_tb(error.__traceback__)
        if Path(one.filename).parent != kit and not one.filename.startswith("<frozen ")
    ]
    lines = [
        f"{Path(one.filename).name}, line {one.lineno}, in {one.name}: {one.line or ''}" for one in frames[-MAX_FRAMES:]
    ]
    try:
        shown = "".join(traceback.format_exception_only(error)).rstrip()
    except Exception:
        shown = type(error).__name__
    return "\n".join([*lines, shown])


def shown(wrong: object) -> str:
    """Return a short representation of any object: of an error its text, and the type where `repr` raises."""
    try:
        if isinstance(wrong, BaseException):
            text = " ".join(str(wrong).split())[:MAX_SHOWN_CHARS]
            return f"{type(wrong).__name__}: {text}" if text else type(wrong).__name__
        return f"{type(wrong).__name__} {reprlib.repr(wrong)[:MAX_SHOWN_CHARS]}"
    except Exception:
        return type(wrong).__name__
