"""Cornered: a game server, a client kit and bots for TrapGrid, Isolation, Bamboo and Quoridor.

The names here are the public face. Each is loaded when it is first used, so that `import cornered` costs nothing.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cornered.clients.sdk import Client, Limit, run_bot
    from cornered.engine import load

__all__ = ["Client", "Limit", "__version__", "load", "run_bot"]

__version__: str

_HERE = os.path.dirname(__file__)
if os.path.isdir(os.path.join(_HERE, "..", "engine")) and not os.path.isdir(os.path.join(_HERE, "engine")):
    # A new checkout beside the environment of another one: `./run` makes the links such as cornered/engine.
    raise ImportError(
        f"the checkout {os.path.dirname(os.path.abspath(_HERE))} has no environment of its own yet: start it with "
        "./run there (./run cornered, ./run python, ./run test), which makes one"
    )


def __getattr__(name: str) -> object:
    match name:
        case "Client" | "Limit" | "run_bot":
            value = getattr(importlib.import_module("cornered.clients.sdk"), name)
        case "load":
            value = importlib.import_module("cornered.engine").load
        case "__version__":
            value = importlib.import_module("importlib.metadata").version("cornered")
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
