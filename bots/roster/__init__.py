"""The bots. One file is one bot, found by being there; its class is called BOT, and dashes are underscores."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from cornered.bots.bot import Bot, SettingValue
from cornered.bots.ugi.command import is_program
from cornered.bots.ugi.program import ProgramBot

__all__ = ["bots", "create", "kind", "names"]


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
    """Return the class of the bot called `name`. Raises a ValueError that lists the names there are."""
    if name not in names():
        raise ValueError(f"there is no bot {name!r}; there are {', '.join(names())}")
    return _load(name)


def create(spec: str, seed: int | None = None) -> Bot:
    """Return the bot that `spec` describes: a name, `name:setting=value,setting=value`, or a program,
    `exec:./engine` or `qtp:./engine`.

    Raises a ValueError that lists the names, settings or values there are.
    """
    if is_program(spec):
        protocol, _, command = spec.partition(":")
        if protocol == "exec":
            return ProgramBot(seed, command=command)
        # Imported late: it loads the rules of Quoridor, and with them the compiler.
        from cornered.bots.qtp.program import QtpBot

        return QtpBot(seed, command=command)
    name, _, listed = spec.partition(":")
    bot = kind(name)
    settings: dict[str, SettingValue] = {}
    for part in listed.split(",") if listed else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"a bot's settings look like {name}:setting=value, not {spec!r}")
        settings[key.strip()] = value.strip()
    return bot(seed, **settings)
