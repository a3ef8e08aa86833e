"""Every test is in one tier, and CI runs every tier."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from pathlib import Path

import pytest

from tests.cpu_time import DURATIONS, SUM, recorded
from tests.tiers import CORE_LIMIT_S, SMOKE, core_seconds, smoke_tests

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parent.parent
CASES = """
import pytest

def test_quick(): pass

def test_slow(): pass

def test_smoke(): pass

@pytest.mark.campaign
def test_campaign(): pass

@pytest.mark.parametrize("row", ["a", "b"])
def test_row(row): pass
"""
FILES = ("tests/test_one.py", "tests/faults/test_two.py")
SLOW = ("test_slow", "test_smoke", "test_row[b]")
"""What the recorded run says of both files; the smoke test of the first one stays."""
ALL = {(file, name) for file in FILES for name in ("test_quick", "test_campaign", "test_row[a]", *SLOW)}
CAMPAIGNS = {(file, name) for file, name in ALL if name == "test_campaign"}
CORE = {(file, name) for file, name in ALL - CAMPAIGNS if name not in SLOW} | {(FILES[0], "test_smoke")}


def commands_of_ci() -> list[list[str]]:
    """Return pytest's arguments in each call of `./run test` of CI, but for the one that only makes the environment."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    calls = [words[2:] for line in lines if (words := shlex.split(line, comments=True))[:2] == ["./run", "test"]]
    assert calls.pop(0) == ["--version"]
    return calls


def ran(pytester: pytest.Pytester, *arguments: str) -> Counter[tuple[str, str]]:
    """Return how often each test of `CASES`, by file and name, ran with these arguments."""
    result = pytester.inline_run(*arguments)
    assert result.ret == pytest.ExitCode.OK
    passed, _, _ = result.listoutcomes()
    return Counter((file, name) for file, _, name in (report.nodeid.partition("::") for report in passed))


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A checkout with the project's configuration, and with tests of every tier."""
    pytester.makepyprojecttoml((ROOT / "pyproject.toml").read_text())
    pytester.makeconftest("pytest_plugins = ['tests.cpu_time', 'tests.tiers', 'tests.changed']")
    for name in FILES:
        file = pytester.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(CASES)
    slow = dict.fromkeys(SLOW, 1.2 * CORE_LIMIT_S) | {"test_quick": 0.8 * CORE_LIMIT_S}
    (pytester.path / DURATIONS).write_text(json.dumps(dict.fromkeys(FILES, slow)))
    (pytester.path / SMOKE).write_text(f'"what it shows" = "{FILES[0]}::test_smoke"')
    return pytester


def test_ci_runs_every_test_once(suite: pytest.Pytester) -> None:
    runs = Counter[tuple[str, str]]()
    for arguments in commands_of_ci():
        runs.update(ran(suite, *arguments))
    assert runs == Counter(ALL)


def test_where_nothing_is_named_what_is_quick_and_the_smoke_tests_run(suite: pytest.Pytester) -> None:
    assert ran(suite) == Counter(CORE)


def test_each_flag_adds_its_tier(suite: pytest.Pytester) -> None:
    assert ran(suite, "--thorough") == Counter(ALL - CAMPAIGNS)
    assert ran(suite, "--campaigns") == Counter(CORE | CAMPAIGNS)


def test_where_tests_are_named_only_campaigns_need_a_flag(suite: pytest.Pytester) -> None:
    assert ran(suite, FILES[0]) == Counter((file, name) for file, name in ALL - CAMPAIGNS if file == FILES[0])


def test_workers_have_the_tiers_of_their_run(suite: pytest.Pytester) -> None:
    assert ran(suite, "-n", "1") == Counter(CORE)
    assert ran(suite, "-n", "1", *FILES) == Counter(ALL - CAMPAIGNS)


def test_a_smoke_test_that_is_gone_is_an_error(suite: pytest.Pytester) -> None:
    (suite.path / SMOKE).write_text('"what it shows" = "tests/test_one.py::test_gone"')
    result = suite.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*names what is no test: tests/test_one.py::test_gone"])


def test_a_recorded_run_decides_the_tiers_of_the_next_one(suite: pytest.Pytester) -> None:
    (suite.path / DURATIONS).unlink()
    (suite.path / "tests/test_three.py").write_text(
        """
import time, subprocess, sys, pytest

CHILD = "import time\\nwhile time.process_time() < 0.7: pass"

def burn():
    begin = time.process_time()
    while time.process_time() < begin + 0.7: pass

@pytest.fixture(scope="module")
def shared(): burn()

def test_itself(): burn()

def test_by_a_child(): subprocess.run([sys.executable, "-c", CHILD], check=True)

def test_one_share(shared): pass

def test_other_share(shared): pass
"""
    )
    ran(suite, "--record")
    slow = recorded(suite.path / DURATIONS)["tests/test_three.py"]
    assert [name for name, seconds in slow.items() if seconds > 0.5] == ["all", "test_by_a_child", "test_itself"]
    assert {name for file, name in ran(suite) if file == "tests/test_three.py"} == {
        "test_one_share",
        "test_other_share",
    }


def test_the_recorded_times_are_within_five_and_thirty_minutes_of_two_cores() -> None:
    durations = recorded(ROOT / DURATIONS)
    assert core_seconds(durations, smoke_tests(ROOT)) <= 550
    assert sum(tests[SUM] for tests in durations.values()) <= 2_400


def test_shuffled_files_keep_their_tests_together(suite: pytest.Pytester) -> None:
    orders = set[tuple[str, ...]]()
    for seed in range(4):
        result = suite.inline_run("--shuffle", str(seed))
        passed, _, _ = result.listoutcomes()
        ids = tuple(report.nodeid for report in passed)
        files = [nodeid.partition("::")[0] for nodeid in ids]
        assert files == sorted(files, key=files.index)
        orders.add(ids)
    assert len(orders) > 1
