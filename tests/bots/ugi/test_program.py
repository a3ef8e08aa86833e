"""`exec:COMMAND`: a program as a bot, and what happens when it dies, hangs or answers with something else."""

from __future__ import annotations

import logging
import os
import shlex
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.bots.ugi.command import quit_idle
from cornered.bots.ugi.process import EngineFailed
from cornered.bots.ugi.program import ProgramBot, SearchReport, go_line
from cornered.engine import CHANCE, IllegalMove
from cornered.engine.limit import ClockTimes
from cornered.lab.contests.arena import play
from cornered.lab.contests.terms import ContestTerms, Fixture

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = f"exec:{shlex.join([sys.executable, str(ROOT / 'examples' / 'ugi_engine.py')])}"
TERMS = ContestTerms.of("trapgrid", {"size": 4}, time=1000)
START = TERMS.load().start()

SCRIPT = """
import os, sys, time
def say(text):
    print(text, flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "ugi":
        say("option name seed type spin default 1")
        say("ugiok")
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "setoption" and words[2] == "seed":
        sys.stderr.write(f"seeded with {words[4]}\\n")
    elif words[0] == "go":
        GO
"""


def script(folder: Path, go: str) -> str:
    """Return the word of an engine that answers `go` by this statement."""
    path = folder / "engine.py"
    path.write_text(SCRIPT.replace("GO", go))
    return f"exec:{shlex.join([sys.executable, str(path)])}"


def pid_of(bot: object) -> int:
    assert isinstance(bot, ProgramBot)
    return bot._held[0].process.pid


@pytest.fixture(autouse=True)
def programs_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs may take a busy machine's time to start, and none is left."""
    monkeypatch.setattr("cornered.bots.ugi.program.START_TIMEOUT_S", 60.0)
    yield
    quit_idle()


def test_the_example_plays_a_whole_game_in_one_process() -> None:
    bot = create(EXAMPLE)
    pids = set()
    for size in (4, 5):
        state = engine.load("trapgrid", size=size).start()
        while state.outcome is None:
            state = engine.apply(state, bot.choose(state, Limit(time=2000)).move)
            pids.add(pid_of(bot))
    assert len(pids) == 1


LIMITED = """
say("option name Game type combo default trapgrid var trapgrid var quoridor")
        say("option name size type spin default 5 min 3 max 5")
        say("option name walls type combo default 10 var 10 var 20")
        say("option name Max_plies type combo default none var none")
        say("option name Hash type spin default 16 min 1 max 1024")
"""


def test_a_program_plays_the_games_and_values_of_options_that_it_declares(tmp_path: Path) -> None:
    path = tmp_path / "engine.py"
    path.write_text(SCRIPT.replace('say("option name seed type spin default 1")', LIMITED.strip()))
    bot = create(f"exec:{shlex.join([sys.executable, str(path)])}")
    assert [game.name for game in engine.games() if bot.plays(game.name)] == ["quoridor", "trapgrid"]
    assert bot.accepted("trapgrid") == {"size": (3, 4, 5)}
    assert bot.accepted("quoridor") == {"size": (3, 5), "walls": (10, 20), "max_plies": (None,)}
    assert bot.plays(engine.load("quoridor", size=5, walls=20))
    assert not bot.plays(engine.load("quoridor"))
    assert bot.usual("quoridor") == engine.load("quoridor", size=3, walls=10)
    with pytest.raises(ValueError, match=r"it plays quoridor with size 3 or 5$"):
        bot.prepare(engine.load("quoridor", walls=10))
    with pytest.raises(ValueError, match=r"does not play isolation\(.*\); it plays trapgrid, quoridor$"):
        bot.prepare(engine.load("isolation"))


def test_the_next_bot_of_the_same_word_takes_the_running_program() -> None:
    first = create(EXAMPLE)
    first.choose(START, Limit(time=2000))
    pid = pid_of(first)
    del first
    second, third = create(EXAMPLE), create(EXAMPLE)
    second.choose(START, Limit(time=2000))
    third.choose(START, Limit(time=2000))
    assert pid_of(second) == pid != pid_of(third)


def test_a_crash_loses_the_move_and_the_next_one_starts_the_program_again(tmp_path: Path) -> None:
    flag = tmp_path / "crashed"
    crash = f"os.path.exists({str(flag)!r}) or (open({str(flag)!r}, 'w'), os._exit(3))"
    bot = create(script(tmp_path, f"{crash}; say('bestmove a3')"))
    with pytest.raises(EngineFailed, match="ended with exit code 3"):
        bot.choose(START, Limit(time=60_000))
    assert bot.choose(START, Limit(time=60_000)).move == "a3"


def test_the_last_line_of_standard_error_is_in_the_error_about_its_end(tmp_path: Path) -> None:
    word = script(tmp_path, "print('out of\\x1b memory', file=sys.stderr); print(file=sys.stderr); os._exit(3)")
    with pytest.raises(EngineFailed, match=r"ended with exit code 3: out of\\x1b memory$"):
        create(word).choose(START, Limit(time=60_000))
    # A contest tells it too.
    played = play(TERMS, Fixture(0, (word, "random")))
    assert (played.ending, played.winner) == ("crashed", 1)
    assert "ended with exit code 3" in played.fault


