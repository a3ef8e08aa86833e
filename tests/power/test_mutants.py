"""A small project is measured: which of its mutants are found, and what is left of it afterwards."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.power.coverage_table import lower, package_of
from tests.power.measurement import HERE, shares
from tests.power.mutants import ROOT, lost, main
from tests.power.mutation import mutants_of, mutated_sources

MODULE = "protocol/numbers.py"
SOURCE = """
def larger(a: int, b: int) -> int:
    return a if a > b else b


def steps(n: int) -> int:
    count = 0
    for _ in range(n):
        count += 1
    return count


def unused(n: int) -> int:
    return n + 1


def twice(n: int) -> int:
    return 2 * n


TABLE = [twice(n) for n in range(3)]
"""
LOOP = """
def steps(n: int) -> int:
    count = 0
    while n > 0:
        n -= 1
        count += 1
    return count

TABLE = larger = None
"""
TESTS = """
import os
import pytest
from cornered.protocol.numbers import TABLE, larger, steps

@pytest.fixture(scope="module")
def counted():
    return steps(3)

def test_the_first_is_larger():
    assert larger(2, 1) == 2

def test_steps_are_made(counted):
    assert True

def test_steps_are_counted(counted):
    assert counted == 3

def test_the_table_is_doubled():
    assert TABLE == [0, 2, 4]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with one module and one file of tests."""
    root = tmp_path / "project"
    texts = {
        MODULE: SOURCE,
        "protocol/__init__.py": "",
        "cornered/__init__.py": "",
        "tests/protocol/test_numbers.py": TESTS,
        "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\ntestpaths = tests\n",
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    (root / "cornered" / "protocol").symlink_to("../protocol")
    (root / ".gitignore").write_text("/cornered/protocol\n__pycache__/\n", "utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    return root


def test_mutants_that_a_test_finds_are_killed_and_others_survive(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    state = tmp_path / "state"
    arguments = ["protocol", "--tree", str(project), "--state", str(state), "--workers", "1", "--json", str(report)]
    assert main(arguments) == 0
    mutants = json.loads(report.read_text("utf-8"))["mutants"]
    verdicts = {one["mutant"].partition(" ")[2]: one["verdict"] for one in mutants}
    assert verdicts["larger: a if a > b else b -> a if (a > b) and False else b"] == "core"
    assert verdicts["larger: a if a > b else b -> a if (a > b) or True else b"] == "survived"
    # Only the second test of the fixture sees what the fixture did in the first.
    assert verdicts["steps: count += 1 -> count -= 1"] == "core"
    assert verdicts["unused: n + 1 -> n - 1"] == "not run"
    # What runs at the import alone has to be changed before it.
    assert verdicts["twice: 2 * n -> 2 / n"] == "core"
    assert (project / MODULE).read_text("utf-8") == SOURCE
    assert (state / "worker-0" / MODULE).read_text("utf-8") == SOURCE
    # A second run knows all results, and compares them.
    results = (state / "results.jsonl").read_text("utf-8")
    capsys.readouterr()
    assert main([*arguments, "--compare", str(report)]) == 0
    assert (state / "results.jsonl").read_text("utf-8") == results
    assert f"protocol{len(mutants):21}" in capsys.readouterr().out


def test_a_mutant_that_never_ends_is_killed_by_its_cpu_time(project: Path, tmp_path: Path) -> None:
    (project / MODULE).write_text(LOOP, "utf-8")
    mutant = next(each for each in mutants_of(MODULE, LOOP) if (each.before, each.after) == ("n -= 1", "n += 1"))
    specification = tmp_path / "specification.json"
    what = {"root": str(project), "scratch": str(tmp_path / "scratch"), "files": ["tests"], "cpu_limit_s": 0.2}
    specification.write_text(json.dumps(what), "utf-8")
    test = "tests/protocol/test_numbers.py::test_steps_are_counted"
    source = mutated_sources(MODULE, LOOP, [mutant.key])[mutant.key]
    job = {"key": mutant.key, "path": MODULE, "source": source, "tests": [test], "limits": {test: 0.01}}
    done = subprocess.run(
        [sys.executable, str(HERE / "executor.py"), str(specification)],
        input=f"{json.dumps(job)}\n",
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(project)},
    )
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["status"], result["how"], result["ran"]) == ("killed", "loops", 1)
    assert (project / MODULE).read_text("utf-8") == LOOP


def test_a_kill_that_is_lost_since_an_earlier_report_is_named() -> None:
    def report(**verdicts: str) -> dict[str, Any]:
        return {"mutants": [{"key": key, "verdict": each, "mutant": "a -> b"} for key, each in verdicts.items()]}

    before = report(a="core", b="core", c="thorough", d="survived", gone="core")
    after = report(a="core", b="thorough", c="survived", d="core", new="survived")
    assert [line.split(":")[0] for line in lost(before, after)] == ["b core -> thorough", "c thorough -> survived"]


def test_run_starts_the_modules_of_this_folder() -> None:
    named = re.search(r"^MEASUREMENTS = (\{.*\})$", (ROOT / "run").read_text("utf-8"), re.MULTILINE)
    assert named is not None
    for module in json.loads(named[1]).values():
        assert "def main(" in (HERE / f"{module}.py").read_text("utf-8")


def test_files_are_shared_out_by_their_weight() -> None:
    parts = shares(["a", "b", "c", "d"], {"a": 9.0, "b": 2.0, "c": 3.0, "d": 4.0}, 2)
    assert parts == [["a"], ["b", "c", "d"]]


def test_a_package_that_is_a_point_lower_is_named() -> None:
    recorded = {"engine": {"lines": 90.0, "branches": 80.0}, "gone": {"lines": 90.0, "branches": 90.0}}
    table = {"engine": {"lines": 89.1, "branches": 78.9}, "new": {"lines": 1.0, "branches": 1.0}}
    assert list(lower(table, recorded)) == ["engine: 78.9 % of the branches, 80.0 % are recorded"]
    assert [package_of(path) for path in ("server/net/http.py", "server/app.py", "lab/a/b/c.py")] == [
        "server/net",
        "server",
        "lab/a",
    ]
