"""A signal ends a program in order: its coroutine is cancelled, whichever task runs, and its exit code is the
signal's."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from cornered import cli
from cornered.clients import terminal
from cornered.clients.ending import run_until_signal


def test_a_signal_in_any_task_cancels_the_coroutine_alone() -> None:
    seen: list[str] = []

    async def other() -> None:
        signal.raise_signal(signal.SIGTERM)
        seen.append("the task that ran goes on")

    async def main() -> None:
        working = asyncio.ensure_future(other())
        try:
            await asyncio.Event().wait()
        finally:
            signal.raise_signal(signal.SIGTERM)
            await working
            seen.append("the end is in order, also at a second signal")

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        run_until_signal(main())
    assert ended.value.code == 128 + signal.SIGTERM
    assert seen == ["the task that ran goes on", "the end is in order, also at a second signal"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_coroutine_ends_with_its_value_and_its_error() -> None:
    async def main(value: int) -> float:
        return 1 / value

    assert run_until_signal(main(4)) == 0.25
    with pytest.raises(ZeroDivisionError):
        run_until_signal(main(0))


def test_all_commands_run_their_coroutines_so() -> None:
    folders = [Path(package.__path__[0]) for package in (cli, terminal)]
    plain = [
        path.name for folder in folders for path in folder.glob("*.py") if "asyncio.run(" in path.read_text("utf-8")
    ]
    assert plain == []
