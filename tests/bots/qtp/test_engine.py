"""The program's side of the Quoridor Text Protocol, and `cornered engine --protocol qtp` over its pipes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.qtp.engine import QtpEngine
from cornered.bots.roster import create
from cornered.engine import State


class Broken(Bot):
    name = "broken"
    description = "Broken."

    def choose(self, state: State, limit: Limit) -> Thought:
        raise RuntimeError("out of\nideas")


def told(*lines: str, bot: Bot | None = None) -> list[str]:
    """Return what a program answers to these lines."""
    said: list[str] = []
    answering = QtpEngine(create("greedy", 1) if bot is None else bot, said.append, lambda: Limit(time=2000, depth=1))
    for line in lines:
        answering.handle(line)
    return said


SMALL = ("boardsize 5", "clear_board", "walls 3")


def test_a_command_gets_the_answer_of_the_specification() -> None:
    answers = {
        "name": "= Cornered greedy\n\n",
        "known_command genmove": "= true\n\n",
        "known_command komi": "= false\n\n",
        "boardsize 7": "=\n\n",
        "boardsize 4": "? unacceptable size\n\n",
        "boardsize": "? syntax error\n\n",
        "boardsize ²": "? syntax error\n\n",
        "walls 21": "? unacceptable number of walls\n\n",
        "playmove black C4": "=\n\n",
        "playmove white C2": "=\n\n",
        "playmove b c4 # forward\r": "=\n\n",
        "playmove black C3": "? illegal move\n\n",
        "playmove black A9": "? syntax error\n\n",
        "playmove red C4": "? syntax error\n\n",
        "playmove black": "? syntax error\n\n",
        "playwall white C5 horizontal": "=\n\n",
        "playwall white E5 h": "? illegal move\n\n",
        "playwall white C5": "? syntax error\n\n",
        "genmove red": "? syntax error\n\n",
        "undo": "? cannot undo\n\n",
        "winner": "= false\n\n",
        "komi 6.5": "? unknown command\n\n",
        "quit": "=\n\n",
    }
    assert {line: told(*SMALL, line)[3:] for line in answers} == {line: [answer] for line, answer in answers.items()}


def test_comments_and_empty_lines_get_no_answer() -> None:
    assert told("", "   ", "# hello", "\x07") == []


def test_all_commands_are_listed_one_a_line() -> None:
    [listed] = told("list_commands")
    names = listed.removeprefix("= ").split()
    assert listed.endswith("\n\n")
    assert all(told(f"known_command {name}") == ["= true\n\n"] for name in names)
    assert {"genmove", "playmove", "playwall", "undo", "winner", "showboard"} <= set(names)


def test_a_wall_stands_where_the_referee_puts_it() -> None:
    blocked = told(*SMALL, "playwall white C5 horizontal", "playmove black C4", "playmove black D5")
    assert blocked[4:] == ["? illegal move\n\n", "=\n\n"]
    assert told(*SMALL, "playwall white C5 vertical", "playmove black D5")[4:] == ["? illegal move\n\n"]


def test_a_colour_may_move_twice_in_a_row_and_win() -> None:
    moves = [f"playmove black {cell}" for cell in ("C4", "C3", "B3", "B2", "B1")]
    assert told(*SMALL, *moves, "winner", "genmove white", "undo 2", "winner", "undo 4")[8:] == [
        *("= true black\n\n", "? the game is over\n\n", "=\n\n", "= false\n\n", "? cannot undo\n\n"),
    ]


def test_a_generated_move_is_played() -> None:
    said = told(*SMALL, "genmove black", "undo", "undo")
    assert said[3] == "= C4\n\n"
    assert said[4:] == ["=\n\n", "? cannot undo\n\n"]
    assert told(*SMALL, "genmove white")[3] == "= C2\n\n"


def test_the_board_is_drawn_with_its_coordinates() -> None:
    [*_, board] = told(*SMALL, "playwall black B2 h", "playwall white A5 v", "showboard")
    assert board.splitlines()[2:] == [
        " 5  . H .   B   .   .   5",
        " 4  . H .   .   .   .   4",
        " 3  .   .   .   .   .   3",
        " 2  .   .   .   .   .   2",
        "       === ===",
        " 1  .   .   W   .   .   1",
        "    A   B   C   D   E",
        "walls left: black 2, white 2",
        "",
    ]


def test_a_bot_that_fails_is_an_error_and_one_of_another_game_is_refused() -> None:
    assert told("genmove black", "playmove black E8", bot=Broken()) == ["? out of ideas\n\n", "=\n\n"]
    with pytest.raises(ValueError, match="does not play quoridor"):
        told(bot=create("perfect"))


def test_the_command_line_answers_until_quit() -> None:
    command = [sys.executable, "-m", "cornered", "engine", "greedy", "--protocol", "qtp", "--time", "0.5"]
    lines = "boardsize 5\nclear_board\nwalls 0\ngenmove black\nwinner\nquit\nname\n"
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "=\n\n" * 3 + "= C4\n\n= false\n\n=\n\n")
