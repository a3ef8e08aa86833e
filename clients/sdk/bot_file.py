"""Finds the Python file of a bot in its folder, which is named as `cornered new` writes it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["file_of"]


def file_of(bot: Path) -> Path:
    """Return the Python file of a bot: itself, or the only one of its folder beside tests. Raises ValueError."""
    if bot.is_file():
        return bot
    if not bot.is_dir():
        raise ValueError(f"there is no folder or file {str(bot)!r}; `cornered new {bot.name}` writes one")
    own = bot / f"{bot.resolve().name.replace('-', '_').casefold()}.py"
    if own.is_file():
        return own
    found = sorted(path for path in bot.glob("*.py") if not path.name.startswith(("test_", "_", "conftest")))
    if len(found) != 1:
        listed = ", ".join(path.name for path in found) or "no Python file"
        raise ValueError(f"name the bot's file: {bot} has {listed} that could be it")
    return found[0]
