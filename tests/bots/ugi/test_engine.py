"""The engine's side of the Universal Game Interface, and `cornered engine` over its pipes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from cornered import engine
from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.roster import create
from cornered.bots.ugi.engine import Engine
from cornered.engine import State


class SlowBot(Bot):
    """Searches until it is released, as a bot does that cannot be interrupted."""

    name = "slow"
    description = "Slow."
    released = threading.Event()

    def choose(self, state: State, limit: Limit) -> Thought:
        self.released.wait(30)
        return Thought(state.moves()[-1])


def told(*lines: str, bot: Callable[[], Bot] = lambda: create("greedy")) -> list[str]:
    """Return what an engine answers to these lines, its last search included."""
    said: list[str] = []
    answering = Engine(bot, said.append)
    for line in lines:
        answering.handle(line)
    answering.wait()
    return said


def test_it_introduces_itself_with_the_games_that_it_plays() -> None:
    said = told("ugi", "isready")
    assert said[0] == "id name Cornered greedy"
    assert "var quoridor" in next(line for line in said if line.startswith("option name Game type combo"))
    assert said[-2:] == ["ugiok", "readyok"]
    assert "var quoridor" not in " ".join(told("ugi", bot=lambda: create("perfect")))


def test_game_options_and_moves_make_the_position() -> None:
    said = told(
        *("setoption name size value 5", "position startpos moves b5", "query p2turn", "query p1turn"),
        *("query gameover", "query result", "go depth 1"),
    )
    assert said[:4] == ["response true", "response false", "response false", "response none"]
    state = engine.load("trapgrid", size=5).start().play("b5")
    assert state.is_legal(said[-1].removeprefix("bestmove "))


def test_a_finished_game_has_a_result_and_no_move() -> None:
    said = told(
        *("setoption name size value 3", "position startpos moves b3 c2 c3 b2", "query result", "query gameover", "go"),
    )
    assert said == ["response p2win", "response true", "info string the game is over", "bestmove none"]


def test_dice_are_moves_and_nobody_moves_before_they_are_rolled() -> None:
    asked = ("setoption name Game value isolation", "setoption name dice value true")
    assert told(*asked, "position startpos moves d4 a1", "go") == [
        "info string the dice have to be rolled",
        "bestmove none",
    ]
    assert told(*asked, "position startpos moves d4 a1 2", "go depth 1")[-1].startswith("bestmove ")


def test_what_is_wrong_is_told_as_info_and_the_engine_goes_on(subtests: pytest.Subtests) -> None:
    for line, complaint in (
        ("setoption name Game value chess", "no game 'chess'"),
        ("setoption name size value 99", "size"),
        ("position startpos moves d9", "'d9' is not legal"),
        ("position fen nonsense", ""),
        ("position", "a position is"),
        ("query weather", "no query 'weather'"),
        ("go movetime soon", "takes a whole number"),
    ):
        with subtests.test(line):
            said = told(line, "isready")
            assert said[-1] == "readyok"
            assert any(one.startswith("info string ") and complaint in one for one in said)
    assert told("xyzzy", "", "debug on") == [], "unknown lines are ignored"


def test_stop_ends_a_search_without_end_at_once() -> None:
    said: list[str] = []
    answering = Engine(lambda: create("champion"), said.append)
    answering.handle("setoption name Game value quoridor")
    answering.handle("isready")
    answering.handle("go infinite")
    answering.handle("isready")
    assert said == ["readyok", "readyok"]
    answering.handle("stop")
    assert said[-1].startswith("bestmove ")
    answering.handle("stop")
    answering.handle("go depth 2")
    answering.wait()
    assert sum(line.startswith("bestmove ") for line in said) == 2


def test_a_bot_that_cannot_be_interrupted_is_stood_in_for() -> None:
    said: list[str] = []
    answering = Engine(SlowBot, said.append)
    answering.handle("go movetime 10")
    answering.handle("stop")
    assert said == ["bestmove a6"]
    SlowBot.released.set()
    answering.handle("go")
    answering.wait()
    assert said[-1] == "bestmove b7"


def test_a_whole_game_over_the_pipes_of_cornered_engine() -> None:
    command = [sys.executable, "-m", "cornered", "engine"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def ask(*lines: str, until: str) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(f"{line}\n" for line in lines))
            process.stdin.flush()
            return next(line for line in process.stdout if line.startswith(until)).strip()

        ask("ugi", until="ugiok")
        ask("setoption name Game value trapgrid", "setoption name size value 4", "isready", until="readyok")
        state, moves = engine.load("trapgrid", size=4).start(), list[str]()
        while ask(f"position startpos moves {' '.join(moves)}", "query gameover", until="response") == "response false":
            clocks = "p1time 2000 p2time 2000 p1inc 10 p2inc 10"
            moves.append(ask(f"go {clocks}", until="bestmove ").split()[1])
            state = engine.apply(state, moves[-1])
        assert state.outcome is not None
        assert state.outcome.winner is not None
        assert ask("query result", until="response") == f"response p{state.outcome.winner + 1}win"
        process.stdin.write("quit\n")
        process.stdin.flush()
        assert process.wait(10) == 0
