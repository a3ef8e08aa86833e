"""`cornered bot ./my_bot.py`: the bot of a file plays on a server, and wrong options are one line."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner, Result

from cornered.cli.main import app
from cornered.clients.sdk import Client
from cornered.clients.sdk.opponents import find_opponent
from cornered.protocol.values import Fischer
from tests.clients.sdk.test_own_account import url
from tests.clients.sdk.test_running import opponent
from tests.test_package import play_against

__all__ = ["url"]

pytestmark = pytest.mark.usefixtures("own_logging")

SOURCE = "def choose(state, limit):\n    return state.moves()[0]\n"


@pytest.fixture
def my_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    path = tmp_path / "my_bot.py"
    path.write_text(SOURCE)
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["bot", *arguments])


async def in_a_process(url: str, my_bot: Path, *options: str) -> tuple[int | None, list[str]]:
    """Return the exit code of `cornered bot` and the lines that it tells."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cornered", "bot", str(my_bot), *options),
        env={**os.environ, "XDG_DATA_HOME": str(my_bot.parent), "CORNERED_SERVER": url},
        stderr=asyncio.subprocess.PIPE,
    )
    _, told = await process.communicate()
    return process.returncode, told.decode().splitlines()


async def test_the_bot_of_a_file_plays_its_games_against_an_opponent_and_ends(url: str, my_bot: Path) -> None:
    options = ("--against", "rival", "--games", "2", "--clock", "1+0", "--rated")
    async with asyncio.timeout(60), opponent(url, "Rival") as other:
        code, lines = await in_a_process(url, my_bot, *options)
        assert code == 0, lines
        matches = (await other.my_matches()).finished
    assert {player.name for match in matches for player in match.players} == {"my_bot", "Rival"}
    assert lines[0].startswith("my_bot is at ")
    assert [word for line in lines for word in ("begins", "ends") if f" {word}: " in line] == ["begins", "ends"] * 2


async def test_an_opponent_who_is_not_there_is_one_line(url: str, my_bot: Path) -> None:
    async with asyncio.timeout(60):
        code, lines = await in_a_process(url, my_bot, "--against", "nobody", "--game", "trapgrid")
    assert code == 2
    assert lines[-1] == "cornered: no player 'nobody' plays trapgrid here; there are none"


@pytest.fixture
def noting_bot(my_bot: Path) -> Path:
    """A bot that writes its time for a move into the file `time` beside it."""
    my_bot.write_text(
        "import pathlib\n"
        "def choose(state, limit):\n"
        "    pathlib.Path(__file__).with_name('time').write_text(str(limit.time))\n"
        "    return state.moves()[0]\n"
    )
    return my_bot


@pytest.mark.parametrize("command", ["bot", "connect"])
async def test_a_bot_searches_no_longer_than_it_is_allowed(url: str, noting_bot: Path, command: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cornered", command, str(noting_bot), "--game", "trapgrid"),
        *("--longest", "300", "--server", url),
        env={**os.environ, "XDG_DATA_HOME": str(noting_bot.parent)},
    )
    try:
        async with asyncio.timeout(60), Client.connect(url, name="Cyd") as cyd:
            bot, _ = await find_opponent(cyd, "my_bot", ["trapgrid"], Fischer(initial=60), patience=None)
            assert set(await play_against(cyd, bot.player.id)) == {"Cyd", "my_bot"}
    finally:
        process.terminate()
        await process.wait()
    # The clock allows 3 seconds, and the usual bound is 1.5.
    assert noting_bot.with_name("time").read_text() == "300"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("random", "greedy", "--against", "level-3"), "are for one bot, which comes alone"),
        (("random", "--against", "level-3", "--rated", "--exhibition"), "are for several bots or those of the roster"),
        (("FILE", "random", "--games", "2"), "are for one bot, which comes alone"),
        (("FILE", "--exhibition"), "are for several bots or those of the roster"),
        (("FILE", "--clock", "1+0"), "name an opponent"),
        (("FILE", "--against", "level-3", "--clock", "soon"), "a clock is 5+3"),
        (("FILE", "--on-error", "ignore"), "resign, random or raise"),
        (("./nosuch.py",), "there is no file"),
    ],
)
def test_what_does_not_go_together_is_one_line(my_bot: Path, arguments: tuple[str, ...], said: str) -> None:
    result = run(*(str(my_bot) if word == "FILE" else word for word in arguments))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.thorough
def test_a_contest_ends_with_its_workers_when_it_is_terminated(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(
        "import os, time\n"
        "def choose(state, limit):\n"
        "    open(os.path.join(os.path.dirname(__file__), 'pid'), 'w').write(str(os.getpid()))\n"
        "    time.sleep(300)\n"
    )
    command = [sys.executable, "-m", "cornered", "match", str(path), "random", "--game", "trapgrid", "--time", "60"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as contest:
        pid = told_pid(tmp_path / "pid")
        contest.terminate()
        assert contest.wait(60) == 128 + signal.SIGTERM
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def told_pid(path: Path) -> int:
    """Return the number in a file, once it is there."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if path.exists() and (text := path.read_text()):
            return int(text)
    raise AssertionError("no bot was asked for a move")
