"""The tests that a change reaches."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.changed import changed_files, reached

FILES = {
    "engine/rules.py": "",
    "engine/games.py": "from cornered.engine import rules",
    "server/match.py": "from cornered.engine.games import play",
    "server/app.py": "import cornered.server.match",
    "tests/conftest.py": "",
    "tests/server/conftest.py": "from tests.builders import scene",
    "tests/builders.py": "",
    "tests/engine/test_rules.py": "from cornered.engine.rules import legal",
    "tests/engine/test_games.py": "from cornered.engine.games import play",
    "tests/server/test_match.py": "from cornered.server.match import decide",
    "tests/server/test_app.py": "from cornered.server import app",
    "tests/docs/test_pages.py": "PAGES = ['README.md']",
    "README.md": "",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    author = ("-c", "user.name=Cornered", "-c", "user.email=cornered@example.org")
    for command in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "Begin")):
        subprocess.run(("git", *command), cwd=tmp_path, check=True)
    return tmp_path


def test_a_change_reaches_what_imports_it_nearest_first(checkout: Path) -> None:
    assert reached(checkout, ["engine/rules.py"]) == ["tests/engine/test_rules.py", "tests/engine/test_games.py"]
    assert reached(checkout, ["engine/games.py"]) == ["tests/engine/test_games.py", "tests/server/test_match.py"]
    assert reached(checkout, ["tests/engine/test_games.py"]) == ["tests/engine/test_games.py"]


def test_what_a_conftest_imports_reaches_the_tests_below_it(checkout: Path) -> None:
    assert reached(checkout, ["tests/builders.py"]) == ["tests/server/test_app.py", "tests/server/test_match.py"]


def test_other_files_reach_the_tests_that_name_them(checkout: Path) -> None:
    assert reached(checkout, ["README.md"]) == ["tests/docs/test_pages.py"]


def test_a_change_is_what_differs_and_what_is_new(checkout: Path) -> None:
    (checkout / "engine/rules.py").write_text("BOARD = 7")
    (checkout / "server/new.py").touch()
    (checkout / "server/app.py").unlink()
    assert changed_files(checkout, "HEAD") == ["engine/rules.py", "server/new.py"]
