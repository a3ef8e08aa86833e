"""A bot of its author's file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cornered import engine
from cornered.clients.sdk.bot_word import CannotLoad, installed, is_author_word, load_choose, short_name, split_word
from cornered.engine.limit import Limit

WRONG = {
    "nothing": ("", "has no function choose"),
    "no function": ("choose = 7", "has no function choose"),
    "no Python": ("def choose(:\n    pass", "line 1: "),
    "a program": ("import sys\nsys.exit(3)", "ends the program while it is loaded: put run_bot"),
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
    choose = load_choose(str(written(tmp_path, source)))
    state = engine.load("trapgrid", size=3).start()
    assert getattr(choose(state, Limit(100)), "move", None) == state.moves()[-1]
    import random

    assert random.choice([7]) == 7


def test_a_file_without_a_bot_or_none_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for source, said in WRONG.values():
        with subtests.test(source=source, said=said), pytest.raises(ValueError, match=said):
            load_choose(str(written(tmp_path, source)))
    with pytest.raises(ValueError, match=r"there is no file .*mine\.py"):
        load_choose(str(tmp_path / "mine.py"))


FAULTY = {
    "a misspelt module": ("import math\nimport torchh", "line 2: ModuleNotFoundError: No module named 'torchh'"),
    "a misspelt name": ("import math\n\nprint(maths.pi)", "line 3: NameError: name 'maths' is not defined"),
    "an error in a library": ("import json\nBOOK = json.loads('')", "line 2: json.decoder.JSONDecodeError: Expecting"),
    "an error in a function": ("def f():\n    return 1 / 0\n\nf()", "line 2: ZeroDivisionError: division by zero"),
}


def test_an_error_of_the_file_itself_is_told_in_a_line_with_its_place(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for source, said in FAULTY.values():
        with subtests.test(source=source, said=said), pytest.raises(CannotLoad, match=rf"^random\.py, {said}.*$"):
            load_choose(str(written(tmp_path, source)))


def test_an_error_of_a_neighbour_or_a_module_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, source, said in (
        ("neighbour_that_fails", "\nx = y", "line 2: NameError: name 'y' is not defined"),
        ("neighbour_that_is_no_python", "def f(:", "line 1: "),
    ):
        (tmp_path / f"{name}.py").write_text(source)
        with pytest.raises(CannotLoad, match=rf"^{name}\.py, {said}"):
            load_choose(str(written(tmp_path, f"import {name}")))

    (tmp_path / "club_that_fails.py").write_text("import torchh\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CannotLoad, match=r"^club_that_fails\.py, line 1: ModuleNotFoundError: .*'torchh'$"):
        load_choose("club_that_fails:choose")


def test_a_word_has_settings_after_its_last_colon() -> None:
    assert split_word("level:level=3,seed=x") == ("level", {"level": "3", "seed": "x"})
    assert split_word("trapgrid-classic:depth=1,weights=2:3.5:1") == (
        "trapgrid-classic",
        {"depth": "1", "weights": "2:3.5:1"},
    )
    assert split_word("./a.py") == ("./a.py", {})
    assert split_word("./a.py:depth=2") == ("./a.py", {"depth": "2"})
    assert split_word("package.module:Bot") == ("package.module:Bot", {})
    assert split_word("package.module:Bot:depth=2") == ("package.module:Bot", {"depth": "2"})
    with pytest.raises(ValueError, match=r"settings look like ./a.py:setting=value"):
        split_word("./a.py:depth")


def test_a_class_with_settings_is_made_with_them_and_a_function_has_none(tmp_path: Path) -> None:
    source = """
class BOT:
    def __init__(self, index="0"):
        self.index = int(index)
    def choose(self, state, limit):
        return state.moves()[self.index]
"""
    path = str(written(tmp_path, source))
    state = engine.load("trapgrid", size=3).start()
    assert load_choose(f"{path}:index=1")(state, Limit(100)) == state.moves()[1]
    (tmp_path / "random.py").write_text("def choose(state, limit):\n    return state.moves()[0]\n")
    with pytest.raises(ValueError, match="a function, which has no settings"):
        load_choose(f"{path}:index=1")


def test_a_bot_is_loaded_from_a_module_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "club_bots").mkdir()
    (tmp_path / "club_bots" / "ann.py").write_text("def first(state, limit):\n    return state.moves()[0]\n")
    monkeypatch.chdir(tmp_path)
    state = engine.load("trapgrid", size=3).start()
    assert load_choose("club_bots.ann:first")(state, Limit(100)) == state.moves()[0]
    with pytest.raises(ValueError, match="no function or class 'second'"):
        load_choose("club_bots.ann:second")
    with pytest.raises(ValueError, match=r"there is no module 'club_bots\.bob'"):
        load_choose("club_bots.bob:first")


def test_a_bot_of_an_installed_package_has_the_name_of_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "club_bot_package.py").write_text("def last(state, limit):\n    return state.moves()[-1]\n")
    information = tmp_path / "club_bot-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: club-bot\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[cornered.bots]\nclub = club_bot_package:last\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    try:
        state = engine.load("trapgrid", size=3).start()
        assert load_choose("club")(state, Limit(100)) == state.moves()[-1]
    finally:
        installed.cache_clear()


@pytest.mark.parametrize("value", ["no_such_package:bot", "broken_bot_package:bot", "json:no_such_name"])
def test_a_broken_entry_point_is_one_line_that_names_its_package(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_bot_package.py").write_text("raise RuntimeError('out of order')\n")
    information = tmp_path / "club_bot-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: club-bot\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[cornered.bots]\nclub = {value}\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    try:
        with pytest.raises(CannotLoad, match=r"^the installed bot club .+: .+; mend the package club-bot$"):
            load_choose("club")
    finally:
        installed.cache_clear()


def test_a_folder_is_a_word_for_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "my-bot"
    folder.mkdir()
    (folder / "my_bot.py").write_text("def choose(state, limit):\n    return state.moves()[0]\n")
    (folder / "test_my_bot.py").write_text("")
    state = engine.load("trapgrid", size=3).start()
    assert is_author_word(str(folder))
    assert short_name(str(folder)) == "my_bot"
    assert load_choose(str(folder))(state, Limit(100)) == state.moves()[0]
