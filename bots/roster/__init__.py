"""The bots. One file is one bot, found by being there; its class is called BOT."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from bots.bot import Bot

__all__ = ["bots", "create", "names"]


def names() -> tuple[str, ...]:
    """Return the names of all bots, without loading any."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def _load(name: str) -> type[Bot]:
    bot: type[Bot] = importlib.import_module(f"{__name__}.{name}").BOT
    return bot


def bots() -> tuple[type[Bot], ...]:
    """Return every bot's class: its name, description and games."""
    return tuple(_load(name) for name in names())


def create(name: str, seed: int | None = None) -> Bot:
    """Return the bot called `name`. Raises a ValueError that lists the names there are."""
    if name not in names():
        raise ValueError(f"there is no bot {name!r}; there are {', '.join(names())}")
    return _load(name)(seed)