def test_a_program_that_hangs_is_killed_soon_after_its_time(tmp_path: Path) -> None:
    bot = create(script(tmp_path, "time.sleep(100)"))
    bot.prepare(START.game)
    pid = pid_of(bot)
    with pytest.raises(EngineFailed, match="gave no move"):
        bot.choose(START, Limit(time=200))
    assert not psutil.pid_exists(pid)


def test_a_search_without_a_limit_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.bots.ugi.program.UNLIMITED_TIME_S", 0.3)
    bot = create(script(tmp_path, "assert sys.stdin.readline() == 'stop\\n'; say('bestmove a3')"))
    assert bot.choose(START, Limit()).move == "a3"


def test_garbage_is_a_failure_with_a_text(tmp_path: Path) -> None:
    garbage = (
        "say('best move is a3 I think')",
        "say('bestmove')",
        "os.write(1, bytes(range(256)) * 1000)",
        "[say('info depth x score cp y nodes -') for _ in range(5000)]",
    )
    for number, go in enumerate(garbage):
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(EngineFailed, match=r"gave no move|without a move"):
            create(script(folder, go)).choose(START, Limit(time=500))


def test_an_illegal_move_is_refused_with_the_reason(tmp_path: Path) -> None:
    word = script(tmp_path, "say('bestmove d4')")
    with pytest.raises(IllegalMove, match="'d4' is not legal: a pawn moves one step"):
        create(word).choose(START, Limit(time=60_000))
    played = play(TERMS, Fixture(0, (word, "random")))
    assert (played.ending, played.winner) == ("illegal", 1)
    assert f"{word}: 'd4' is not legal" in played.fault


def test_a_missing_program_is_named_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no program './nothing'"):
        TERMS.check("exec:./nothing --fast")
    with pytest.raises(ValueError, match="name a program"):
        create("exec:")
    with pytest.raises(ValueError, match="cannot be split"):
        create("exec:'a")
    file = tmp_path / "engine"
    file.write_text("")
    file.chmod(0o755)
    with pytest.raises(EngineFailed, match=r"cannot be started|ended with exit code"):
        create(f"exec:{file}").choose(START, Limit(time=500))


def test_a_program_that_never_says_ugiok_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.bots.ugi.program.START_TIMEOUT_S", 0.3)
    with pytest.raises(EngineFailed, match="did not answer `ugi`"):
        create("exec:sleep 100").prepare(START.game)
    assert ["sleep", "100"] not in [child.cmdline() for child in psutil.Process(os.getpid()).children()]


def test_standard_error_and_the_seed_are_shown_with_the_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    word = script(tmp_path, "sys.stderr.write('hello\\n'); os._exit(0)")
    with caplog.at_level(logging.WARNING, "cornered.engines"), pytest.raises(EngineFailed):
        create(word, 77).choose(START, Limit(time=60_000))
    said = [record.getMessage() for record in caplog.records]
    assert any(line.endswith("engine.py: hello") for line in said)
    assert any(line.endswith("engine.py: seeded with 77") for line in said)


def test_a_game_that_the_engine_does_not_declare_is_refused() -> None:
    with pytest.raises(ValueError, match=r"does not play isolation\(.*\); it plays trapgrid$"):
        create(EXAMPLE).prepare(engine.load("isolation"))


def test_info_lines_become_the_thought(tmp_path: Path) -> None:
    word = script(tmp_path, "say('info depth 4 nodes 99 score cp -150 pv a3 b1'); say('bestmove a3 ponder b1')")
    thought = create(word).choose(START, Limit(time=60_000))
    assert (thought.depth, thought.nodes, thought.score, thought.pv) == (4, 99, -1.5, ("a3", "b1"))
    report = SearchReport()
    report.add("info depth 4 score mate -3 pv a3")
    assert (report.thought("a3", 1.0).score, report.thought("a3", 1.0).proven) == (-9997, None)


def test_only_the_newest_info_line_is_kept_however_many_come() -> None:
    report = SearchReport()
    tracemalloc.start()
    try:
        for number in range(2_000):
            report.add(f"info depth {number} nodes 5 score mate 3 pv {' '.join(['a3'] * 300)}")
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 100_000
    report.add("info depth 7 score cp 20")
    report.add("info string depth 99")
    thought = report.thought("a3", 1.0)
    assert (thought.depth, thought.nodes, thought.score, len(thought.pv)) == (7, 5, 0.2, 256)


def test_the_clocks_of_a_match_are_told_beside_the_time_of_the_move() -> None:
    assert go_line(Limit(depth=3, clocks=ClockTimes((61_000, 59_000), 500))) == (
        "go p1time 61000 p1inc 500 p2time 59000 p2inc 500 depth 3"
    )
    assert " movetime " in go_line(Limit(time=1000, clocks=ClockTimes((61_000, 59_000), 0)))
    assert go_line(Limit()) == "go"


def test_cornered_itself_is_an_engine_for_every_game_with_dice_too() -> None:
    bot = create(f"exec:{shlex.join([sys.executable, '-m', 'cornered', 'engine', 'random'])}")
    for game in (*(kind() for kind in engine.games()), engine.load("isolation", dice=True)):
        state = game.start()
        for ply in range(8):
            if state.outcome is None:
                move = state.moves()[0] if state.to_move == CHANCE else bot.choose(state, Limit(time=20_000)).move
                assert state.is_legal(move), ply
                state = state.play(move)
