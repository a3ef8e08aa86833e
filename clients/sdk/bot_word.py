"""Loads a bot of its author's: a Python file or its folder, a name in a module, or an installed entry point."""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias, cast

from cornered.clients.sdk.bot_file import file_of
from cornered.clients.sdk.choosing import Answer, author_place
from cornered.engine.game import State
from cornered.engine.limit import Limit

__all__ = [
    "ENTRY_POINTS",
    "CannotLoad",
    "ChooseState",
    "choose_of",
    "file_word",
    "installed",
    "is_author_word",
    "is_program",
    "load_choose",
    "load_object",
    "object_of_file",
    "require_not_loading",
    "short_name",
    "split_word",
]


class CannotLoad(ValueError):
    """A bot's file or module cannot be executed, or has no bot. The text is one line for its author."""


ChooseState: TypeAlias = Callable[[State, Limit], Answer | Awaitable[Answer]]
"""Returns a legal move of a state, alone or with thoughts, or a coroutine of it."""
ENTRY_POINTS: Final = "cornered.bots"
"""The group of entry points by which an installed package names its bots."""
PROGRAMS: Final = ("exec:", "qtp:")
"""What the words of programs begin with, by protocol."""
BELOW_MAIN: Final = 'put run_bot(...) and all else that runs below the line `if __name__ == "__main__":`'
FUNCTION: Final = "choose"
CLASS: Final = "BOT"
_MODULE_WORD: Final = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)")

_SETTINGS: Final = re.compile(r"(.+?):([\w-]+=.*)")
"""A value may hold colons."""

_loading: ContextVar[str | None] = ContextVar("loading", default=None)
"""The name of the file or module that `load_object` executes now."""


@cache
def installed() -> dict[str, EntryPoint]:
    """Return the bots of installed packages, by name."""
    return {found.name: found for found in entry_points(group=ENTRY_POINTS)}


def is_program(word: str) -> bool:
    """Return whether a bot word names a program, as `exec:./engine` does."""
    return word.startswith(PROGRAMS)


def split_word(word: str) -> tuple[str, dict[str, str]]:
    """Split `NAME:setting=value,setting=value` into the name and the settings. Raises ValueError for another form."""
    found = _SETTINGS.fullmatch(word)
    if found is None:
        if ":" not in word or word.endswith(".py") or _MODULE_WORD.fullmatch(word):
            return word, {}
        raise ValueError(f"a bot's settings look like {word.partition(':')[0]}:setting=value, not {word!r}")
    head, listed = found.groups()
    settings: dict[str, str] = {}
    for part in listed.split(","):
        key, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"a bot's settings look like {head}:setting=value, not {word!r}")
        settings[key.strip()] = value.strip()
    return head, settings


def is_author_word(word: str) -> bool:
    """Return whether a bot word is a file, a folder, a name in a module, or an installed bot, with settings or without.

    A bot of the roster comes before a folder of its name. Raises ValueError for settings of another form.
    """
    if is_program(word):
        return False
    head, _ = split_word(word)
    if head.endswith(".py") or _MODULE_WORD.fullmatch(head) is not None or head in installed():
        return True
    return Path(head).is_dir()


def file_word(head: str) -> str:
    """Return the file of an author's word that names a folder, any other word unchanged. Raises ValueError."""
    is_folder = not head.endswith(".py") and head not in installed() and Path(head).is_dir()
    return str(file_of(Path(head))) if is_folder else head


def short_name(head: str) -> str:
    """Return the name of the bot of an author's word: that of the file, of the module, or of the entry point.

    Raises ValueError for a folder without a bot.
    """
    head = file_word(head)
    if head.endswith(".py"):
        return Path(head).stem
    if found := _MODULE_WORD.fullmatch(head):
        module, name = found.groups()
        return module.rpartition(".")[2] if name in (FUNCTION, CLASS) else name
    return head


