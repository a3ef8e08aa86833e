"""The worker's side of an author's bot: it loads the bot, and answers one position after another."""

from __future__ import annotations

import asyncio
import inspect
import random
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cloudpickle

from cornered import engine
from cornered.clients.sdk.bot_word import ChooseState
from cornered.clients.sdk.choosing import BotFailed, awaited, crash_text, require_legal, shown
from cornered.engine.game import OptionValue
from cornered.engine.limit import Limit

__all__ = ["Chosen", "Failed", "Position", "answering", "given", "packed", "seeded"]


@dataclass(frozen=True, slots=True)
class Position:
    """A position to choose a move in; text and numbers only, so that it is cheap to pickle."""

    game: str
    options: Mapping[str, OptionValue]
    text: str
    limit: Limit


@dataclass(frozen=True, slots=True)
class Chosen:
    """A legal move."""

    move: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The bot could not be loaded, raised, or returned no legal move.

    `trace` is its traceback, where there is one, and `crash` as in BotFailed.
    """

    text: str
    trace: str = ""
    crash: str | None = None

    def error(self) -> BotFailed:
        """Return the error for the process that has asked."""
        return BotFailed(f"{self.text}\n{self.trace}".rstrip(), crash=self.crash)


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


def answering(load: bytes, seed: int | None) -> Callable[[Position | None], Chosen | Failed | None]:
    """Return the function that answers requests in a worker process. None asks whether the bot is loaded."""
    runner = asyncio.Runner()
    failure: Failed | None = None
    choose: ChooseState | None = None
    try:
        choose = seeded(cloudpickle.loads(load)(), seed)
    except Exception as error:
        failure = Failed(f"the bot cannot be loaded: {shown(error)}", traceback.format_exc(), crash_text(error))

    def answer(request: Position | None) -> Chosen | Failed | None:
        if request is None or choose is None:
            return failure
        state = engine.load(request.game, **request.options).parse(request.text)
        try:
            found: object = choose(state, request.limit)
            if inspect.isawaitable(found):
                found = runner.run(awaited(found))
        except Exception as error:
            return Failed(f"choose raised {shown(error)}", traceback.format_exc(), crash_text(error))
        try:
            return Chosen(require_legal(found, state))
        except BotFailed as wrong:
            return Failed(str(wrong), crash=wrong.crash)

    return answer
