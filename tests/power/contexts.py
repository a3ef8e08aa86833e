"""Records which tests run which lines: a program that runs tests under coverage with a context for each.

    python contexts.py SPECIFICATION.json

It writes a file .coverage, and to one .json the CPU seconds and the outcome of each test. Processes that tests start
are measured too, each in the context of the test that starts it. What runs outside tests, as an import, has the empty
context. Like executor.py it needs no module of this project.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Final

import coverage
import pytest

FOLDERS: Final = ("bots", "cli", "clients", "contests", "engine", "lab", "protocol", "server", "services")
CONFIGURATION: Final = """\
[run]
branch = true
data_file = {data}
source = {sources}
"""
OF_PROCESSES: Final = """\
parallel = true
context = ${PYTEST_CURRENT_TEST-}
sigterm = true
patch = _exit, fork
disable_warnings = no-data-collected, module-not-imported, couldnt-parse
"""
"""pytest sets the variable, and coverage reads it where a process starts."""


def cpu_seconds() -> float:
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def expire(*_: object) -> None:
    pytest.fail("takes too much CPU time")


class Contexts:
    """The plugin that names the context."""

    def __init__(self, measured: coverage.Coverage, only: set[str] | None, limit_s: float) -> None:
        self.measured, self.only, self.limit_s = measured, only, limit_s
        self.tests: dict[str, dict[str, object]] = {}

    def pytest_collection(self) -> None:
        # Imported here, after pytest has got its chance to rewrite it: a warning otherwise, and warnings are errors.
        from hypothesis import settings

        # The same examples as later with a mutant.
        settings.register_profile("mutants", settings.default, database=None, derandomize=True)
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.only is not None:
            items[:] = [item for item in items if item.nodeid in self.only]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.measured.switch_context(item.nodeid)
        before = cpu_seconds()
        self.tests[item.nodeid] = {"passes": True}
        signal.setitimer(signal.ITIMER_PROF, self.limit_s)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.tests[item.nodeid]["cpu_s"] = round(cpu_seconds() - before, 3)
            self.measured.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.tests[report.nodeid]["passes"] = False


def main(path: str) -> None:
    specification = json.loads(Path(path).read_text("utf-8"))
    root, output, files = specification["root"], specification["output"], specification["files"]
    only = specification["only"]
    os.chdir(root)
    sys.path[0] = root
    data = f"{output}.coverage"
    own, of_processes = Path(f"{output}.rc"), Path(f"{output}.processes.rc")
    text = CONFIGURATION.format(data=data, sources=",".join(str(Path(root, each)) for each in FOLDERS))
    own.write_text(text, "utf-8")
    of_processes.write_text(text.replace(data, f"{output}.process") + OF_PROCESSES, "utf-8")
    os.environ["COVERAGE_PROCESS_START"] = str(of_processes)
    measured = coverage.Coverage(config_file=str(own))
    measured.start()
    signal.signal(signal.SIGPROF, expire)
    chosen = None if only is None else set(json.loads(Path(only).read_text("utf-8")))
    plugin = Contexts(measured, chosen, specification["limit_s"])
    pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", *files], plugins=[plugin])
    measured.stop()
    merged = measured.get_data()
    for each in sorted(own.parent.glob(f"{own.stem}.process.*")):
        of_process = coverage.CoverageData(str(each))
        # A process that was killed while it wrote leaves half a file.
        with contextlib.suppress(coverage.CoverageException):
            of_process.read()
            merged.update(of_process)
        each.unlink()
    measured.save()
    Path(f"{output}.json").write_text(json.dumps(plugin.tests), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
