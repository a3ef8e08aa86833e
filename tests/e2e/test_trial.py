"""Bots of files: `cornered try` with one that is edited while it plays, and house bots of a server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Sequence
from pathlib import Path

import pytest

from cornered.cli import screenshots
from cornered.cli.trial import Trial, run_trial
from cornered.clients.sdk import BotFailed, BotPlayer, Client, Limit, MatchView
from cornered.clients.sdk.opponents import find_opponent
from cornered.protocol.values import Accepts, Fischer
from tests.test_package import play_against

TIMEOUT_S = 120.0

GOOD = "def choose(state, limit):\n    return state.moves()[{}]\n"


def trial(path: Path, **fields: object) -> Trial:
    usual = {"games": ("trapgrid",), "against": "level-1", "most": None, "clock": "none", "seed": 1, "port": 0}
    return Trial(path, **{**usual, **fields})  # type: ignore[arg-type]


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the levels of a trial play in this process. Where there are several the weakest one resigns."""

    def first_move(match: MatchView, limit: Limit) -> str:
        return match.state.moves()[0]

    def resign(match: MatchView, limit: Limit) -> str:
        raise RuntimeError("it resigns")

    async def keep_house_bots(words: Sequence[str], server: str, identities: Path, *, options: Sequence[str]) -> None:
        async with contextlib.AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
            for number, word in enumerate(words):
                name, choose = word.replace(":level=", "-"), first_move if number or len(words) == 1 else resign
                client = await stack.enter_async_context(Client.connect(server, name=name, kind="bot"))
                player = BotPlayer(client, choose, accepts=[Accepts(game="trapgrid")])
                await player.declare()
                tasks.create_task(player.run())

    monkeypatch.setattr("cornered.cli.trial.keep_house_bots", keep_house_bots)


async def until_told(lines: asyncio.Queue[str], word: str) -> str:
    """Return the next line with `word` in it."""
    while word not in (line := await lines.get()):
        pass
    return line


async def test_an_edited_bot_is_loaded_again_and_a_broken_one_waits_for_its_mending(
    tmp_path: Path, in_process: None
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(GOOD.format(0))
    lines: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.timeout(TIMEOUT_S):
        playing = asyncio.create_task(run_trial(trial(path), lines.put_nowait, lines.put_nowait))
        await until_told(lines, "/#/tv")
        assert (await until_told(lines, "mine has ")).endswith("of 2 against level-1")
        path.write_text("def choose(:")
        assert "the version before plays on" in await until_told(lines, "mine.py, line 1: ")
        path.write_text(GOOD.format(-1))
        assert await until_told(lines, "changed") == "mine.py has changed and is loaded again"
        await until_told(lines, "mine has ")
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    assert playing.cancelled()


async def test_a_bot_that_fails_in_all_games_waits_for_its_mending_with_one_traceback(
    tmp_path: Path, in_process: None, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def choose(state, limit):\n    return state.no_such_thing\n")
    lines: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.timeout(TIMEOUT_S):
        playing = asyncio.create_task(run_trial(trial(path), lines.put_nowait, lines.put_nowait))
        waits = await until_told(lines, "the same failure")
        assert waits == "All 2 games ended by the same failure; the next one begins when mine.py has changed"
        logged = caplog.text
        assert (logged.count(" resigns match "), logged.count("Traceback"), logged.count(" (as before)")) == (2, 1, 1)
        path.write_text(GOOD.format(0))
        assert await until_told(lines, "changed") == "mine.py has changed and is loaded again"
        assert (await until_told(lines, "mine has ")).endswith("of 2 against level-1")
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)


async def test_a_bot_that_cannot_be_loaded_at_first_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("raise RuntimeError('no weights')")
    with pytest.raises(BotFailed, match=r"mine\.py cannot be loaded: [\s\S]*no weights"):
        await run_trial(trial(path), lambda page: None, lambda line: None)


def test_an_opponent_that_is_no_level_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="an opponent is level-1 to level-10, not 'champion'"):
        trial(tmp_path / "mine.py", against="champion")


async def test_a_server_has_house_bots_of_files_which_share_its_workers(tmp_path: Path, compiled: None) -> None:
    for name in ("ann", "bea"):
        (tmp_path / f"{name}.py").write_text(GOOD.format(0))
    files = [str(tmp_path / f"{name}.py") for name in ("ann", "bea")]
    served = ("--bot", files[0], "--bot", files[1])
    with screenshots.running_server("--no-bots", *served) as address:
        async with asyncio.timeout(TIMEOUT_S), Client.connect(address, name="Cyd") as cyd:
            for name in ("ann", "bea"):
                opponent, _ = await find_opponent(cyd, name, ["trapgrid"], Fischer(initial=60), patience=None)
                places = await play_against(cyd, opponent.player.id)
                assert set(places) == {"Cyd", name}


def test_a_bot_that_is_called_like_an_opponent_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"level_1\.py is called like an opponent"):
        trial(tmp_path / "level_1.py")


async def test_a_bot_with_the_name_of_another_client_has_its_own_points(tmp_path: Path, in_process: None) -> None:
    path = tmp_path / "trial.py"
    path.write_text(GOOD.format(0))
    lines: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.timeout(TIMEOUT_S):
        await run_trial(trial(path, most=1), lines.put_nowait, lines.put_nowait)
        assert (await until_told(lines, "trial has ")).endswith("of 1 against level-1")


async def test_a_connected_bot_is_loaded_again_and_a_broken_edit_leaves_it_connected(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(GOOD.format(0))
    with screenshots.running_server("--no-bots") as address:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered", "connect", str(path), "--game", "trapgrid", "--server", address),
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "home"), "PYTHONUNBUFFERED": "1"},
            stdout=PIPE,
            stderr=STDOUT,
        )
        try:
            assert process.stdout is not None
            async with asyncio.timeout(TIMEOUT_S), Client.connect(address, name="Cyd") as cyd:

                async def until_written(word: str) -> None:
                    assert process.stdout is not None
                    while word not in (line := (await process.stdout.readline()).decode()):
                        assert line, f"it ended before it wrote {word!r}"

                await until_written("mine is at ")
                path.write_text("def choose(:")
                await until_written("mine.py has changed and cannot be loaded, so that the version before plays on")
                opponent, _ = await find_opponent(cyd, "mine", ["trapgrid"], Fischer(initial=60), patience=None)
                assert set(await play_against(cyd, opponent.player.id)) == {"Cyd", "mine"}
                path.write_text(GOOD.format(-1))
                await until_written("mine.py has changed and is loaded again")
                await until_written("mine is at ")
        finally:
            process.terminate()
            await process.communicate()


async def test_a_trial_begins_with_a_sample_of_all_strengths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None
) -> None:
    monkeypatch.setattr("cornered.cli.trial.LEVELS", 3)
    monkeypatch.setattr("cornered.cli.trial.SAMPLE_STEP", 2)
    path = tmp_path / "mine.py"
    path.write_text(GOOD.format(0))
    lines: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.timeout(TIMEOUT_S):
        playing = asyncio.create_task(run_trial(trial(path, against=None), lines.put_nowait, lines.put_nowait))
        await until_told(lines, "At first one game with each of level-1, level-3, ")
        assert await until_told(lines, "mine has ") == "mine has 1 of 1 against level-1"
        assert (await until_told(lines, "mine has ")).endswith(" of 1 against level-3")
        begins = await until_told(lines, "Now 2 games with each level from ")
        assert (await until_told(lines, "mine has ")).endswith(f" of 2 against {begins.split()[7]}")
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
