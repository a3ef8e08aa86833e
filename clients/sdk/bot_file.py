"""Loads a bot from its author's file, which has the function `choose(state, limit)`."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Final, TypeAlias

from cornered.clients.sdk.choosing import Answer
from cornered.engine.game import State
from cornered.engine.limit import Limit

__all__ = ["ChooseState", "is_bot_file", "load_choose", "require_not_loading"]

ChooseState: TypeAlias = Callable[[State, Limit], Answer | Awaitable[Answer]]
"""Returns a legal move of a state, alone or with thoughts, or a coroutine of it."""
FUNCTION: Final = "choose"

_loading: ContextVar[Path | None] = ContextVar("loading", default=None)
"""The file that `load_choose` executes now."""


def is_bot_file(word: str) -> bool:
    """Return whether a bot's word on the command line is a file in place of a name of the roster."""
    return word.endswith(".py")


def load_choose(path: Path) -> ChooseState:
    """Return the function `choose` of a Python file. Raises OSError, and ValueError where it has none.

    The file may import its neighbours. Errors that it raises itself are not caught.
    """
    path = path.resolve()
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    if str(path.parent) not in sys.path:
        # As for a program that is started.
        sys.path.insert(0, str(path.parent))
    # The name is no other module's: a bot may be called random.py.
    spec = spec_from_loader(f"_bot_of_{path.stem}", SourceFileLoader(f"_bot_of_{path.stem}", str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    token = _loading.set(path)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise ValueError(f"{path.name}, line {error.lineno}: {error.msg}") from None
    finally:
        _loading.reset(token)
    choose: ChooseState | None = getattr(module, FUNCTION, None)
    if not callable(choose):
        raise ValueError(f"{path.name} has no function {FUNCTION}(state, limit), which returns one of state.moves()")
    return choose


def require_not_loading() -> None:
    """Raise ValueError while a file is loaded: one that starts its bot by itself would never return."""
    if (path := _loading.get()) is not None:
        raise ValueError(
            f'{path.name} starts its bot by itself: put run_bot(...) below the line `if __name__ == "__main__":`, '
            f"or start it with python {path.name}"
        )
