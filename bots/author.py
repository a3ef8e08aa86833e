"""A bot that is its author's function: of a file, of a module, or of an installed package."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from cornered.bots.bot import Bot, Limit, SettingValue, Thought
from cornered.clients.sdk.bot_word import choose_of, file_word, load_object, short_name
from cornered.clients.sdk.choosing import awaited, require_legal
from cornered.clients.sdk.worker_main import seeded
from cornered.engine import IllegalMove, State

__all__ = ["AuthorBot", "author_bot"]


class AuthorBot(Bot):
    """The bot of a function `choose(state, limit)`, or of a class with such a method, of which each bot has its own.

    With a seed Python's random numbers are set by it and the position before each move. An illegal move raises
    IllegalMove, another wrong result BotFailed, and what the function raises comes through.
    """

    name = "author"
    description = "A function of its author's, in a file, a module or an installed package."

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        """`word` is the bot's word without its other settings. Raises as `load_choose` does."""
        super().__init__(seed)
        self.settings = settings
        head = str(settings["word"])
        given = {name: str(value) for name, value in settings.items() if name != "word"}
        self.label = "-".join([short_name(head), *given.values()])
        self._choose = seeded(choose_of(_loaded(head), head, given), seed)

    def choose(self, state: State, limit: Limit) -> Thought:
        found: object = self._choose(state, limit)
        if inspect.isawaitable(found):
            # On an event loop for this move alone: nobody closes the bots of a contest.
            found = asyncio.run(awaited(found))
        if isinstance(found, str) and not state.is_legal(found):
            raise IllegalMove(found, state.explain(found))
        move = require_legal(found, state)
        return found if isinstance(found, Thought) else Thought(move, pv=(move,))


def author_bot(head: str, seed: int | None, settings: Mapping[str, SettingValue]) -> Bot:
    """Return the bot of an author's word: of a subclass of Bot its instance, otherwise an AuthorBot.

    Raises as `load_choose` does.
    """
    # Two ways of writing a file's name, or its folder's, are the same bot.
    head = file_word(head)
    head = str(Path(head).resolve()) if head.endswith(".py") else head
    found = _loaded(head)
    if isinstance(found, type) and issubclass(found, Bot):
        return found(seed, **settings)
    return AuthorBot(seed, word=head, **settings)


@cache
def _loaded(head: str) -> object:
    """Return what a word names, loaded once in each process: an edit in the middle of a contest changes nothing."""
    return load_object(head)
