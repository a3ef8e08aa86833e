"""The frame itself: lock files, containers, and what the README promises."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

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


def check_compose(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_compose_file_follows_the_compose_schema() -> None:
    result = check_compose(ROOT / "docker-compose.yml")
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_wrong_compose_file_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "bad.yml").write_text("services: {server: {image: 7, comand: x}}")
    assert check_compose(tmp_path / "bad.yml").returncode == 1


def container_commands() -> list[list[str]]:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return [service["command"] for service in services.values() if service.get("image") == "cornered"]


@pytest.mark.parametrize("command", container_commands(), ids=lambda command: command[1])
def test_every_container_runs_a_command_that_exists(command: list[str]) -> None:
    assert command[0] == "cornered"
    usage = subprocess.run(
        [sys.executable, "-m", "clients.cli", command[1], "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for flag in (word for word in command if word.startswith("--")):
        assert flag in usage.stdout


def test_the_front_door_explains_itself() -> None:
    result = subprocess.run([sys.executable, "run", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "./run serve" in result.stderr


def test_the_readme_shows_the_example_bot_as_it_is() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert blocks[0].strip() == (ROOT / "examples" / "first_bot.py").read_text().strip()
