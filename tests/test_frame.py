"""The frame itself: lock files, and what the README promises."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")


def locked(name: str) -> dict[str, list[str]]:
    """Return each locked package with the lines of its entry."""
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (ROOT / name).read_text().splitlines():
        if not line.startswith(" "):
            current = entries.setdefault(re.split(r"[=\[ ]", line)[0], [])
        current.append(line.strip())
    return entries


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_a_hash_and_no_address(name: str) -> None:
    entries = locked(name)
    assert len(entries) > 20
    for package, lines in entries.items():
        assert any(line.startswith("--hash=sha256:") for line in lines), package
        assert not any("://" in line or "index-url" in line for line in lines), package


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    names = [re.split(r"[\[<>=; ]", dependency)[0] for dependency in project["project"]["dependencies"]]
    assert set(names) <= set(locked("requirements.lock"))
    development = [
        re.split(r"[\[<>=; ]", item)[0] for item in project["dependency-groups"]["dev"] if isinstance(item, str)
    ]
    assert set(development) | set(names) <= set(locked("requirements-dev.lock"))


def test_the_front_door_explains_itself() -> None:
    result = subprocess.run([sys.executable, "run", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "./run serve" in result.stderr


def test_the_readme_shows_the_example_bot_as_it_is() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks[0].strip() == (ROOT / "examples" / "first_bot.py").read_text().strip()
