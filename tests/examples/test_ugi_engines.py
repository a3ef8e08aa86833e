"""The engine of examples/ in five languages: the same answers line by line, and games against each other."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Thread
from time import monotonic
from typing import Any

import pytest

from cornered import engine
from tests.cli.conftest import run
from tests.conftest import DEADLINE, IN_CI

# Serial in one process, which builds each engine once.
pytestmark = pytest.mark.xdist_group("engines")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BUILD_TIMEOUT_S = 120


@dataclass(frozen=True)
class Language:
    """How an engine is built and started; `{program}` is what the build makes."""

    source: str
    run: tuple[str, ...] = ("{program}",)
    build: tuple[str, ...] = ()
    may_lack: bool = False
    """Whether the toolchain may be missing where all others have to be there."""

    @property
    def tool(self) -> str:
        return (self.build or self.run)[0]


LANGUAGES = {
    "c": Language("ugi_engine.c", build=("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", "{program}", "{source}")),
    "go": Language("ugi_engine.go", build=("go", "build", "-o", "{program}", "{source}"), may_lack=True),
    "javascript": Language("ugi_engine.mjs", run=("node", "{source}")),
    "python": Language("ugi_engine.py", run=(sys.executable, "{source}")),
    "rust": Language(
        "ugi_engine.rs", build=("rustc", "--edition", "2021", "-O", "-D", "warnings", "-o", "{program}", "{source}")
    ),
}
COMPILED = ("c", "rust", "go")
SCRIPTS = ("javascript", "python")

INTRODUCTION = [
    "id author the authors of Cornered",
    "option name Game type combo default trapgrid var trapgrid",
    "ugiok",
]
SMALL = "setoption name size value 3"
WON = ["info depth 1 nodes 3 score mate 1 pv b2", "bestmove b2"]
OVER = "position startpos moves b3 c2 c3 b2"

EXCHANGES: list[tuple[str, list[str]]] = [
    ("isready", ["readyok"]),
    ("xyzzy", []),
    ("setoption name Game value trapgrid", []),
    ("query p1turn", ["response true"]),
    ("query p2turn", ["response false"]),
    ("query result", ["response none"]),
    ("go depth 2", ["info depth 1 nodes 3 score cp 0 pv a6", "info depth 2 nodes 9 score cp 0 pv a6", "bestmove a6"]),
    ("setoption name size value 5", []),
    ("position startpos moves b5", []),
    ("query p2turn", ["response true"]),
    (
        "go depth 2",
        ["info depth 1 nodes 3 score cp 0 pv e2", "info depth 2 nodes 9 score cp -100 pv e2", "bestmove e2"],
    ),
    ("go nodes 5", ["info depth 1 nodes 3 score cp 0 pv e2", "bestmove e2"]),
    ("go p1time 1 p2time 60000 p1inc 0 p2inc 1 depth 1", ["info depth 1 nodes 3 score cp 0 pv e2", "bestmove e2"]),
    ("position fen x.0/..x/.1x 0 moves b3", []),
    ("query p2turn", ["response true"]),
    ("go depth 9", WON),
    ("go infinite", WON[:-1]),
    ("stop", WON[-1:]),
    ("uginewgame", []),
    (SMALL, []),
    (OVER, []),
    ("query gameover", ["response true"]),
    ("query result", ["response p2win"]),
    ("query p1turn", ["response false"]),
    ("go movetime 1000", ["bestmove none"]),
    ("stop", []),
]


def command(name: str, folder: Path) -> list[str]:
    """Return the command of an engine, built in `folder`; skip the test where the toolchain is missing."""
    language, program = LANGUAGES[name], folder / name
    if shutil.which(language.tool) is None:
        if IN_CI and not language.may_lack:
            pytest.fail(f"{language.tool}, which builds the engine in {name}, is not installed")
        pytest.skip(f"{language.tool} is not installed")
    names = {"program": str(program), "source": str(EXAMPLES / language.source)}
    if language.build and not program.exists():
        words = [word.format(**names) for word in language.build]
        subprocess.run(words, check=True, timeout=BUILD_TIMEOUT_S, cwd=folder)
    return [word.format(**names) for word in language.run]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engines")


class Talk:
    """A running engine. What it writes is read with a deadline; the times in it are left out."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._lines: Queue[str] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(re.sub(r" time \d+", "", line.rstrip("\n")))
        self._lines.put("end of the output")

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def hear(self) -> str:
        return self._lines.get(timeout=DEADLINE)

    def hear_until(self, word: str) -> list[str]:
        heard = [self.hear()]
        while heard[-1].split(" ")[0] not in (word, "end"):
            heard.append(self.hear())
        return heard

    def end(self) -> int:
        """Close the input and return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(DEADLINE)


@pytest.fixture(params=LANGUAGES)
def talk(request: pytest.FixtureRequest, folder: Path) -> Iterator[Talk]:
    talk = Talk(command(request.param, folder))
    yield talk
    talk.process.kill()
    # Closes the pipes.
    talk.process.__exit__(None, None, None)


def test_every_line_gets_the_same_answer_in_every_language(talk: Talk) -> None:
    talk.say("ugi")
    assert talk.hear().startswith("id name Steps in ")
    assert [talk.hear() for _ in INTRODUCTION] == INTRODUCTION
    for line, answers in EXCHANGES:
        talk.say(line)
        assert [talk.hear() for _ in answers] == answers, line
    talk.say("quit")
    assert talk.hear() == "end of the output"
    assert talk.process.wait(DEADLINE) == 0


def test_the_board_of_four_is_a_loss_for_the_first_player_in_every_language(talk: Talk) -> None:
    talk.say("setoption name size value 4", "position startpos", "go depth 30")
    assert talk.hear_until("bestmove")[-2:] == ["info depth 14 nodes 3929 score mate -14 pv a3", "bestmove a3"]


def test_a_search_without_end_is_ready_and_ends_at_stop(talk: Talk) -> None:
    talk.say("position startpos", "go infinite", "isready")
    assert talk.hear_until("readyok")[-1] == "readyok"
    talk.say("stop")
    state = engine.load("trapgrid").start()
    assert state.is_legal(talk.hear_until("bestmove")[-1].removeprefix("bestmove "))
    talk.say("query gameover")
    assert talk.hear() == "response false"


def test_the_time_of_a_search_is_honoured(talk: Talk) -> None:
    talk.say("isready")
    assert talk.hear() == "readyok"
    for limit in ("movetime 60", "p1time 600 p2time 1 p1inc 60", "movetime 60 p1time 3600000"):
        began = monotonic()
        talk.say("position startpos", f"go {limit}")
        assert len(talk.hear_until("bestmove")) > 3
        assert 0.055 < monotonic() - began < DEADLINE


def test_the_end_of_the_input_ends_a_search_and_the_engine(talk: Talk) -> None:
    talk.say("go infinite", "isready")
    talk.hear_until("readyok")
    assert talk.end() == 0


def words_of(folder: Path) -> dict[str, str]:
    """Return the bot words of the engines whose toolchains are there; in CI those that must be."""
    there = {name: one for name, one in LANGUAGES.items() if shutil.which(one.tool) or (IN_CI and not one.may_lack)}
    return {name: f"exec:{shlex.join(command(name, folder))}" for name in there}


def contest(*arguments: str) -> Any:
    done = run(*arguments, "--game", "trapgrid", "-o", "size=5", "--nodes", "200", "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_all_of_them_play_each_other_by_the_rules(folder: Path, tmp_path: Path) -> None:
    words = list(words_of(folder).values())
    standings = contest("tournament", *words, "--games", "2", "--out", str(tmp_path / "all"))
    assert standings["games"] == len(words) * (len(words) - 1)
    assert standings["endings"] == {"rules": standings["games"]}
    assert standings["faults"] == []


def test_engines_of_two_languages_play_a_match_move_for_move_alike(folder: Path) -> None:
    words = words_of(folder)
    compiled, interpreted = (next(words[name] for name in some if name in words) for some in (COMPILED, SCRIPTS))
    match = contest("match", compiled, interpreted, "--games", "4")
    assert match["standings"]["games"] == 4
    assert (match["wins"], match["draws"], match["losses"]) == (2, 0, 2)
    assert match["standings"]["endings"] == {"rules": 4}
