"""`qtp:COMMAND`: a Quoridor program as a bot, from any position, and what happens when it fails."""

from __future__ import annotations

import random
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.qtp.program import QtpBot
from cornered.bots.roster import create
from cornered.bots.ugi.command import quit_idle
from cornered.bots.ugi.process import EngineFailed
from cornered.engine import IllegalMove, State
from cornered.lab.contests.arena import play
from cornered.lab.contests.terms import ContestTerms, Fixture
from tests.bots.scenes import random_game

CORNERED = shlex.join([sys.executable, "-m", "cornered", "engine", "greedy", "--protocol", "qtp"])
TERMS = ContestTerms.of("quoridor", {"size": 5, "max_plies": 100}, time=5000)
START = TERMS.load().start()

SCRIPT = """
import os, sys, time
told = open(sys.argv[1], "a", buffering=1)
for line in sys.stdin:
    words = line.split()
    told.write(line)
    if words[0] == "genmove":
        GO
    elif words[0] == "boardsize" and words[1] == "3":
        print("? unacceptable size\\n", flush=True)
    else:
        print("# a comment\\n\\n=\\n", flush=True)
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs may take a busy machine's time to start and to answer."""
    for name in ("START_TIMEOUT_S", "ANSWER_TIMEOUT_S"):
        monkeypatch.setattr(f"cornered.bots.qtp.program.{name}", 60.0)


def script(folder: Path, go: str) -> str:
    """Return the word of a program that answers `genmove` by this statement, and logs what it is told."""
    path = folder / "program.py"
    path.write_text(SCRIPT.replace("GO", go))
    return f"qtp:{shlex.join([sys.executable, str(path), str(folder / 'told')])}"


def told(folder: Path) -> list[str]:
    return (folder / "told").read_text().splitlines()


@pytest.fixture(scope="module", autouse=True)
def programs_end() -> Iterator[None]:
    yield
    quit_idle()


def test_it_plays_whole_games_on_both_sides() -> None:
    for players in ((f"qtp:{CORNERED}", "random"), ("random", f"qtp:{CORNERED}")):
        assert play(TERMS, Fixture(0, players)).ending == "rules"


def greedy_moves(state: State) -> set[str]:
    """Return the moves that greedy finds equally good: it chooses among them at random."""
    return {create("greedy", seed).choose(state, Limit(time=20_000)).move for seed in range(12)}


def test_any_position_is_set_up_as_it_is() -> None:
    bot, chance = create(f"qtp:{CORNERED}"), random.Random(5)
    for _ in range(12):
        state = random_game(engine.load("quoridor", size=5), chance, chance.randrange(5, 15))[-1]
        assert bot.choose(state, Limit(time=20_000)).move in greedy_moves(state)


def test_a_game_is_told_move_by_move_and_another_one_from_its_start(tmp_path: Path) -> None:
    bot = create(script(tmp_path, "print('= C4\\n' if told.tell() < 60 else '= C3\\n', flush=True)"))
    first = bot.choose(START, Limit(time=20_000))
    assert first.move == "c2"
    after = START.play("c2").play("d4v")
    assert bot.choose(after, Limit(time=20_000)).move == "c3"
    assert told(tmp_path) == [
        *("name", "boardsize 5", "clear_board", "walls 5", "genmove black"),
        *("playwall white D2 vertical", "genmove black"),
    ]
    with pytest.raises(IllegalMove):
        bot.choose(START.play("b1").play("c4"), Limit(time=20_000))
    assert told(tmp_path)[7:] == [
        *("boardsize 5", "clear_board", "walls 5", "playmove black B5", "playmove white C2", "genmove black"),
    ]


def test_walls_are_put_up_by_who_has_fewer_left(tmp_path: Path) -> None:
    state = START
    for move in ("a1h", "b4", "c1h", "a4v", "b1"):
        state = state.play(move)
    bot = create(script(tmp_path, "print('= C3\\n', flush=True)"))
    with pytest.raises(IllegalMove):
        bot.choose(state, Limit(time=20_000))
    assert [line.split()[1] for line in told(tmp_path) if line.startswith("playwall")] == ["black", "black", "white"]


def test_a_program_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    bot = create(script(tmp_path, "time.sleep(100)"))
    bot.prepare(START.game)
    assert isinstance(bot, QtpBot)
    pid = bot.running().process.pid
    with pytest.raises(EngineFailed, match="did not answer `genmove`"):
        bot.choose(START, Limit(time=200))
    assert not psutil.pid_exists(pid)


def test_a_wrong_answer_is_a_failure_with_a_text(tmp_path: Path) -> None:
    cases: tuple[tuple[str, type[Exception], str], ...] = (
        ("print('? no idea\\n', flush=True)", EngineFailed, "gives no move: no idea"),
        ("print('= pass\\n', flush=True)", EngineFailed, "answered `genmove` by 'pass'"),
        ("print('=\\n', flush=True)", EngineFailed, "answered `genmove` by ''"),
        ("print('= A1\\n', flush=True)", IllegalMove, "'a5' is not legal"),
    )
    for number, (go, failure, text) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(failure, match=text):
            create(script(folder, go)).choose(START, Limit(time=20_000))


def test_other_games_and_boards_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    word = script(tmp_path, "os._exit(3)")
    with pytest.raises(ValueError, match="does not play"):
        ContestTerms.of("trapgrid", time=100).check(word)
    assert not create(word).plays(engine.load("quoridor", players=4))
    with pytest.raises(ValueError, match="for two players"):
        create(word).choose(engine.load("quoridor", players=4).start(), Limit(time=20_000))
    with pytest.raises(ValueError, match="unacceptable size"):
        create(word).prepare(engine.load("quoridor", size=3))
    with pytest.raises(ValueError, match=r"there is no program './nothing'"):
        create("qtp:./nothing --fast")
    with pytest.raises(ValueError, match=r"as in qtp:\./engine"):
        create("qtp:")
