"""Which tests a mutant is tried on, in which order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from coverage import CoverageData

from tests.power.coverage_table import PHASE
from tests.power.mutation import Mutant

__all__ = ["Contexts", "Json", "Test", "in_order", "job_of"]

Json: TypeAlias = dict[str, Any]

FIRST_TESTS: Final = 30
"""Tests of different functions that come first; other parameters of the same functions rarely find more."""


@dataclass(slots=True)
class Test:
    cpu_s: float
    is_core: bool


@dataclass(slots=True)
class Contexts:
    """Which tests run which lines of a tree, in one mode."""

    tests: dict[str, Test]
    """The tests that pass."""
    data: list[CoverageData]
    root: Path
    _of_file: dict[str, dict[int, set[str]]] = field(default_factory=dict)

    def of_lines(self, path: str, lines: tuple[int, int]) -> set[str]:
        """Return the contexts that run one of the lines, the empty one too."""
        of_file = self._lines(path)
        return {name for line in range(lines[0], lines[1] + 1) for name in of_file.get(line, ())}

    def of_module(self, path: str) -> set[str]:
        """Return the tests that run any line of a file, or else those of the file that mirrors it."""
        ran = {name for names in self._lines(path).values() for name in names if name in self.tests}
        return ran or {name for name in self.tests if name.partition("::")[0] == mirror_of(path)}

    def _lines(self, path: str) -> dict[int, set[str]]:
        if path not in self._of_file:
            merged: dict[int, set[str]] = defaultdict(set)
            for each in self.data:
                for line, names in each.contexts_by_lineno(str(self.root / path)).items():
                    merged[line] |= {PHASE.sub("", name) for name in names}
            self._of_file[path] = dict(merged)
        return self._of_file[path]


def mirror_of(path: str) -> str:
    """Return the file that tests a module first, by the rule that tests mirror the source."""
    folder, _, name = path.rpartition("/")
    return f"tests/{folder}/test_{name}"


def in_order(mutant: Mutant, names: Iterable[str], tests: Mapping[str, Test], budget_s: float) -> list[str]:
    """Return the tests to run: the cheapest of different functions and of the module's own folder first, then others
    while the budget has CPU seconds for them. Tests of one file stay together, since they share fixtures."""
    own = mirror_of(mutant.path).rpartition("/")[0]

    def rank(name: str) -> tuple[bool, float, str]:
        return (not name.startswith(own), tests[name].cpu_s, name)

    functions, first, others = set[str](), list[str](), list[str]()
    for name in sorted(names, key=rank):
        is_new = (function := name.partition("[")[0]) not in functions and len(first) < FIRST_TESTS
        functions.add(function)
        (first if is_new else others).append(name)
    taken, kept = 0.0, set[str]()
    for name in (*first, *others):
        taken += tests[name].cpu_s
        if kept and taken > budget_s:
            break
        kept.add(name)
    return [*by_file(name for name in first if name in kept), *by_file(name for name in others if name in kept)]


def by_file(names: Iterable[str]) -> Iterator[str]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[name.partition("::")[0]].append(name)
    for group in groups.values():
        yield from group


def job_of(
    mutant: Mutant, contexts: Contexts, source: str, budget_s: float, is_core_only: bool, without: str = ""
) -> Json:
    """Return what an executor needs for a mutant; `without` names tests to leave out, by the begin of their ids."""
    tests = contexts.tests
    names = contexts.of_lines(mutant.path, mutant.lines)
    covering = [name for name in names if name in tests and not (without and name.startswith(without))]
    if not covering and "" in names:
        covering = [name for name in contexts.of_module(mutant.path) if not (without and name.startswith(without))]
    core = in_order(mutant, (name for name in covering if tests[name].is_core), tests, budget_s)
    slow = [] if is_core_only else [name for name in covering if not tests[name].is_core]
    then = in_order(mutant, slow, tests, budget_s)
    files = {name.partition("::")[0] for name in covering}
    # A fixture of a file runs in the context of its first test, and what it makes is judged by all.
    siblings = sorted(
        (
            name
            for name, test in tests.items()
            if name.partition("::")[0] in files and name not in names and (test.is_core or not is_core_only)
        ),
        key=lambda name: tests[name].cpu_s,
    )
    return {
        "key": mutant.key,
        "path": mutant.path,
        "source": source,
        "tests": core,
        "siblings": siblings,
        "then": then,
        "limits": {name: tests[name].cpu_s for name in [*core, *siblings, *then]},
        "runs_at_import": "" in names,
        "runs_in_tests": any(name in tests for name in names),
    }
