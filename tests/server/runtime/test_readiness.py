"""A game that is being compiled delays only the requests for it."""

from __future__ import annotations

import asyncio
import pickle
import runpy
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.app import run
from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import Patience
from cornered.server.metrics import Counts
from cornered.server.refusal import Refusal
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.readiness import Readiness
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.server.runtime.observer import Recorder

PLAYERS = (Player(id="ann", name="Ann", kind="person"), Player(id="ben", name="Ben", kind="person"))
MADE = MatchMade("m", GameSpec(name="trapgrid", options={"size": 4}), PLAYERS, NO_CLOCK, private=False, delay=0)


async def turns(count: int = 20) -> None:
    """Let all other runnable tasks run."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_a_match_begins_when_its_game_is_ready() -> None:
    readiness = Readiness()
    readiness.expect_all()
    services = Services(MemoryJournal(), LocalBus(node="here"), Counts(), lambda: 1, readiness)
    recorder = Recorder()
    async with asyncio.TaskGroup() as tasks:
        registry = MatchRegistry(services, b"", Patience(), tasks, recorder)
        opening = tasks.create_task(registry.open_new(MADE))
        await turns()
        assert not opening.done()
        assert "trapgrid" in readiness.missing
        await readiness.prepare()
        assert readiness.missing == ()
        assert (await opening).match.id == MADE.match
        assert recorder.opened == [MADE.match]
        await registry.close()


async def test_a_wait_for_a_game_ends_when_the_server_stops() -> None:
    readiness = Readiness()
    readiness.expect_all()
    waiting = asyncio.ensure_future(readiness.of("quoridor"))
    await turns()
    readiness.close()
    with pytest.raises(Refusal) as refusal:
        await waiting
    assert refusal.value.code == "shutting_down"


async def test_without_a_preparation_there_is_no_wait() -> None:
    readiness = Readiness()
    async with asyncio.timeout(60):
        await readiness.of("trapgrid")
        await readiness.of_catalogue()
    assert readiness.missing == ()


async def test_rules_that_cannot_be_compiled_beforehand_refuse_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    readiness = Readiness()
    readiness.expect_all()
    monkeypatch.setattr("cornered.server.runtime.readiness.is_warm", lambda game: False)
    monkeypatch.setattr("cornered.server.runtime.readiness.sys.executable", "/nowhere/python")
    await readiness.prepare()
    assert readiness.missing == ()


async def test_a_game_that_cannot_be_loaded_keeps_no_other_one_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [kind.name for kind in engine.games()]
    loaded: list[str] = []
    monkeypatch.setattr("cornered.server.runtime.readiness.is_warm", lambda game: True)
    for fault in (EOFError("Ran out of input"), pickle.UnpicklingError("truncated"), KeyError("x")):

        def load(game: str, fault: Exception = fault) -> None:
            loaded.append(game)
            if game == names[0]:
                raise fault

        monkeypatch.setattr("cornered.server.runtime.readiness.warm", load)
        loaded.clear()
        readiness = Readiness()
        readiness.expect_all()
        await readiness.prepare()
        assert loaded == names
        assert readiness.missing == ()


async def test_a_stray_line_of_the_compiling_process_is_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [kind.name for kind in engine.games()]
    loaded: list[str] = []
    compiler = tmp_path / "compiler"
    lines = ("a warning of a library", r"\377", "catalogue", *names)
    compiler.write_text("#!/bin/sh\n" + "".join(f"printf '{line}\\n'\n" for line in lines))
    compiler.chmod(0o755)
    monkeypatch.setattr("cornered.server.runtime.readiness.is_warm", lambda game: False)
    monkeypatch.setattr("cornered.server.runtime.readiness.warm", loaded.append)
    monkeypatch.setattr("cornered.server.runtime.readiness.sys.executable", str(compiler))
    readiness = Readiness()
    readiness.expect_all()
    await readiness.prepare()
    assert loaded == names
    assert readiness.missing == ()
    said = capsys.readouterr()
    assert (said.out + said.err).count("a warning of a library") == 1


async def test_the_server_says_when_it_is_ready_for_every_game(tmp_path: Path) -> None:
    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"{address}/ready", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    limits: dict[str, Any] = {
        f"{who}_{what}": 1e9 for who in ("message", "address", "server") for what in ("rate", "burst")
    }
    settings = Settings(port=0, database=MEMORY_DATABASE, data=tmp_path, log_level="error", **limits)
    async with asyncio.timeout(120), run(settings, beforehand=True) as address:
        while (answer := await asyncio.to_thread(ask))[0] != 200:
            assert answer[0] == 503
            assert answer[1].startswith("compiling ")
        assert answer[1] == "ready\n"


@pytest.mark.filterwarnings("ignore:.*readiness.* found in sys.modules:RuntimeWarning")
def test_the_compiling_process_names_what_is_done_and_a_game_that_fails_keeps_no_other_one_waiting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module, names = "cornered.server.runtime.readiness", [kind.name for kind in engine.games()]
    monkeypatch.setattr(sys, "argv", [module, "catalogue", *names])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.split() == ["catalogue", *names]
    command = [sys.executable, "-m", module, "catalogue", "no game", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.split() == ["catalogue", *names]
    assert "no game" in done.stderr
