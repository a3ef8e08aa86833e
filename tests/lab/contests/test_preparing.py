"""Bots are compiled before workers start, and loaded before a clock runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.pool.warming import Preparation, is_warm
from cornered.bots.roster import create
from cornered.engine import Game, State
from cornered.engine.compile import compiler
from cornered.engine.compile.compiler import COMPILE_TIMEOUT_S
from cornered.engine.progress import Progress, no_report
from cornered.lab.contests import preparing
from cornered.lab.contests.preparing import ensure_prepared, prepare
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.execution import heartbeat

SMALL = ContestTerms.of("trapgrid", {"size": 4})
ON_A_CLOCK = ContestTerms.of("trapgrid", {"size": 4}, time=100)


@pytest.fixture(autouse=True)
def liveness() -> Iterator[None]:
    """Restore the process's heartbeat after the test."""
    before = heartbeat.current()
    yield
    heartbeat.install(before)


def compiling_with(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Replace the compiling program; its arguments are the game and the bots."""
    original = subprocess.Popen

    def start(command: Sequence[str], **named: Any) -> subprocess.Popen[str]:
        assert [*command[:3]] == [sys.executable, "-m", "cornered.bots.pool.warming"]
        return original([sys.executable, "-c", program, *command[3:]], **named)

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(preparing, "is_warm", lambda wanted: False)


def test_what_is_compiled_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "is_warm", lambda wanted: True)
    steps: list[Progress] = []
    monkeypatch.setattr(subprocess, "Popen", None)
    prepare(SMALL, ["greedy", "random"], steps.append)
    assert steps == []


def test_how_far_compiling_is_gets_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    compiling_with(monkeypatch, "import sys; print('greedy'); print(*sys.argv[2:], sep='\\n')")
    steps: list[Progress] = []
    prepare(SMALL, ["random", "champion", "greedy", "random"], steps.append)
    step = "compiling for trapgrid, once on this machine"
    assert steps == [Progress(step, done, 3) for done in range(4)]


def test_a_bot_that_ends_the_compiling_process_costs_the_others_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program = """
import os, sys
print("greedy", flush=True)
for spec in sys.argv[2:]:
    if spec == "deadly":
        os._exit(1)
    if spec != "failing":
        print(spec, flush=True)
"""
    compiling_with(monkeypatch, program)
    steps: list[Progress] = []
    prepare(SMALL, ["a", "failing", "b", "deadly", "c"], steps.append)
    assert [progress.done for progress in steps] == [0, 1, 2, 3]
    assert [isinstance(record.args, tuple) and record.args[0] for record in caplog.records] == ["failing", "deadly"]


def test_a_bot_that_hangs_while_it_is_compiled_is_given_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program = """
import sys, threading
for spec in sys.argv[2:]:
    if spec == "hanging":
        threading.Event().wait()
    print(spec, flush=True)
"""
    compiling_with(monkeypatch, program)
    monkeypatch.setattr(compiler, "COMPILE_TIMEOUT_S", 1.0)
    prepare(SMALL, ["a", "hanging", "b"], no_report)
    assert [isinstance(record.args, tuple) and record.args[0] for record in caplog.records] == ["hanging"]


def test_the_compiling_process_really_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "is_warm", lambda wanted: False)
    steps: list[Progress] = []
    prepare(SMALL, ["random"], steps.append)
    assert [(progress.done, progress.total) for progress in steps] == [(0, 1), (1, 1)]
    monkeypatch.undo()
    assert is_warm(Preparation("random", "trapgrid"))


class Heartbeats(heartbeat.LivenessReporter):
    """Records heartbeats."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, float | None]] = []

    def begin(self, errand: int, place: int, within: float | None) -> None:
        raise AssertionError("no batch is carried out here")

    def beat(self, words: str, within: float | None) -> None:
        self.heard.append((words, within))

    def rest(self) -> None:
        raise AssertionError("no batch is carried out here")


class Fickle(Bot):
    """Fails to prepare, and counts the attempts."""

    name = "fickle"
    description = "For tests."
    prepared: ClassVar[list[Game]] = []

    def prepare(self, game: Game) -> None:
        self.prepared.append(game)
        raise RuntimeError("not today")

    def choose(self, state: State, limit: Limit) -> Thought:
        raise AssertionError("no clock runs")


@pytest.fixture
def fickle(monkeypatch: pytest.MonkeyPatch) -> list[Game]:
    """Register the bot `fickle`; return the games for which it was prepared."""
    monkeypatch.setattr(preparing, "create", lambda spec: Fickle() if spec == "fickle" else create(spec))
    Fickle.prepared.clear()
    return Fickle.prepared


def test_a_bot_is_loaded_once_for_each_game_and_may_fail(fickle: list[Game]) -> None:
    for number in range(3):
        ensure_prepared(SMALL, Fixture(number, ("fickle", "random")))
    assert fickle == [SMALL.load()]
    larger = ContestTerms.of("trapgrid", {"size": 5})
    ensure_prepared(larger, Fixture(3, ("random", "fickle")))
    assert fickle == [SMALL.load(), larger.load()]


def test_on_a_clock_bots_are_tried_out_once_whatever_their_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Preparation] = []

    def fail(wanted: Preparation) -> None:
        tried.append(wanted)
        raise RuntimeError("not today")

    monkeypatch.setattr(preparing, "exercise", fail)
    monkeypatch.setattr(preparing, "is_warm", lambda wanted: True)
    monkeypatch.setattr(preparing, "create", lambda spec: create("random"))
    monkeypatch.setattr(preparing, "is_of_roster", lambda spec: True)
    ensure_prepared(SMALL, Fixture(0, ("greedy", "random")))
    assert tried == []
    # What a process has tried out it remembers; no other test knows these names.
    for first in ("able:level=1", "able:level=2"):
        ensure_prepared(ON_A_CLOCK, Fixture(1, (first, "other")))
    assert tried == [Preparation("able:level=1", "trapgrid"), Preparation("other", "trapgrid")]


def test_it_is_told_whose_bot_is_being_loaded() -> None:
    reporter = Heartbeats()
    heartbeat.install(reporter)
    ensure_prepared(SMALL, Fixture(0, ("greedy", "random"), ("a3", "d2")))
    assert reporter.heard == [
        ("preparing 0 a3 d2", COMPILE_TIMEOUT_S),
        ("preparing 1 a3 d2", COMPILE_TIMEOUT_S),
        ("", None),
    ]


def test_an_uncompiled_bot_is_tried_only_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Preparation] = []
    monkeypatch.setattr(preparing, "exercise", tried.append)
    monkeypatch.setattr(preparing, "is_warm", lambda wanted: False)
    monkeypatch.setattr(preparing, "create", lambda spec: create("random"))
    monkeypatch.setattr(preparing, "is_of_roster", lambda spec: True)
    ensure_prepared(ON_A_CLOCK, Fixture(0, ("near", "near")))
    assert tried == []
    heartbeat.install(heartbeat.Alarm())
    try:
        ensure_prepared(ON_A_CLOCK, Fixture(0, ("far", "far")))
    finally:
        heartbeat.current().rest()
    assert tried == [Preparation("far", "trapgrid")]
