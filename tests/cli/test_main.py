"""The command line: one line for every error, a reliable exit code, and no tracebacks."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cornered.cli.house_process import HEALTHY_AFTER_S, RESTART_DELAYS_S, keep_house_bots, next_start
from tests.cli.conftest import run
from tests.conftest import program_group

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "cornered")


def test_the_start_of_a_command_loads_neither_the_messages_nor_what_computes() -> None:
    heavy = {"pydantic", "websockets", "numpy", "numba", "sqlalchemy", "aiohttp"}
    code = f"import sys, cornered.cli.main; print(*({heavy} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert loaded.split() == []


def in_a_process(home: Path, *arguments: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=os.environ | {"CORNERED_DATA": str(home), "XDG_DATA_HOME": str(home)} | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As in a terminal, the command's own processes receive the interrupt too, and no others.
        start_new_session=True,
    )


def test_check_names_what_it_cannot_read(tmp_path: Path) -> None:
    binary = tmp_path / "program"
    binary.write_bytes(b"\x7fELF\xd0\xff")
    for path in (tmp_path, binary, tmp_path / "missing"):
        result = run("check", str(path))
        assert result.exit_code == 2
        assert result.stderr.startswith(f"cornered: {path}:")


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyError("a fault")

    monkeypatch.setattr("cornered.engine.games", fail)
    assert isinstance(run("games").exception, KeyError)


def test_a_complaint_after_an_interrupt_is_the_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("cornered.engine.games", fail)
    assert run("games").exit_code == 130


def test_a_taken_port_and_a_wrong_host_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A server that ends gives its process some seconds to end too.
    monkeypatch.setattr(threading, "Timer", lambda *_: threading.Thread())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        wrong = {
            ("--port", str(port)): f"127.0.0.1:{port} is in use; choose another with --port",
            ("--port", "0", "--host", "192.0.2.1"): "192.0.2.1:0 is no address of this machine",
        }
        for given, said in wrong.items():
            where = {"CORNERED_DATA": str(tmp_path), "CORNERED_DATABASE": "memory", "CORNERED_LOG_LEVEL": "error"}
            result = run("serve", "--no-bots", *given, **where)
            assert result.exit_code == 2
            assert f"cornered: the server cannot start: {said}" in result.stderr


def test_screens_are_not_drawn_where_no_key_can_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdin__", io.StringIO())
    for command in ("play", "watch"):
        result = run(command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("cornered: screens need a terminal; with --plain ")


def test_a_reader_that_goes_away_ends_a_command_without_a_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_bots_say_once_that_no_server_answers_and_end_with_an_interrupt(tmp_path: Path) -> None:
    said: list[str] = []
    with program_group(in_a_process(tmp_path, "bot", "random", "greedy", "--server", "ws://127.0.0.1:1")) as process:
        assert process.stderr is not None
        while not said or not said[-1].startswith("no server"):
            said.append(process.stderr.readline())
            assert said[-1], "it ended"
        os.killpg(process.pid, signal.SIGINT)
        _, rest = process.communicate(timeout=60)
    said += rest.splitlines(keepends=True)
    assert said.count("no server answers at ws://127.0.0.1:1; trying again\n") == 1
    # On a new machine the bots also print that they compile.
    assert all(line.startswith("compiling what bots need") for line in said if not line.startswith("no server"))
    assert process.returncode == 130


def test_a_command_ends_with_its_exit_code_and_names_itself_as_users_know_it() -> None:
    codes = {}
    for words in (("bot", "--help"), ("bot", "random", "--server", "ws://")):
        done = subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True, check=False)
        codes[done.returncode] = done.stdout + done.stderr
    assert "Usage: cornered bot" in codes[0]
    assert codes[2].startswith("cornered: ")


def test_house_bots_that_were_well_start_again_soon() -> None:
    waits, deaths = [], 0
    for lived in (1, 1, 1, 1, 1, 1, HEALTHY_AFTER_S, 1):
        wait, deaths = next_start(deaths, lived)
        waits.append(wait)
    assert waits == [*RESTART_DELAYS_S, RESTART_DELAYS_S[-1], *RESTART_DELAYS_S[:2]]


async def test_house_bots_get_the_key_of_analysts_in_their_environment_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told, program = tmp_path / "told", tmp_path / "program"
    os.mkfifo(told)
    program.write_text(f'#!/bin/sh\necho "$CORNERED_ANALYST_KEY $*" > {told}\ncat\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    keeping = asyncio.ensure_future(
        keep_house_bots(["random"], "ws://127.0.0.1:1", tmp_path / "who", analyse="random", analyst_key="k" * 30)
    )
    reader = asyncio.StreamReader()
    # Open for writing too, a pipe does not end while nothing has written to it yet.
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader),
        os.fdopen(os.open(told, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0),
    )
    async with asyncio.timeout(60):
        key, arguments = (await reader.readline()).decode().split(" ", 1)
    pipe.close()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert key == "k" * 30
    assert "kkk" not in arguments
