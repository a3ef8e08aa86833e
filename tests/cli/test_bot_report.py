"""`cornered bot-report` and `cornered replay`, against a server on which a bot has failed."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import count
from pathlib import Path

import pytest

from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView, TokenStore
from cornered.protocol.messages import Paired
from cornered.protocol.values import Accepts, Fischer
from tests.cli.conftest import Served
from tests.waiting import TIMEOUT_S

FAILS_AT = 3
numbers = count(1)


class Fault(Exception):
    """What the bot under test raises."""


class Failed:
    """A bot that has lost a match against a person by raising in its second move."""

    def __init__(self, served: Served) -> None:
        self.name = f"Crusher {next(numbers)}"
        self.match = served.do(played(served.url, self.name))


@pytest.fixture
def failed(served: Served) -> Failed:
    return Failed(served)


async def played(url: str, name: str) -> str:
    """Let a bot play against a person until it raises, which loses the match; return the match's id."""

    def choose(match: MatchView, limit: Limit) -> str:
        if match.ply >= FAILS_AT:
            raise Fault("no idea")
        return match.state.moves()[0]

    async with Client.connect(url, name=name, kind="bot") as bot, Client.connect(url, name="Ann") as ann:
        TokenStore().put(url, name, bot.token)
        player = BotPlayer(bot, choose, accepts=[Accepts(game="trapgrid")], games=1)
        await player.declare()
        async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as tasks:
            running = tasks.create_task(player.run())
            await ann.challenge(bot.player.id, "trapgrid", clock=Fischer(initial=60, increment=1), seat=0, size=3)
            match = await joined(ann)
            while not match.over:
                if match.my_turn:
                    await match.play(match.state.moves()[0])
                else:
                    await match.changed(match.version)
            await running
        return match.id


async def joined(client: Client) -> MatchView:
    """Return the next match of a client."""
    async for news in client.news():
        if isinstance(news, Paired):
            return await client.join(news.match)
    raise AssertionError("the client has closed")


def bot_file(folder: Path, body: str) -> Path:
    path = folder / "my_bot.py"
    path.write_text(f"def choose(state, limit):\n    {body}\n", encoding="utf-8")
    return path


def test_the_report_has_the_games_and_the_crash_with_its_text(served: Served, failed: Failed) -> None:
    shown = served.run("bot-report", failed.name)
    assert shown.exit_code == 0, shown.output
    assert "The newest 1 game: 0 won, 1 lost" in shown.output
    assert f"crash  match {failed.match} at ply 3" in shown.output
    assert "Fault: no idea" in shown.output
    # Names of files without their folders.
    assert "test_bot_report.py, line" in shown.output
    assert str(Path(__file__).parent) not in shown.output
    found = json.loads(served.run("bot-report", failed.name, "--json").output)
    assert [game["match"] for game in found["games"]] == [failed.match]
    assert [one["kind"] for one in found["incidents"] if one["kind"] != "disconnect"] == ["crash"]
    link = served.run("bot-report", failed.name, "--link").output
    assert re.fullmatch(r"http://[^/]+/#/bot/[A-Za-z0-9_.-]+\n", link)
    unknown = served.run("bot-report", "Nobody")
    assert (unknown.exit_code, "there is no token of Nobody" in unknown.output) == (2, True)


def test_a_match_is_replayed_with_what_the_bot_answered_then_and_now(
    served: Served, failed: Failed, tmp_path: Path
) -> None:
    file = tmp_path / "requests.jsonl"
    saved = served.run("replay", "--match", failed.match, "--name", failed.name, "--save", str(file))
    assert (saved.exit_code, saved.output) == (0, f"2 requests are in {file}\n")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["ply"], line["match"], line["game"]["name"]) for line in lines] == [
        (1, failed.match, "trapgrid"),
        (3, failed.match, "trapgrid"),
    ]
    assert lines[1]["answer"] is None
    assert lines[1]["limit"] > 0
    assert "Fault: no idea" in lines[1]["failure"]

    same = served.run("replay", str(file), "--bot", str(bot_file(tmp_path, "return state.moves()[0]")))
    assert same.exit_code == 0, same.output
    first, second = same.output.splitlines()[1:3]
    assert (first.split()[3], second.split()[3]) == ("same", "new")
    _, *summary = same.output.split("\n\n")[-2:]
    assert re.fullmatch(
        r"2 moves asked again: 1 same, 0 other, 1 new where it had none, 0 failed\n"
        r"time now:  [\d.]+ s a move, at most [\d.]+ s\n"
        r"time then: [\d.]+ s a move, at most [\d.]+ s, on the server's clock\n",
        summary[0],
    ), same.output
    other = served.run("replay", str(file), "--bot", str(bot_file(tmp_path, "return state.moves()[-1]")), "--json")
    assert [json.loads(line)["replayed"]["verdict"] for line in other.output.splitlines()] == ["other", "new"]


def test_a_replay_that_fails_ends_with_1_and_says_how(served: Served, failed: Failed, tmp_path: Path) -> None:
    for number, (body, said) in enumerate(
        (("return 'z9'", "is no legal move"), ("raise KeyError('depth')", "KeyError: 'depth'"), ("pass", "NoneType"))
    ):
        (tmp_path / str(number)).mkdir()
        bot = bot_file(tmp_path / str(number), body)
        told = served.run("replay", "--match", failed.match, "--name", failed.name, "--bot", str(bot), "--ply", "3")
        assert told.exit_code == 1
        assert said in told.output
        heading, row, *_ = told.output.splitlines()
        assert heading.split() == ["ply", "then", "now", "move", "seconds", "limit", "position"]
        assert row.split()[:4] == ["3", "failed", "FAILED", "failed"]
        assert "\n1 move asked again: 0 same, 0 other, 0 new where it had none, 1 failed\n" in told.output


def test_a_coroutine_and_a_bot_of_the_roster_are_replayed_with_the_limits(
    served: Served, failed: Failed, tmp_path: Path
) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text("async def choose(state, limit):\n    assert limit.time == 777\n    return state.moves()[0]\n")
    file = tmp_path / "requests.jsonl"
    served.run("replay", "--match", failed.match, "--name", failed.name, "--save", str(file))
    line = {**json.loads(file.read_text().splitlines()[0]), "limit": 777}
    file.write_text(json.dumps(line))
    assert served.run("replay", str(file), "--bot", str(path)).exit_code == 0
    elsewhere = served.run("replay", str(file), "--bot", str(path), "--ply", "99")
    assert (elsewhere.exit_code, elsewhere.output) == (2, "cornered: there is no request of ply 99; there are 1\n")
    assert served.run("replay", str(file), "--bot", "random").exit_code == 0
