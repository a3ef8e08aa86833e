"""The repository's frame: lock files, and the claims of the README."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

from tests.docs.blocks import blocks

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-lab.lock", "requirements-dev.lock")
"""Each has the packages of those before it."""
DOCS_LOCK = "requirements-docs.lock"
"""Has the core and the packages of the documentation site."""


def locked(name: str) -> dict[str, list[str]]:
    """Return each locked package with the lines of its entry."""
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (ROOT / name).read_text().splitlines():
        if not line.startswith(" "):
            current = entries.setdefault(re.split(r"[=\[ ]", line)[0], [])
        current.append(line.strip())
    return entries


def test_every_locked_package_has_a_hash_and_no_address() -> None:
    for name in (*LOCKS, DOCS_LOCK):
        entries = locked(name)
        assert len(entries) > 20
        for package, lines in entries.items():
            assert any(line.startswith("--hash=sha256:") for line in lines), (name, package)
            assert not any("://" in line or "index-url" in line for line in lines), (name, package)


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]

    def names(dependencies: list[object]) -> set[str]:
        found = {re.split(r"[\[<>=; ]", item)[0] for item in dependencies if isinstance(item, str)}
        return found - {"cornered"}

    core = names(project["project"]["dependencies"])
    serving = core | names([item for name in ("fast", "server", "bots", "postgres", "otel") for item in extras[name]])
    # OpenSpiel is for the tests, and PyTorch is too large for a lock file: `.ci/run` installs it.
    beside = ("openspiel", "train")
    everything = core | names([item for name, extra in extras.items() if name not in beside for item in extra])
    assert serving <= set(locked("requirements.lock"))
    assert everything <= set(locked("requirements-lab.lock"))
    assert everything | names(project["dependency-groups"]["dev"]) <= set(locked("requirements-dev.lock"))


def version(lines: list[str]) -> str:
    """Return name and version of an entry. Its marker may differ: another package may need it on more platforms."""
    return re.split(r" [;\\]", lines[0])[0]


def test_a_larger_lock_file_has_the_same_versions() -> None:
    entries = [locked(name) for name in LOCKS]
    for smaller, larger in (*pairwise(entries), (locked(DOCS_LOCK), entries[-1])):
        assert [name for name, lines in smaller.items() if version(larger.get(name, [""])) != version(lines)] == []


def test_serving_installs_nothing_of_the_laboratory() -> None:
    assert not {"matplotlib", "distributed", "optuna", "textual", "pytest"} & set(locked("requirements.lock"))


def test_the_readme_shows_the_example_bot_as_it_is() -> None:
    (shown,) = [block.text for block in blocks((ROOT / "README.md").read_text()) if block.kind == "python"]
    assert shown == (ROOT / "examples" / "first_bot.py").read_text()


def test_the_tutorial_shows_its_search_as_the_example_has_it() -> None:
    page = (ROOT / "docs" / "bots" / "first-bot.md").read_text()
    shown = [block.text for block in blocks(page) if block.path == "mybot/mybot.py"]
    assert shown[-1] == (ROOT / "examples" / "alpha_beta.py").read_text()
