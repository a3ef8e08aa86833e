"""`cornered bot ./my_bot.py`: the bot of a file plays on a server, and wrong options are one line."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from cornered.clients.sdk import Client
from cornered.clients.sdk.opponents import find_opponent
from cornered.protocol.values import Fischer
from tests.cli.conftest import Served
from tests.clients.sdk.test_running import opponent
from tests.test_package import play_against
from tests.waiting import TIMEOUT_S


@pytest.fixture
def my_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bot that writes its time for a move into the file `time` beside it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    path = tmp_path / "my_bot.py"
    path.write_text(
        "import pathlib\n"
        "def choose(state, limit):\n"
        "    pathlib.Path(__file__).with_name('time').write_text(str(limit.time))\n"
        "    return state.moves()[0]\n"
    )
    return path


def test_the_bot_of_a_file_plays_its_games_against_an_opponent_and_ends(served: Served, my_bot: Path) -> None:
    async def rival() -> set[str]:
        async with opponent(served.url, "Rival") as other:
            here.set()
            await played.wait()
            matches = (await other.my_matches()).finished
            return {player.name for match in matches for player in match.players}

    here, played = asyncio.Event(), asyncio.Event()
    playing = served.begin(rival())
    served.do(here.wait())
    options = ("--against", "rival", "--games", "2", "--clock", "1+0", "--rated", "--longest", "300")
    told = served.run("bot", str(my_bot), *options)
    served.loop.call_soon_threadsafe(played.set)
    assert told.exit_code == 0, told.stderr
    assert playing.result(TIMEOUT_S) == {"my_bot", "Rival"}
    assert told.stderr.startswith("my_bot is at ")
    # The opponent logs its games too.
    lines = [line for line in told.stderr.splitlines() if "Rival" in line]
    assert [word for line in lines for word in ("begins", "ends") if f" {word}: " in line] == ["begins", "ends"] * 2
    # The clock allows 3 seconds, and the usual bound is 1.5.
    assert my_bot.with_name("time").read_text() == "300"


def test_an_opponent_who_is_not_there_is_one_line(served: Served, my_bot: Path) -> None:
    told = served.run("bot", str(my_bot), "--against", "nobody", "--game", "isolation")
    assert told.exit_code == 2
    assert told.stderr.splitlines()[-1] == "cornered: no player 'nobody' plays isolation here; there are none"


def test_a_connected_bot_searches_no_longer_than_it_is_allowed_and_ends_with_an_interrupt(
    served: Served, my_bot: Path
) -> None:
    async def challenge() -> dict[str, int | None]:
        try:
            async with Client.connect(served.url, name="Cyd") as cyd:
                bot, _ = await find_opponent(cyd, "connected", ["trapgrid"], Fischer(initial=60), patience=None)
                return await play_against(cyd, bot.player.id)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    playing = served.begin(challenge())
    told = served.run("connect", str(my_bot), "--name", "connected", "--game", "trapgrid", "--longest", "300")
    assert set(playing.result(TIMEOUT_S)) == {"Cyd", "connected"}
    assert told.exit_code == 130
    assert my_bot.with_name("time").read_text() == "300"


def test_a_contest_ends_with_its_workers_when_it_is_terminated(tmp_path: Path) -> None:
    path, told = tmp_path / "slow.py", tmp_path / "told"
    os.mkfifo(told)
    path.write_text(
        "import os, time\n"
        "def choose(state, limit):\n"
        f"    open({str(told)!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(300)\n"
    )
    command = [sys.executable, "-m", "cornered", "match", str(path), "random", "--game", "trapgrid", "--time", "60"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as contest:
        # Opening the pipe waits for the bot that writes into it.
        worker = psutil.Process(int(told.read_text()))
        contest.terminate()
        assert contest.wait(TIMEOUT_S) == 128 + signal.SIGTERM
    assert psutil.wait_procs([worker], timeout=TIMEOUT_S)[1] == []
