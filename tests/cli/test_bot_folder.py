"""What `cornered new` writes, and the names that it refuses."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from cornered.cli.bot_folder import WAITING, write_bot
from cornered.clients.sdk.bot_file import file_of


@pytest.fixture
def no_move(tmp_path: Path) -> Path:
    """The test of a new bot that returns no move."""
    folder = write_bot("mybot", tmp_path)
    (folder / "mybot.py").write_text("def choose(state, limit):\n    return None\n")
    return folder / "test_mybot.py"


def test_a_bot_has_a_file_a_test_and_a_readme(tmp_path: Path) -> None:
    folder = write_bot("My bot", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "conftest.py", "my_bot.py", "test_my_bot.py"]
    assert file_of(folder) == folder / "my_bot.py"


def test_the_test_of_a_bot_tells_what_it_waits_for_and_what_is_wrong(
    no_move: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(no_move.parent)
    try:
        with pytest.raises(AssertionError, match="None is not legal in trapgrid"):
            runpy.run_path(str(no_move), run_name="__main__")
    finally:
        sys.modules.pop("mybot")
    assert capsys.readouterr().out == f"{WAITING}\n"


def test_pytest_tells_at_its_start_what_the_test_of_a_bot_waits_for(no_move: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(no_move)]
    told = subprocess.run(command, cwd=no_move.parents[1], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    before, waiting, after = told.stdout.partition(WAITING)
    assert waiting
    assert "trapgrid" not in before
    assert "is not legal in trapgrid" in after


def test_a_name_that_would_hide_a_module_or_is_none_is_refused(tmp_path: Path) -> None:
    for name in ("pydantic", "websockets", "numpy", "random", "conftest", "test"):
        with pytest.raises(ValueError, match="is no installed module"):
            write_bot(name, tmp_path)
    for name in ("-", "-x", "_x", "1st", "../x", "/x", "a.b", "\u00fcn\u00ef", "class"):
        with pytest.raises(ValueError, match="begins with a letter"):
            write_bot(name, tmp_path)
    assert not list(tmp_path.iterdir())
