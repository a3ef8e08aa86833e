"""What `cornered new` writes, and the names that it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cornered.cli.bot_folder import write_bot
from cornered.clients.sdk.bot_file import file_of


def test_a_bot_has_a_file_a_test_and_a_readme(tmp_path: Path) -> None:
    folder = write_bot("My bot", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "conftest.py", "my_bot.py", "test_my_bot.py"]
    assert file_of(folder) == folder / "my_bot.py"


@pytest.mark.parametrize("command", [("-m", "pytest", "-p", "no:cacheprovider"), ()], ids=["pytest", "python"])
def test_the_test_of_a_bot_tells_at_its_start_what_it_waits_for(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder = write_bot("mybot", tmp_path)
    (folder / "mybot.py").write_text("def choose(state, limit):\n    return None\n")
    told = subprocess.run(
        [sys.executable, *command, folder / "test_mybot.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    before, waiting, after = told.stdout.partition("Cornered compiles the rules first, once on each machine")
    assert waiting
    assert "trapgrid" not in before
    assert "is not legal in trapgrid" in after + told.stderr


@pytest.mark.parametrize("name", ["pydantic", "websockets", "numpy", "random", "conftest", "test"])
def test_a_file_that_would_hide_a_module_of_the_bot_or_of_cornered_is_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is no installed module"):
        write_bot(name, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["-", "-x", "_x", "1st", "../x", "/x", "a.b", "ünï", "class"])
def test_a_name_that_is_an_option_a_path_or_no_module_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="begins with a letter"):
        write_bot(name, tmp_path)
    assert not list(tmp_path.iterdir())
