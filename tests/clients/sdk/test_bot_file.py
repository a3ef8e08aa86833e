"""A bot of its author's file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cornered import engine
from cornered.clients.sdk.bot_file import load_choose
from cornered.engine.limit import Limit

WRONG = {
    "nothing": ("", "has no function choose"),
    "no function": ("choose = 7", "has no function choose"),
    "no Python": ("def choose(:\n    pass", "line 1: "),
    "a bot that starts itself": (
        "from cornered import run_bot\nrun_bot('me', lambda state, limit: '')",
        "starts its bot by itself: put run_bot",
    ),
}


@pytest.fixture(autouse=True)
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what the file's folder adds to the path of modules."""
    monkeypatch.setattr(sys, "path", [*sys.path])


def written(tmp_path: Path, source: str) -> Path:
    path = tmp_path / "random.py"
    path.write_text(source)
    return path


def test_a_file_with_a_bot_may_import_its_neighbours_and_be_called_like_another_module(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_the_bot.py").write_text("def pick(moves):\n    return moves[-1]\n")
    source = """
from __future__ import annotations
from dataclasses import dataclass
from neighbour_of_the_bot import pick
from cornered import run_bot

@dataclass
class Move:
    move: str

def choose(state, limit):
    return Move(pick(state.moves()))

if __name__ == "__main__":
    run_bot("me", choose)
"""
    choose = load_choose(written(tmp_path, source))
    state = engine.load("trapgrid", size=3).start()
    assert getattr(choose(state, Limit(100)), "move", None) == state.moves()[-1]
    import random

    assert random.choice([7]) == 7


@pytest.mark.parametrize(("source", "said"), WRONG.values(), ids=WRONG)
def test_a_file_without_a_bot_is_refused(tmp_path: Path, source: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        load_choose(written(tmp_path, source))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*mine\.py"):
        load_choose(tmp_path / "mine.py")


def test_an_error_of_the_file_itself_is_not_caught(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        load_choose(written(tmp_path, "1 / 0"))
