"""The tests that a change reaches: the option `--changed [REV]` of pytest.

A Python file is reached by the import graph: a test file runs when it imports the changed module, or something that
imports it. Any other file is reached by its name: a test file runs when its text has it. Imports further away, and what
another process does, are left to the whole core.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

__all__ = ["changed_files", "reached"]

PACKAGE: Final = "cornered"
DEPTH: Final = 2
"""Longest chain of imports from a test file to a changed module."""
IMPORTS: Final = re.compile(r"^[ \t]*(?:from ([\w.]+) )?import (\([^)]*\)|.*)$", re.MULTILINE)
"""An import, as a pattern: to parse all files would take seconds of CPU time at each call."""
NAMES: Final = re.compile(r"([\w.]+)(?: as \w+)?")


def listed(root: Path, *command: str) -> list[str]:
    """Return the files that a command of git lists. Raises CalledProcessError."""
    done = subprocess.run(("git", *command), cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.split("\n")[:-1]


def changed_files(root: Path, revision: str) -> list[str]:
    """Return the files that differ from a revision, and the new ones that git does not ignore."""
    return [
        *listed(root, "diff", "--name-only", "--relative", "--diff-filter=d", revision, "--"),
        *listed(root, "ls-files", "--others", "--exclude-standard"),
    ]


def module_of(file: PurePosixPath) -> str:
    """Return the name under which a file of the project, or of the tests, is imported."""
    parts = [*file.parts[:-1], *([] if file.name == "__init__.py" else [file.stem])]
    return ".".join(parts if parts[0] in ("tests", PACKAGE) else [PACKAGE, *parts])


def imports_of(source: str) -> Iterator[str]:
    """Yield the names of modules that a file imports; what it imports from one may be a module too."""
    for module, names in IMPORTS.findall(source):
        if module:
            yield module
        yield from (f"{module}.{name}".lstrip(".") for name in NAMES.findall(names))


def importers(root: Path) -> dict[str, set[str]]:
    """Return which modules import each one; those of the tests are imported by what is below their conftest.py too."""
    files = listed(root, "ls-files", "--cached", "--others", "--exclude-standard", "*.py")
    found: dict[str, set[str]] = defaultdict(set)
    for file in map(PurePosixPath, files):
        if not (root / file).is_file():
            continue
        module = module_of(file)
        for name in imports_of((root / file).read_text("utf-8")):
            found[name].add(module)
        if file.parts[0] == "tests":
            for folder in file.parents:
                found[module_of(folder / "conftest.py")].add(module)
    return found


def reached(root: Path, changed: Iterable[str]) -> list[str]:
    """Return the test files that changed files reach, those that import them directly first."""
    modules = importers(root)
    found = (path.relative_to(root) for path in sorted((root / "tests").rglob("test_*.py")))
    tests = {module_of(path): path for path in map(PurePosixPath, found)}
    distance: dict[str, int] = {}
    layer = set[str]()
    for name in changed:
        file = PurePosixPath(name)
        if file.suffix == ".py":
            layer.add(module_of(file))
        else:
            mentioning = (path for path in tests.values() if file.name in (root / path).read_text("utf-8"))
            distance |= {str(path): 0 for path in mentioning}
    seen = set[str]()
    for step in range(DEPTH + 1):
        distance |= {str(tests[each]): step for each in layer if each in tests and str(tests[each]) not in distance}
        seen |= layer
        # A test file reaches no other one.
        layer = {importer for each in layer - tests.keys() for importer in modules[each]} - seen
    return sorted(distance, key=lambda path: (distance[path], path))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="REV",
        help="run the core tests that the change since REV reaches by imports or by name; REV is HEAD by default",
    )


def pytest_configure(config: pytest.Config) -> None:
    revision = config.getoption("--changed")
    if revision is None:
        return
    # The workers of pytest-xdist find the same files.
    try:
        files = reached(config.rootpath, changed_files(config.rootpath, revision))
    except subprocess.CalledProcessError as error:
        raise pytest.UsageError(f"--changed: {error.stderr.strip() or error}") from None
    if not files:
        raise pytest.UsageError("--changed: no test is reached by this change; run the core: ./run test")
    config.args = files
