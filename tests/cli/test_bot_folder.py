"""What `cornered new` writes, and the names that it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.cli.bot_folder import file_of, write_bot


def test_a_bot_has_a_file_a_test_and_a_readme(tmp_path: Path) -> None:
    folder = write_bot("My bot", tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "my_bot.py", "test_my_bot.py"]
    assert file_of(folder) == folder / "my_bot.py"


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
