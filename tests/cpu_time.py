"""The CPU time of tests: a pytest plugin that measures each test, and with `--record` writes it to a file.

CPU time is that of the process with its threads and of all its descendants: servers, browsers and worker processes
count where they run. A fixture of a module, class or package is shared by the tests of its file, in equal parts; one of
the whole session, as the database server, counts nowhere.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final, cast

import pytest

__all__ = ["CPU_TIME", "DURATIONS", "SUM", "cpu_seconds", "recorded"]

DURATIONS: Final = Path("tests/durations.json")
"""CPU seconds by file and by test, in the checkout; `--record` writes it."""
KEPT_S: Final = 0.1
"""Tests that take less are recorded by their file's sum alone."""
SUM: Final = "all"
"""The name of a file's sum among its tests."""
CPU: Final = "cpu"
"""The property of a test's last report: its own CPU seconds, and those of shared fixtures that it began or ended."""
CPU_TIME: Final = pytest.StashKey["CpuTime"]()
TICK_HZ: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def recorded(source: Path) -> dict[str, dict[str, float]]:
    """Return the CPU seconds of tests by file and by the rest of their ids; the sum of a file is under `SUM`."""
    return json.loads(source.read_text("utf-8")) if source.is_file() else {}


def of_descendants(pid: int) -> float:
    """Return the CPU seconds of the living descendants of a process, and of those that they have waited for.

    On systems without /proc there are none: only ended children count there.
    """
    total = 0.0
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:  # It has ended meanwhile.
        return 0.0
    for thread in threads:
        try:
            children = Path(f"/proc/{pid}/task/{thread}/children").read_text(encoding="utf-8").split()
        except OSError:
            continue
        for child in children:
            try:
                fields = Path(f"/proc/{child}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            # utime, stime, cutime, cstime: proc_pid_stat(5).
            total += sum(map(int, fields[11:15])) / TICK_HZ + of_descendants(int(child))
    return total


def cpu_seconds() -> float:
    """Return the CPU seconds so far of this process and its descendants."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + of_descendants(os.getpid())


class CpuTime:
    """Measures the tests of this process, and in the controlling process collects what the workers measured."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tests: dict[str, float] = {}
        self._shared: dict[str, float] = defaultdict(float)
        # Of the test that runs.
        self._begin = self._teardown = self._apart = self._fixtures = 0.0
        self._is_last = self._is_in_shared_fixture = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        self._begin, self._apart, self._fixtures = cpu_seconds(), 0.0, 0.0
        self._is_last = nextitem is None or nextitem.path != item.path
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        if fixturedef.scope == "function" or self._is_in_shared_fixture:
            return (yield)
        self._is_in_shared_fixture = True
        before = cpu_seconds()
        try:
            return (yield)
        finally:
            self._is_in_shared_fixture = False
            taken = cpu_seconds() - before
            self._apart += taken
            self._fixtures += 0.0 if fixturedef.scope == "session" else taken

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        self._teardown = cpu_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            now = cpu_seconds()
            if self._is_last:
                # Here the file's shared fixtures end. What a browser that is closed has used can no longer be read.
                taken = max(0.0, now - self._teardown)
                self._apart += now - self._teardown
                self._fixtures += taken
            report.user_properties.append((CPU, (now - self._begin - self._apart, self._fixtures)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == CPU:
                own, shared = cast("tuple[float, float]", value)
                self.tests[report.nodeid] = own
                self._shared[report.nodeid.partition("::")[0]] += shared

    def by_file(self) -> dict[str, dict[str, float]]:
        """Return the measured CPU seconds by file and by the rest of the tests' ids."""
        files: dict[str, dict[str, float]] = defaultdict(dict)
        for nodeid, seconds in self.tests.items():
            file, _, name = nodeid.partition("::")
            # With `--dist loadgroup` the name of a test's group follows its id.
            files[file][name if name.endswith("]") else name.rpartition("@")[0] or name] = seconds
        for file, tests in files.items():
            share = self._shared[file] / len(tests)
            files[file] = {name: seconds + share for name, seconds in tests.items()}
        return dict(files)

    def pytest_sessionfinish(self) -> None:
        if (target := self.config.getoption("--record")) is not None and not hasattr(self.config, "workerinput"):
            root = self.config.rootpath
            target = root / target
            measured = {
                file: {SUM: round(sum(tests.values()), 2)}
                | {name: round(seconds, 2) for name, seconds in sorted(tests.items()) if seconds >= KEPT_S}
                for file, tests in self.by_file().items()
            }
            kept = {file: tests for file, tests in recorded(target).items() if (root / file).is_file()}
            text = json.dumps(dict(sorted((kept | measured).items())), indent=1, ensure_ascii=False)
            target.write_text(f"{text}\n", "utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record",
        nargs="?",
        type=Path,
        const=DURATIONS,
        metavar="FILE",
        help="write the CPU time of the tests that run to tests/durations.json, or to FILE",
    )


def pytest_configure(config: pytest.Config) -> None:
    target = config.getoption("--record")
    if target is not None and (config.rootpath / target).suffix != DURATIONS.suffix:
        raise pytest.UsageError(
            f"--record writes a file of JSON, not {target}: put it behind the tests, or write --record=FILE"
        )
    config.stash[CPU_TIME] = CpuTime(config)
    config.pluginmanager.register(config.stash[CPU_TIME], "cpu-time")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the CPU time by folder, and the tests that took most."""
    measured = config.stash[CPU_TIME].by_file()
    folders: dict[str, float] = defaultdict(float)
    for file, tests in measured.items():
        folders["/".join(file.split("/")[:2])] += sum(tests.values())
    total = sum(folders.values())
    if total < 60:
        return
    terminalreporter.section(f"CPU time: {total:.0f} s")
    for folder, seconds in sorted(folders.items(), key=lambda each: -each[1])[:20]:
        terminalreporter.write_line(f"{seconds:8.1f} s  {folder}")
