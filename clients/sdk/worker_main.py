"""The worker's side of an author's bot: it loads the bot, and answers one position after another."""

from __future__ import annotations

import asyncio
import inspect
import random
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import monotonic

import cloudpickle

from cornered import engine
from cornered.clients.sdk.bot_word import CannotLoad, ChooseState
from cornered.clients.sdk.choosing import BotFailed, TimedMove, awaited, crash_text, require_legal, shown
from cornered.engine.game import OptionValue
from cornered.engine.limit import Limit

__all__ = ["Failed", "Position", "Preparation", "answering", "given", "packed", "prepare", "seeded"]


@dataclass(frozen=True, slots=True)
class Position:
    """A position to choose a move in; text and numbers only, so that it is cheap to pickle."""

    game: str
    options: Mapping[str, OptionValue]
    text: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Preparation:
    """The games whose rules are compiled, or loaded, before a position of them comes."""

    games: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot could not be loaded, raised, or returned no legal move.

    `trace` is its traceback, where there is one; `crash` and `seconds` as in BotFailed.
    """

    text: str
    trace: str = ""
    crash: str | None = None
    seconds: float | None = None

    def error(self) -> BotFailed:
        """Return the error for the process that has asked."""
        return BotFailed(f"{self.text}\n{self.trace}".rstrip(), crash=self.crash, seconds=self.seconds)


def given(choose: ChooseState) -> ChooseState:
    """Return `choose` itself: with it bound, the function that loads a bot which is there already."""
    return choose


def packed(load: Callable[[], ChooseState]) -> bytes:
    """Return a function that loads a bot, for a worker process. One of a script or a notebook is packed by value.

    Raises TypeError or PicklingError for one that refers to what belongs to this process, such as a lock or a file.
    """
    data: bytes = cloudpickle.dumps(load)
    return data


def seeded(choose: ChooseState, seed: int | None) -> ChooseState:
    """Return `choose` with Python's random numbers set by `seed` and the position, so that its moves are repeatable."""
    if seed is None:
        return choose

    def chosen(state: engine.State, limit: Limit) -> object:
        random.seed(f"{seed} {state.game.name} {state}")
        return choose(state, limit)

    return chosen  # type: ignore[return-value]


def prepare(games: Iterable[str]) -> None:
    """Compile, or load, the rules of games in this process; those that are unknown here are left."""
    # Imported late: it loads numba.
    from cornered.engine.warming import warm

    known = {game.name for game in engine.games()}
    if here := [game for game in games if game in known]:
        warm(*here)


def answering(load: bytes, seed: int | None) -> Callable[[Position | Preparation | None], TimedMove | Failed | None]:
    """Return the function that answers requests in a worker process. None asks whether the bot is loaded."""
    runner = asyncio.Runner()
    failure: Failed | None = None
    choose: ChooseState | None = None
    try:
        choose = seeded(cloudpickle.loads(load)(), seed)
    except CannotLoad as error:
        failure = Failed(f"the bot cannot be loaded: {error}", crash=str(error))
    except Exception as error:
        failure = Failed(f"the bot cannot be loaded: {shown(error)}", traceback.format_exc(), crash_text(error))

    def answer(request: Position | Preparation | None) -> TimedMove | Failed | None:
        if request is None or choose is None:
            return failure
        if isinstance(request, Preparation):
            prepare(request.games)
            return None
        state = engine.load(request.game, **request.options).parse(request.text)
        began = monotonic()
        try:
            found: object = choose(state, request.limit)
            if inspect.isawaitable(found):
                found = runner.run(awaited(found))
        except Exception as error:
            trace, seconds = traceback.format_exc(), monotonic() - began
            return Failed(f"choose raised {shown(error)}", trace, crash_text(error), seconds)
        seconds = monotonic() - began
        try:
            return TimedMove(require_legal(found, state), seconds)
        except BotFailed as wrong:
            return Failed(str(wrong), crash=wrong.crash, seconds=seconds)

    return answer
