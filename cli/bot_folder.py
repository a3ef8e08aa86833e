"""The folder of an author's bot, as `cornered new` writes it."""

from __future__ import annotations

import keyword
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

__all__ = ["WAITING", "write_bot"]

BOT: Final = '''"""{name}: a bot for Cornered. It plays every game, at random until you know better."""

import random


def choose(state, limit):
    """Return a move of state.moves(), in limit.remaining seconds (None without a clock)."""
    return random.choice(state.moves())
'''

TEST: Final = '''"""Run it with `python test_{module}.py`, or with pytest."""

from cornered import Limit, load
from {module} import choose


def test_every_move_of_a_game_is_legal():
    for game in ("trapgrid", "isolation", "bamboo", "quoridor"):
        state = load(game).start()
        for _ in range(100):
            if state.outcome is not None:
                break
            move = choose(state, Limit(time=20))
            assert move in state.moves(), f"{{move!r}} is not legal in {{game}}: {{state}}"
            state = state.play(move)


if __name__ == "__main__":
    print("{waiting}", flush=True)
    test_every_move_of_a_game_is_legal()
    print("All moves are legal.")
'''

CONFTEST: Final = '''"""Tells at the start of pytest what the first test waits for."""


def pytest_report_header():
    return "{waiting}"
'''

WAITING: Final = "Cornered compiles the rules first, once on each machine: 15 seconds or so."

README: Final = """# {name}

The function `choose(state, limit)` in {module}.py picks the moves. `state.moves()` are the legal ones,
`state.play(move)` is the position after one, `state.outcome` is None until the end, `state.to_move` is
the seat to move and `limit.remaining` the seconds left; `python -c "import cornered.engine.game as g; help(g.State)"`
has the rest.

    python test_{module}.py                   # are its moves legal?
    cornered try {folder}                     # against the levels on this machine; an edited file is loaded again
    cornered connect {folder} --server URL    # rated games against other bots, and games with every challenger
"""


def write_bot(name: str, where: Path) -> Path:
    """Write a new bot into a folder of its name, and return the folder. Raises ValueError and FileExistsError."""
    # Imported here: with it come the classes of all messages, which take longer than the rest of a command's start.
    from cornered.clients.sdk.address import require_name

    name = require_name(name)
    module = name.replace("-", "_").replace(" ", "_").casefold()
    if not _is_name_of_module(module) or _is_taken(module):
        raise ValueError(
            f"{name!r} does not do as the name of a Python file: choose one of letters, digits and dashes, such as "
            "my-bot, that begins with a letter and is no installed module"
        )
    folder = where / name.replace(" ", "-")
    try:
        folder.mkdir()
    except FileExistsError:
        raise ValueError(f"{folder.name} is there already: choose another name, or remove it first") from None
    written = {f"{module}.py": BOT, f"test_{module}.py": TEST, "conftest.py": CONFTEST, "README.md": README}
    for file, text in written.items():
        filled = text.format(name=name, module=module, folder=folder.name, waiting=WAITING)
        (folder / file).write_text(filled, encoding="utf-8")
    return folder


def _is_name_of_module(module: str) -> bool:
    """Return whether a file of this name can be imported, and whether its folder is no option of a command."""
    return module.isidentifier() and module.isascii() and module[0].isalpha() and not keyword.iskeyword(module)


def _is_taken(module: str) -> bool:
    """Return whether a file of this name would hide a module that the bot or Cornered imports, or one of pytest's."""
    if module in sys.stdlib_module_names or module in ("cornered", "pytest", "conftest", "test"):
        return True
    return module in packages_distributions()
