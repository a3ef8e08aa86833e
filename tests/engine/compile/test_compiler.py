"""One process compiles items in their order, and no item costs another one anything."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest

from cornered.engine.compile import compiler
from cornered.engine.compile.compiler import COMPILER_NICENESS, compile_each, compiled

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
    import os, pickle, subprocess, sys, time
    from cornered.engine.compile.compiler import compile_each

    def compile_one(item):
        if item == "crash":
            os._exit(7)
        if item == "damaged":
            pickle.loads(b"")
        if item == "noise":
            print("a warning of a library")
        if item == "flood":
            print("x" * 300_000)
        if item == "process":
            print(os.nice(0), os.getsid(0) == os.getpid())
        if item == "hang":
            # It inherits the pipe, and would keep it open.
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            print("hanging", flush=True)
            time.sleep(600)

    if __name__ == "__main__":
        sys.exit(compile_each(sys.argv[1:], compile_one))
"""


@pytest.fixture(autouse=True)
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "compiling_for_tests.py").write_text(textwrap.dedent(PROGRAM))
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{tmp_path}")


async def done(*items: str, on_noise: Callable[[str], None] = lambda line: None) -> list[str]:
    async with asyncio.timeout(60):
        return [
            item async for item in compiled("compiling_for_tests", items, stderr=subprocess.DEVNULL, on_noise=on_noise)
        ]


async def test_items_are_done_once_and_in_their_order() -> None:
    assert await done("b", "a", "b", "c") == ["b", "a", "c"]


async def test_nothing_to_compile_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert await done() == []
    with pytest.raises(FileNotFoundError):
        await done("a")


@pytest.mark.parametrize("fault", ["crash", "damaged"])
async def test_an_item_that_fails_costs_no_other_item(fault: str) -> None:
    assert await done("a", fault, "b") == ["a", "b"]
    assert await done(fault, "damaged", "crash", "a", fault) == ["a"]


async def test_an_item_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "COMPILE_TIMEOUT_S", 3.0)
    assert await done("a", "hang", "b") == ["a", "b"]


async def test_other_lines_are_noise() -> None:
    noise: list[str] = []
    assert await done("noise", "a", on_noise=noise.append) == ["noise", "a"]
    assert noise == ["a warning of a library"]


async def test_a_line_longer_than_the_buffer_is_noise_too() -> None:
    assert await done("a", "flood", "b") == ["a", "flood", "b"]


async def test_the_process_is_nice_and_has_a_session_of_its_own() -> None:
    noise: list[str] = []
    await done("process", on_noise=noise.append)
    assert noise == [f"{min(19, os.nice(0) + COMPILER_NICENESS)} True"]


@pytest.mark.parametrize("how", ["cancelled", "closed"])
async def test_whatever_compiles_ends_with_its_reader(how: str) -> None:
    hangs = asyncio.Event()

    async def read() -> None:
        async with aclosing(compiled("compiling_for_tests", ("a", "hang"), on_noise=lambda line: hangs.set())) as items:
            async for _ in items:
                if how == "closed":
                    return

    reading = asyncio.create_task(read())
    # The pipe ends only with the last process that holds it, so a survivor would make this wait.
    async with asyncio.timeout(60):
        if how == "cancelled":
            await hangs.wait()
            reading.cancel()
        await asyncio.wait((reading,))
    assert reading.cancelled() == (how == "cancelled")


def test_all_items_are_tried_and_a_failure_shows_in_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "nice", lambda increment: None)
    known = ["a", "c"]
    assert compile_each(("a", "b", "c"), known.remove) == 1
    said = capsys.readouterr()
    assert said.out == "a\nc\n"
    assert said.err.startswith("b cannot be compiled\nTraceback")
    assert compile_each((), known.remove) == 0


def test_a_reader_that_is_gone_ends_the_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def write(self, text: str) -> None:
            raise BrokenPipeError

    compiled_items: list[str] = []
    monkeypatch.setattr(os, "nice", lambda increment: None)
    monkeypatch.setattr(sys, "stdout", Closed())
    assert compile_each(("a", "b"), compiled_items.append) == 0
    assert compiled_items == ["a"]


async def test_a_reader_that_is_cancelled_again_still_waits_for_the_process_to_end() -> None:
    is_hanging = asyncio.Event()

    async def read() -> None:
        async for _ in compiled("compiling_for_tests", ["hang"], on_noise=lambda line: is_hanging.set()):
            pass

    earlier = set(psutil.Process().children())
    reading = asyncio.create_task(read())
    async with asyncio.timeout(60):
        await is_hanging.wait()
    (program,) = set(psutil.Process().children()) - earlier
    while not reading.done():
        # As the end of a task group does, whose task was cancelled already.
        reading.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert not program.is_running()
