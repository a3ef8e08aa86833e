"""The tiers of tests: a pytest plugin that runs those that the command line asks for.

Every test is in one tier. `core` runs where nothing is named: the tests of at most `CORE_LIMIT_S` of CPU time by
tests/durations.json, and those of tests/smoke.toml. All others are `thorough`, but for those with the marker
`campaign`, which take minutes or the whole machine.
"""

from __future__ import annotations

import random
import sys
import tomllib
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

import pytest

from tests.cpu_time import CPU_TIME, DURATIONS, SUM, recorded

__all__ = ["CORE_LIMIT_S", "SMOKE", "Tier", "core_seconds", "smoke_tests", "tier_of"]

Tier: TypeAlias = Literal["core", "thorough", "campaign"]
FLAGS: Final[dict[Tier, str]] = {"thorough": "--thorough", "campaign": "--campaigns"}
CORE_LIMIT_S: Final = 0.35
"""CPU seconds of a test of the core."""
LOAD_FACTOR: Final = 4.0
"""A test that takes so many times its limit is reported: a busy machine, or a kernel that compiles, costs less."""
GROUP: Final = "campaigns"
"""Campaigns are one group of pytest-xdist, which runs them in one process, one after the other."""
SMOKE: Final = Path("tests/smoke.toml")
"""The ids of the smoke tests by capability."""


def tier_of(item: pytest.Item, durations: Mapping[str, Mapping[str, float]], smoke: Container[str]) -> Tier:
    """Return the tier of a test by its marker, the list of smoke tests and the recorded CPU seconds, in this order."""
    if item.get_closest_marker("campaign") is not None:
        return "campaign"
    file, _, name = item.nodeid.partition("::")
    is_slow = durations.get(file, {}).get(name, 0.0) > CORE_LIMIT_S
    return "thorough" if is_slow and item.nodeid not in smoke else "core"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        FLAGS["thorough"],
        action="store_true",
        help="run all tests but the campaigns, as where tests are named",
    )
    parser.addoption(
        FLAGS["campaign"],
        action="store_true",
        help="run the campaigns too, which take minutes or the whole machine: attacks, faults, fuzzer, soak, load",
    )

    parser.addoption(
        "--shuffle", type=int, metavar="SEED", help="run the files, and the tests of each, in another order"
    )


def names_tests(config: pytest.Config) -> bool:
    return config.args_source is pytest.Config.ArgsSource.ARGS


def is_whole(config: pytest.Config) -> bool:
    """Return whether the suite is collected from its beginning to its end."""
    return not (names_tests(config) or config.getoption("--changed") or config.getoption("--ignore"))


def smoke_tests(root: Path) -> frozenset[str]:
    """Return the ids of the smoke tests of a checkout."""
    return frozenset(tomllib.loads((root / SMOKE).read_text("utf-8")).values())


def core_seconds(durations: Mapping[str, Mapping[str, float]], smoke: Container[str]) -> float:
    """Return the recorded CPU seconds of the core: those of each file, less what is slow in it."""
    return sum(
        tests[SUM]
        - sum(
            seconds
            for name, seconds in tests.items()
            if name != SUM and seconds > CORE_LIMIT_S and f"{file}::{name}" not in smoke
        )
        for file, tests in durations.items()
    )


def pytest_configure(config: pytest.Config) -> None:
    # The workers of pytest-xdist get the same arguments.
    if names_tests(config):
        config.option.thorough = True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tiers that are not asked for, and run campaigns one at a time.

    Campaigns need Linux's loopback network, namespaces and /proc, and an otherwise idle machine."""
    smoke = smoke_tests(config.rootpath)
    if is_whole(config) and (missing := smoke - {item.nodeid for item in items}):
        raise pytest.UsageError(f"{SMOKE} names what is no test: {', '.join(sorted(missing))}")
    durations = recorded(config.rootpath / DURATIONS)
    kept, left = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        tier = tier_of(item, durations, smoke)
        (kept if tier == "core" or config.getoption(FLAGS[tier]) else left).append(item)
        if tier == "campaign":
            item.add_marker(pytest.mark.xdist_group(GROUP))
            if sys.platform != "linux":
                item.add_marker(pytest.mark.skip(reason="needs Linux's loopback network and /proc"))
    if left:
        items[:] = kept
        config.hook.pytest_deselected(items=left)
    if (seed := config.getoption("--shuffle")) is not None:
        shuffle(items, random.Random(seed))


def shuffle(items: list[pytest.Item], chance: random.Random) -> None:
    """Put the files, and the tests of each file, into another order; the tests of a file stay together."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    for tests in files.values():
        chance.shuffle(tests)
    items[:] = [item for tests in chance.sample(list(files.values()), len(files)) for item in tests]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the tests of the core that took far more CPU time than its limit."""
    if names_tests(config) or any(config.getoption(flag) for flag in FLAGS.values()):
        return
    smoke = smoke_tests(config.rootpath)
    slow = {
        f"{file}::{name}": seconds
        for file, tests in config.stash[CPU_TIME].by_file().items()
        for name, seconds in tests.items()
        if seconds > CORE_LIMIT_S * LOAD_FACTOR and f"{file}::{name}" not in smoke
    }
    if slow:
        terminalreporter.section(f"tests of the core that took over {CORE_LIMIT_S * LOAD_FACTOR:g} CPU seconds")
        for nodeid, seconds in sorted(slow.items(), key=lambda each: -each[1]):
            terminalreporter.write_line(f"{seconds:6.1f} s  {nodeid}")
        terminalreporter.write_line("Make them cheaper, or record them: ./run test --record FILE")
