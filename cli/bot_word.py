"""`cornered bot WORD` for one bot by itself: that of its author, or one of the roster that asks for its own games."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from cornered.bots.bot import Bot
    from cornered.clients.sdk.bot_word import ChooseState
    from cornered.clients.sdk.running import BotSettings
    from cornered.clients.sdk.tokens import TokenStore

__all__ = ["LONGEST_MS", "Longest", "bot_of_word", "choose_of_word", "is_own"]

LONGEST_MS: Final = 1_500
"""The search time of `run_bot`, in milliseconds."""
Longest = Annotated[int, typer.Option(min=10, help="A bot's longest search time for a move, in milliseconds.")]


def bot_of_word(
    word: str,
    name: str | None,
    *,
    server: str,
    token: str | None,
    store: TokenStore | None,
    **given: Any,
) -> Callable[[], Coroutine[None, None, None]]:
    """Return the function that plays the bot of a word as the player `name`, by default called as the word is.

    What is `given` are fields of `BotSettings`; those that are None have their defaults. Raises ValueError and OSError.
    """
    from cornered.clients.sdk.address import require_name
    from cornered.clients.sdk.bot_word import short_name, split_word
    from cornered.clients.sdk.running import BotSettings, play_bot

    settings = BotSettings(**{field: value for field, value in given.items() if value is not None})
    load = partial(choose_of_word, word, settings.seed)
    if is_own(word):
        label = short_name(split_word(word)[0])
    else:
        from cornered.bots.online.host import player_name
        from cornered.bots.roster import create

        bot = create(word)
        label = player_name(bot)
        settings = _of_bot(settings, bot)
    return partial(play_bot, require_name(name or label), load, settings, server=server, token=token, store=store)


def _of_bot(settings: BotSettings, bot: Bot) -> BotSettings:
    """Return the settings with the games that a bot declares. Raises ValueError for one that it does not play."""
    from cornered.engine import games

    playable = [game.name for game in games() if bot.plays(game.name)]
    if wrong := [game for game in settings.accepts or () if game not in playable]:
        raise ValueError(f"{bot.label} does not play {wrong[0]}; it plays {', '.join(playable) or 'nothing'}")
    accepts = playable if settings.accepts is None else settings.accepts
    return replace(settings, accepts=accepts, options={game: bot.accepted(game) for game in accepts})


def choose_of_word(word: str, seed: int | None = None) -> ChooseState:
    """Return the function of any bot word; `seed` is that of a bot of the roster. Raises ValueError and OSError."""
    from cornered.clients.sdk.bot_word import load_choose

    if is_own(word):
        return load_choose(word)
    from cornered.bots.roster import create

    return create(word, seed).choose


def is_own(word: str) -> bool:
    """Return whether a word names a bot of its author's. Raises ValueError for settings of another form."""
    from cornered.bots.roster import is_of_roster
    from cornered.clients.sdk.bot_word import is_author_word

    return not is_of_roster(word) and is_author_word(word)