def load_object(head: str) -> object:
    """Return what an author's word, without its settings, names: a function or a class.

    In a file it is BOT or else `choose`. The file may import its neighbours, and a module may lie in the working
    directory. Raises OSError, ValueError that says what is missing, and CannotLoad for an error of the bot's own code.
    """
    head = file_word(head)
    if head.endswith(".py"):
        path = Path(head).resolve()
        if not path.is_file():
            raise ValueError(f"there is no file {path}")
        return object_of_file(path, SourceFileLoader)
    if found := _MODULE_WORD.fullmatch(head):
        module, name = found.groups()
        return _object_of_module(head, module, name)
    if point := installed().get(head):
        return _object_of_point(point)
    raise ValueError(f"{head!r} is no bot of a file or module: write ./my_bot.py, or package.module:name")


def load_choose(word: str) -> ChooseState:
    """Return the function that chooses the moves of an author's word; of a class, the method of an instance.

    Raises as `split_word` and `load_object` do, and ValueError for something else than a function or a class with
    `choose`, and for the settings of a function.
    """
    head, settings = split_word(word)
    return choose_of(load_object(head), head, settings)


def choose_of(found: object, head: str, settings: Mapping[str, str]) -> ChooseState:
    """Return the function that chooses the moves of what the word `head` names. Raises as `load_choose` does."""
    if isinstance(found, type):
        found = found(**settings)
    elif settings:
        raise ValueError(f"{head} is a function, which has no settings; a class may have them")
    choose: object = getattr(found, FUNCTION, found)
    if not callable(choose):
        raise ValueError(f"{head} is a {type(found).__name__}, but a bot is a function {FUNCTION}(state, limit)")
    return cast("ChooseState", choose)


def object_of_file(path: Path, loader: Callable[[str, str], SourceFileLoader]) -> object:
    """Return the bot of a file with an absolute path, which `loader` reads: by the module's name and the path.

    Raises as `load_object` does.
    """
    _add_to_path(path.parent)
    # The name is no other module's: a bot may be called random.py.
    name = f"_bot_of_{path.stem}"
    spec = spec_from_loader(name, loader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    token = _loading.set(path.name)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise _cannot_load(path.name, error) from error
    finally:
        _loading.reset(token)
    return _bot_in(module, path.name)


def _cannot_load(name: str, error: Exception | SystemExit) -> CannotLoad:
    """Return what is wrong with a bot's file or module whose execution has raised `error`, with the author's line."""
    if isinstance(error, CannotLoad):
        return error
    if isinstance(error, SystemExit):
        return CannotLoad(f"{name} ends the program while it is loaded: {BELOW_MAIN}")
    if isinstance(error, SyntaxError):
        return CannotLoad(f"{Path(error.filename or name).name}, line {error.lineno}: {error.msg}")
    words = "".join(traceback.format_exception_only(error)).strip().splitlines()
    return CannotLoad(f"{author_place(error) or name}: {words[0] if words else type(error).__name__}")


def _bot_in(module: ModuleType, name: str) -> object:
    for attribute in (CLASS, FUNCTION):
        if callable(found := getattr(module, attribute, None)):
            return found
    raise CannotLoad(
        f"{name} has no function {FUNCTION}(state, limit), which returns one of state.moves(), and no class {CLASS}"
    )


def _object_of_module(word: str, module: str, name: str) -> object:
    _add_to_path(Path.cwd())
    token = _loading.set(module)
    try:
        loaded = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise CannotLoad(
                f"there is no module {error.name!r} for the bot {word}; it has to be installed or here"
            ) from None
        raise _cannot_load(module, error) from error
    finally:
        _loading.reset(token)
    if not callable(found := getattr(loaded, name, None)):
        raise ValueError(f"the module {module} has no function or class {name!r}")
    return found


def _object_of_point(point: EntryPoint) -> object:
    token = _loading.set(point.name)
    try:
        found: object = point.load()
    except (Exception, SystemExit) as error:
        package = "its package" if point.dist is None else f"the package {point.dist.name}"
        why = _cannot_load(point.value, error)
        raise CannotLoad(f"the installed bot {point.name} cannot be loaded: {why}; mend {package}") from error
    finally:
        _loading.reset(token)
    return found


def _add_to_path(folder: Path) -> None:
    """Let the bot import from a folder, as a program that is started there may."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def require_not_loading() -> None:
    """Raise ValueError while a bot is loaded: a file that starts its bot by itself would never return."""
    if (name := _loading.get()) is not None:
        raise ValueError(f"{name} starts its bot by itself: {BELOW_MAIN}, or start it with python {name}")
