"""`cornered bot ./my_bot.py`: the bot of its author's file."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cornered.clients.sdk.tokens import TokenStore

__all__ = ["bot_of_file"]


def bot_of_file(
    path: Path,
    name: str | None,
    *,
    server: str,
    token: str | None,
    store: TokenStore | None,
    **given: Any,
) -> Callable[[], Coroutine[None, None, None]]:
    """Return the function that plays the bot of a file as the player `name`, by default called as the file is.

    What is `given` are fields of `BotSettings`; those that are None have their defaults. Raises ValueError and OSError.
    """
    from cornered.clients.sdk.address import require_name
    from cornered.clients.sdk.bot_file import load_choose
    from cornered.clients.sdk.running import BotSettings, play_bot

    settings = BotSettings(**{field: value for field, value in given.items() if value is not None})
    player = require_name(name or path.stem)
    return partial(play_bot, player, load_choose(path), settings, server=server, token=token, store=store)
