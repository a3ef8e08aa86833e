"""A worker process: what it inherits from the program that started it, and what ends with it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import time
from collections.abc import Callable
from types import ModuleType

import psutil
import pytest

from cornered.clients.sdk.worker_process import MAIN_FILE, MAIN_NAME, Hung, WorkerProcess, pass_for_main

WAIT_S = 20.0


@pytest.mark.parametrize("file", ["", "/games/my_bot.py"])
def test_a_program_without_a_file_leaves_none_behind(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    main = ModuleType("__main__")
    main.__file__ = "/usr/lib/forkserver.py"
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setenv(MAIN_FILE, file)
    monkeypatch.setenv(MAIN_NAME, "")
    pass_for_main()
    assert getattr(main, "__file__", "") == file
    # Looks at every loaded module that has a file, and fails at one that is empty.
    inspect.getmodule(compile("", "<unknown>", "exec"))


def starting() -> Callable[[object], int]:
    """Return the function of a worker that starts a program and returns its process id."""
    return lambda request: subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE).pid


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups that are killed as one")
def test_what_a_worker_has_started_ends_with_it() -> None:
    worker = WorkerProcess(starting, daemon=False)
    child = psutil.Process(worker.exchange(None, WAIT_S))
    assert child.is_running()
    worker.end()
    gone, _ = psutil.wait_procs([child], WAIT_S)
    assert gone or child.status() == psutil.STATUS_ZOMBIE


def waiting() -> Callable[[float], float]:
    """Return the function of a worker that waits for so many seconds without work, or works for ever."""

    def wait(seconds: float) -> float:
        time.sleep(seconds)
        while not seconds:
            pass
        return seconds

    return wait


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the CPU time of another process is told on Linux")
def test_a_worker_that_does_not_run_is_waited_for_and_one_that_has_used_its_time_is_not() -> None:
    worker = WorkerProcess(waiting, daemon=False)
    try:
        worker.exchange(0.001, WAIT_S)
        # As one does that other processes keep from running.
        assert worker.exchange(0.3, 0.1, patience_s=WAIT_S) == 0.3
        with pytest.raises(Hung):
            worker.exchange(0.0, 0.1, patience_s=10 * WAIT_S)
    finally:
        worker.end()
