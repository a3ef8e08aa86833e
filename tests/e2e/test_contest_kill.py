"""A tournament is killed twice at random moments and started again: every game is there once, and is the same game."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from cornered.cli.main import app
from cornered.cli.rules import app as rules
from cornered.lab.contests.arena import play
from cornered.lab.contests.folder import PLAN
from cornered.lab.contests.journal import GAMES_FILE, ContestJournal
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.schedule import RoundRobin
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from tests.conftest import program_group

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 60.0
BOTS = ("random", "minimax", "mcts", "level:level=2")
EACH = 4
TERMS = ContestTerms.of("isolation", {"width": 4, "height": 4}, nodes=100, seed=11)
PLIES = 2
ALL = len(BOTS) * (len(BOTS) - 1) // 2 * EACH


def arguments(folder: Path) -> list[str]:
    """Return the command that starts or resumes the tournament."""
    return [
        *("tournament", *BOTS, "--game", "isolation", "-o", "width=4", "-o", "height=4", "--games", str(EACH)),
        *("--nodes", "100", "--seed", "11", "--plies", str(PLIES), "--workers", "2", "--out", str(folder), "--json"),
    ]


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start or resume the tournament, in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "cornered", *arguments(folder)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def lines(folder: Path) -> list[bytes]:
    """Return the complete lines of the stored games."""
    path = folder / GAMES_FILE
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []


def kill_after(count: int, folder: Path) -> None:
    """Run the tournament until `count` games are stored, and kill its process group."""
    deadline = time.monotonic() + DEADLINE
    with program_group(start(folder)) as process:
        while len(lines(folder)) < count:
            assert process.poll() is None, process.communicate()[1].decode()
            assert time.monotonic() < deadline, "the tournament does not get anywhere"
            time.sleep(0.001)
    assert process.returncode == -signal.SIGKILL


def timeless(played: PlayedGame) -> PlayedGame:
    first, second = (replace(effort, seconds=0.0, slowest=0.0) for effort in played.efforts)
    return replace(played, efforts=(first, second))


def undisturbed() -> list[PlayedGame]:
    """Return the games of the same tournament in this process, one after the other."""
    fixtures = RoundRobin(BOTS, EACH, random_plies(TERMS, PLIES)).fixtures(0, ())
    return [play(TERMS, fixture) for fixture in fixtures]


def test_a_tournament_that_is_killed_twice_loses_no_game_and_counts_none_twice(tmp_path: Path) -> None:
    chance = random.Random(os.urandom(8))
    folder = tmp_path / "cup"
    path = folder / GAMES_FILE

    kill_after(chance.randint(3, ALL // 3), folder)
    whole = lines(folder)
    with path.open("ab") as file:  # A machine's crash can leave an unfinished last line.
        file.write(whole[0][: chance.randrange(1, len(whole[0]))])

    kill_after(chance.randint(len(whole) + 1, 2 * ALL // 3), folder)
    survived = lines(folder)
    assert survived[: len(whole)] == whole
    os.truncate(path, sum(len(line) + 1 for line in survived) - chance.randrange(1, len(survived[-1])))

    finished = CliRunner().invoke(app, arguments(folder))
    assert finished.exit_code == 0, finished.output
    assert lines(folder)[: len(survived) - 1] == survived[:-1]

    with ContestJournal.open(folder, TERMS, json.loads((folder / PLAN).read_text())) as journal:
        kept = dict(journal.games)
    assert len(lines(folder)) == len(kept) == ALL
    expected = undisturbed()
    assert [timeless(kept[number]) for number in sorted(kept)] == [timeless(game) for game in expected]

    told = json.loads(finished.stdout)
    assert told["games"] == ALL
    assert {bot["bot"]: bot["score"]["games"] for bot in told["bots"]} == dict.fromkeys(BOTS, 2 * ALL // len(BOTS))
    check = CliRunner().invoke(rules, ["check", str(path)])
    assert check.exit_code == 0
    assert f"{ALL} agree, 0 differ" in check.stdout
