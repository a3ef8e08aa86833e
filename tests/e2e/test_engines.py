"""An engine that crashes once and hangs once, wherever a bot word is taken: it plays on, and its words are shown.

It is the example in Python, whose second search ends the program and whose fourth takes no end; it writes to standard
error when it starts, and what it is told to search.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cornered.bots.online.host import player_name
from cornered.bots.roster import create
from cornered.clients.sdk import BotPlayer, Client, Closed, CommandRefused, Limit, MatchView
from cornered.protocol.values import Fischer
from tests.conftest import DEADLINE
from tests.e2e.servers import running
from tests.lab.execution import test_cluster as machines

ROOT = Path(__file__).resolve().parents[2]
CLOCK = Fischer(initial=60, increment=0.5)
UNRULY = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT / "examples")!r})
import ugi_engine

def unruly(lines, count):
    for line in lines:
        if line.startswith("go"):
            print(line.strip(), file=sys.stderr, flush=True)
            with open(count, "a") as searches:
                searches.write("x")
                number = searches.tell()
            if number == 2:
                os._exit(3)
            if number == 4:
                time.sleep(1000)
        yield line

print("begins", file=sys.stderr, flush=True)
sys.stdin = unruly(sys.stdin, sys.argv[1])
ugi_engine.main()
"""


@pytest.fixture
def unruly(tmp_path: Path) -> str:
    """The word of the engine; its label is short enough for a player's name."""
    (tmp_path / "e.py").write_text(UNRULY)
    return f"exec:{shlex.join([sys.executable, str(tmp_path / 'e.py'), str(tmp_path / 'n')])}"


def shown(stderr: str) -> tuple[int, int]:
    """Return how often the engine has begun, and how often it was told to search, by what is shown of its words."""
    return len(re.findall(r": begins$", stderr, re.M)), len(re.findall(r": go .*$", stderr, re.M))


def run(*arguments: str) -> tuple[str, str]:
    """Return what a command of ours prints."""
    words = [sys.executable, "-m", "cornered", *arguments]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=4 * DEADLINE)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def ends(standings: Any) -> tuple[dict[str, int], list[str]]:
    return standings["endings"], [fault["text"] for fault in standings["faults"]]


def test_it_thinks_in_two_workers(unruly: str, tmp_path: Path) -> None:
    positions = [{"game": "trapgrid", "options": {"size": size}, "moves": []} for size in (4, 5, 6) * 2]
    (tmp_path / "positions").write_text("".join(f"{json.dumps(one)}\n" for one in positions))
    arguments = ("--file", str(tmp_path / "positions"), "--bot", unruly, "--workers", "2", "--time", "0.1")
    _, stderr = run("think", *arguments, "--out", str(tmp_path / "answers"))
    answers = [json.loads(line) for line in (tmp_path / "answers").read_text().splitlines()]
    assert [answer["move"] is not None for answer in answers] == [True] * len(positions)
    began, searches = shown(stderr)
    # Each worker has one, and two more take the place of those that were lost; that which prepares has one too.
    assert began >= 4
    assert searches >= len(positions)
    assert "ended with exit code 3" in stderr
    assert "gave no move" in stderr


def test_it_plays_in_a_tournament(unruly: str, tmp_path: Path) -> None:
    arguments = ("--game", "trapgrid", "--option", "size=5", "--games", "2", "--time", "0.1", "--workers", "1")
    stdout, stderr = run("tournament", unruly, "random", "greedy", *arguments, "--out", str(tmp_path / "t"), "--json")
    endings, faults = ends(json.loads(stdout))
    assert endings == {"rules": 4, "crashed": 2}
    assert ["exit code 3" in fault or "gave no move" in fault for fault in faults] == [True, True]
    began, searches = shown(stderr)
    # One is tried out before the games, and two crash or hang in them.
    assert began == 4
    assert searches > 10


def test_it_plays_in_a_contest_on_a_cluster(unruly: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "WORKERS", 1)
    cluster = machines.LocalMachines(tmp_path)
    try:
        arguments = ("--game", "trapgrid", "--option", "size=5", "--games", "6", "--time", "0.1")
        stdout, _ = run("match", unruly, "random", *arguments, "--cluster", cluster.address, "--json")
    finally:
        cluster.end()
    endings, faults = ends(json.loads(stdout)["standings"])
    assert endings == {"rules": 4, "crashed": 2}
    assert len(faults) == 2
    began, searches = shown((tmp_path / "log").read_text())
    assert began >= 3
    assert searches > 10


async def test_it_plays_in_a_contest_on_a_server(unruly: str, tmp_path: Path) -> None:
    arguments = ("--game", "trapgrid", "--option", "size=5", "--games", "4", "--clock", "60+0.5", "--time", "0.1")
    async with running(tmp_path) as address:
        server = ("--server", address.replace("http", "ws", 1))
        stdout, stderr = await asyncio.to_thread(run, "match", unruly, "random", *arguments, *server, "--json")
    endings, faults = ends(json.loads(stdout)["standings"])
    assert endings == {"rules": 2, "crashed": 2}
    assert len(faults) == 2
    assert shown(stderr)[0] >= 3
    assert re.search(r"go p1time \d+ p1inc 500 p2time \d+ p2inc 500 movetime \d+", stderr)


async def test_it_plays_on_a_server_where_quick_moves_stand_in(unruly: str, tmp_path: Path) -> None:
    begun: asyncio.Future[MatchView] = asyncio.get_running_loop().create_future()

    async def choose(match: MatchView, limit: Limit) -> str:
        return random.choice(match.state.moves())

    async with running(tmp_path) as address, asyncio.timeout(4 * DEADLINE):
        with (tmp_path / "stderr").open("wb") as stderr:
            words = (sys.executable, "-m", "cornered", "bot", unruly, "--server", address)
            where = ("--identities", str(tmp_path / "identities.json"))
            bot = await asyncio.create_subprocess_exec(*words, *where, cwd=ROOT, stderr=stderr)
        try:
            async with Client.connect(address, name="Ann", kind="bot") as ann:
                player = BotPlayer(ann, choose, accepts=(), began=begun.set_result)
                playing = asyncio.ensure_future(player.run())
                while not player.begun:
                    with contextlib.suppress(CommandRefused):
                        there = await ann.find_player(player_name(create(unruly)))
                        await ann.challenge(there.id, "trapgrid", clock=CLOCK, size=7)
                        await player.until(lambda: bool(player.begun))
                    await asyncio.sleep(0.2)
                match = await begun
                with contextlib.suppress(Closed):
                    await match.ended()
                playing.cancel()
                assert match.snapshot.reason == "rules"
        finally:
            bot.terminate()
            await bot.wait()
    said = (tmp_path / "stderr").read_text()
    began, searches = shown(said)
    assert began >= 3
    assert searches >= 4
    assert "ended with exit code 3" in said
    assert "gave no move" in said
    # The match's clocks, and the time of the move.
    assert re.search(r"go p1time \d+ p1inc 500 p2time \d+ p2inc 500 movetime \d+", said)
