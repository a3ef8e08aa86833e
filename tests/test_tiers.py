"""Every test is in one tier, and CI runs every tier."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parent.parent
CASES = """
import pytest

def test_plain(): pass

@pytest.mark.core
def test_core(): pass

@pytest.mark.thorough
def test_thorough(): pass

@pytest.mark.campaign
def test_campaign(): pass

@pytest.mark.core
@pytest.mark.thorough
@pytest.mark.campaign
def test_all(): pass

@pytest.mark.browser
@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.virtual_time
@pytest.mark.parametrize("row", ["", pytest.param("core", marks=pytest.mark.core)])
def test_row(row): pass
"""
FAST, SLOW, FAULTS = "tests/test_fast.py", "tests/e2e/test_slow.py", "tests/faults/test_faults.py"
DEEP = "tests/bench/workload/test_deep.py"
NAMES = ["test_plain", "test_core", "test_thorough", "test_campaign", "test_all", "test_row[]", "test_row[core]"]
FILES = (FAST, SLOW, FAULTS, DEEP)
CORE = {(file, name) for file in (FAST, FAULTS) for name in ("test_plain", "test_core", "test_row[]", "test_row[core]")}
CORE |= {(file, name) for file in (SLOW, DEEP) for name in ("test_core", "test_row[core]")}
CAMPAIGNS = {(file, name) for file in FILES for name in ("test_campaign", "test_all")}
ALL = {(file, name) for file in FILES for name in NAMES}


def commands_of_ci() -> list[list[str]]:
    """Return pytest's arguments in each call of `./run test` of CI."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    return [words[2:] for line in lines if (words := shlex.split(line, comments=True))[:2] == ["./run", "test"]]


def ran(pytester: pytest.Pytester, *arguments: str) -> Counter[tuple[str, str]]:
    """Return how often each test of `CASES`, by file and name, ran with these arguments."""
    result = pytester.inline_run(*arguments)
    assert result.ret == pytest.ExitCode.OK
    passed, _, _ = result.listoutcomes()
    return Counter((file, name) for file, _, name in (report.nodeid.partition("::") for report in passed))


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A checkout with the project's configuration and with tests of every tier."""
    pytester.makepyprojecttoml((ROOT / "pyproject.toml").read_text())
    pytester.makeconftest("from tests.tiers import pytest_addoption, pytest_collection_modifyitems, pytest_configure")
    for name in FILES:
        file = pytester.path / name
        file.parent.mkdir(parents=True)
        file.write_text(CASES)
    return pytester


def test_ci_runs_every_test_once(suite: pytest.Pytester) -> None:
    runs = Counter[tuple[str, str]]()
    for arguments in commands_of_ci():
        runs.update(ran(suite, *arguments))
    assert runs == Counter(ALL)


def test_where_nothing_is_named_the_core_runs(suite: pytest.Pytester) -> None:
    assert ran(suite) == Counter(CORE)


def test_each_flag_adds_its_tier(suite: pytest.Pytester) -> None:
    assert ran(suite, "--thorough") == Counter(ALL - CAMPAIGNS)
    assert ran(suite, "--campaigns") == Counter(CORE | CAMPAIGNS)


def test_where_tests_are_named_only_campaigns_need_a_flag(suite: pytest.Pytester) -> None:
    assert ran(suite, SLOW) == Counter((file, name) for file, name in ALL - CAMPAIGNS if file == SLOW)


def test_workers_have_the_tiers_of_their_run(suite: pytest.Pytester) -> None:
    assert ran(suite, "-n", "1") == Counter(CORE)
    assert ran(suite, "-n", "1", *FILES) == Counter(ALL - CAMPAIGNS)
