"""The settings of a server, for commands that open its store themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cornered.server.settings import Settings

__all__ = ["log_to_stderr", "store_settings"]


def log_to_stderr() -> None:
    """Have the server's modules log to standard error: standard output is the command's answer."""
    from cornered.server import log

    log.configure("info", "console")


def store_settings(data: Path | None) -> Settings:
    """Return the settings of the server whose data is in `data`, by default those of the environment, and log as it
    does."""
    from cornered.server import log
    from cornered.server.settings import load_settings

    settings = load_settings(**({} if data is None else {"data": data}))
    log.configure(settings.log_level, settings.log_format)
    return settings
