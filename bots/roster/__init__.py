"""The bots. One file is one bot, found by being there; its class is called BOT, and dashes are underscores."""

from __future__ import annotations

import importlib
import pkgutil
import re
from difflib import get_close_matches
from functools import cache
from typing import Final

from cornered.bots.author import author_bot
from cornered.bots.bot import Bot
from cornered.bots.ugi.program import ProgramBot
from cornered.clients.sdk.bot_word import installed, is_author_word, is_program, split_word

__all__ = ["bots", "create", "is_of_roster", "kind", "level_spelled_out", "names"]


LEVEL: Final = re.compile(r"^level-([0-9]+)$")
"""A level as it is called among players."""
LEVELS: Final = tuple(f"level-{level}" for level in range(1, 11))
MAX_NEAR: Final = 3
"""Names that an error suggests."""


def names() -> tuple[str, ...]:
    """Return the names of all bots, without loading any."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


@cache
def _load(name: str) -> type[Bot]:
    bot: type[Bot] = importlib.import_module(f"{__name__}.{name.replace('-', '_')}").BOT
    return bot


def bots() -> tuple[type[Bot], ...]:
    """Return every bot's class: its name, description, games and settings."""
    return tuple(_load(name) for name in names())


def kind(name: str) -> type[Bot]:
    """Return the class of the bot called `name`. Raises a ValueError that suggests names that are near."""
    if name not in names():
        near = get_close_matches(name, [*names(), *LEVELS, *installed()], n=MAX_NEAR)
        guess = f"; did you mean {' or '.join(near)}?" if near else ";"
        raise ValueError(
            f"there is no bot {name!r}{guess} `cornered bots` lists those there are; one of yours is its folder, "
            "./my_bot.py, package.module:name, or exec:./engine"
        )
    return _load(name)


def level_spelled_out(spec: str) -> str:
    """Return `level:level=3` for `level-3`, and any other word as it is."""
    return LEVEL.sub(r"level:level=\1", spec)


def create(spec: str, seed: int | None = None) -> Bot:
    """Return the bot that a bot word describes.

    A word is a name of the roster or of an installed bot, `./file.py`, the folder of a file or `package.module:name`,
    each with settings if wanted as in `name:setting=value,setting=value`; `level-3` for `level:level=3`; or a program,
    `exec:./engine` or `qtp:./engine`. Raises a ValueError that suggests names, or lists the settings or values there
    are, and OSError for a file that cannot be read.
    """
    if is_program(spec):
        protocol, _, command = spec.partition(":")
        if protocol == "exec":
            return ProgramBot(seed, command=command)
        # Imported late: it loads the rules of Quoridor, and with them the compiler.
        from cornered.bots.qtp.program import QtpBot

        return QtpBot(seed, command=command)
    name, settings = split_word(level_spelled_out(spec))
    if is_of_roster(spec):
        if name not in names():
            raise ValueError(f"a bot's settings look like {spec.partition(':')[0]}:setting=value, not {spec!r}")
    elif is_author_word(name):
        return author_bot(name, seed, settings)
    return kind(name)(seed, **settings)


def is_of_roster(spec: str) -> bool:
    """Return whether a bot word names a bot of the roster, whatever its settings: what it compiles is known."""
    return spec.partition(":")[0] in names() or LEVEL.fullmatch(spec) is not None
