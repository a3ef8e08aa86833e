"""`cornered bot-report` and `cornered replay`, against a server on which a bot has failed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from cornered.cli.main import app
from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView, TokenStore
from cornered.protocol.messages import Paired
from cornered.protocol.values import Accepts, Fischer
from tests.clients.sdk.test_own_account import url
from tests.server.conftest import TIMEOUT_S

__all__ = ["url"]

NAME: Final = "Crusher"
Run = Callable[..., Awaitable[Result]]


class Fault(Exception):
    """What the bot under test raises."""


@pytest.fixture
def run(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the function that runs a command."""
    for name in ("XDG_DATA_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))

    async def run(*arguments: str) -> Result:
        return await asyncio.to_thread(CliRunner(env={"CORNERED_SERVER": url}).invoke, app, arguments)

    return run


async def played(url: str, fails_at: int) -> str:
    """Let a bot play against a person until it raises, which loses the match; return the match's id."""

    def choose(match: MatchView, limit: Limit) -> str:
        if match.ply >= fails_at:
            raise Fault("no idea")
        return match.state.moves()[0]

    async with Client.connect(url, name=NAME, kind="bot") as bot, Client.connect(url, name="Ann") as ann:
        TokenStore().put(url, NAME, bot.token)
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


async def test_the_report_has_the_games_and_the_crash_with_its_text(run: Run, url: str, tmp_path: Path) -> None:
    match = await played(url, fails_at=3)
    shown = await run("bot-report", NAME)
    assert shown.exit_code == 0, shown.output
    assert "The newest 1 game: 0 won, 1 lost" in shown.output
    assert f"crash  match {match} at ply 3" in shown.output
    assert "Fault: no idea" in shown.output
    # Names of files without their folders.
    assert "test_bot_report.py, line" in shown.output
    assert str(Path(__file__).parent) not in shown.output
    found = json.loads((await run("bot-report", NAME, "--json")).output)
    assert [game["match"] for game in found["games"]] == [match]
    assert [one["kind"] for one in found["incidents"] if one["kind"] != "disconnect"] == ["crash"]
    link = (await run("bot-report", NAME, "--link")).output
    assert re.fullmatch(r"http://[^/]+/#/bot/[A-Za-z0-9_.-]+\n", link)
    unknown = await run("bot-report", "Nobody")
    assert (unknown.exit_code, "there is no token of Nobody" in unknown.output) == (2, True)


async def test_a_match_is_replayed_with_what_the_bot_answered_then_and_now(run: Run, url: str, tmp_path: Path) -> None:
    match = await played(url, fails_at=3)
    file = tmp_path / "requests.jsonl"
    saved = await run("replay", "--match", match, "--name", NAME, "--save", str(file))
    assert (saved.exit_code, saved.output) == (0, f"2 requests are in {file}\n")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["ply"], line["match"], line["game"]["name"]) for line in lines] == [
        (1, match, "trapgrid"),
        (3, match, "trapgrid"),
    ]
    assert lines[1]["answer"] is None
    assert lines[1]["limit"] > 0
    assert "Fault: no idea" in lines[1]["failure"]

    same = await run("replay", str(file), "--bot", str(bot_file(tmp_path, "return state.moves()[0]")))
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
    other = await run("replay", str(file), "--bot", str(bot_file(tmp_path, "return state.moves()[-1]")), "--json")
    assert [json.loads(line)["replayed"]["verdict"] for line in other.output.splitlines()] == ["other", "new"]


@pytest.mark.parametrize(
    ("body", "said"),
    [("return 'z9'", "is no legal move"), ("raise KeyError('depth')", "KeyError: 'depth'"), ("pass", "NoneType")],
)
async def test_a_replay_that_fails_ends_with_1_and_says_how(
    body: str, said: str, run: Run, url: str, tmp_path: Path
) -> None:
    match = await played(url, fails_at=3)
    bot = bot_file(tmp_path, body)
    failed = await run("replay", "--match", match, "--name", NAME, "--bot", str(bot), "--ply", "3")
    assert failed.exit_code == 1
    assert said in failed.output
    heading, row, *_ = failed.output.splitlines()
    assert heading.split() == ["ply", "then", "now", "move", "seconds", "limit", "position"]
    assert row.split()[:4] == ["3", "failed", "FAILED", "failed"]
    assert "\n1 move asked again: 0 same, 0 other, 0 new where it had none, 1 failed\n" in failed.output


async def test_a_coroutine_and_a_bot_of_the_roster_are_replayed_with_the_limits(
    run: Run, url: str, tmp_path: Path
) -> None:
    match = await played(url, fails_at=3)
    path = tmp_path / "my_bot.py"
    path.write_text("async def choose(state, limit):\n    assert limit.time == 777\n    return state.moves()[0]\n")
    file = tmp_path / "requests.jsonl"
    await run("replay", "--match", match, "--name", NAME, "--save", str(file))
    line = {**json.loads(file.read_text().splitlines()[0]), "limit": 777}
    file.write_text(json.dumps(line))
    assert (await run("replay", str(file), "--bot", str(path))).exit_code == 0
    elsewhere = await run("replay", str(file), "--bot", str(path), "--ply", "99")
    assert (elsewhere.exit_code, elsewhere.output) == (2, "cornered: there is no request of ply 99; there are 1\n")
    assert (await run("replay", str(file), "--bot", "random")).exit_code == 0


async def test_wrong_arguments_and_files_are_one_line(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"ply": 1}\n')
    for arguments, said in (
        ((), "name one file of requests"),
        (("--match", "m"), "whose requests"),
        ((str(bad),), "which bot answers"),
        ((str(bad), "--bot", "random"), "bad.jsonl, line 1 is no request"),
        ((str(tmp_path / "none.jsonl"), "--bot", "random"), "none.jsonl"),
        ((str(bad), "--match", "m"), "name one file of requests"),
    ):
        failed = await run("replay", *arguments)
        assert failed.exit_code == 2
        assert said in failed.output
