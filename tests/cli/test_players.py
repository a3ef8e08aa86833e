"""`cornered register`, `sign-in`, `sign-out`, `profile` and `leaders`, against a server."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cornered.cli.main import app
from cornered.clients.sdk import Client, TokenStore, sign_in
from cornered.clients.terminal.connecting import connected
from cornered.protocol.account import CODE_COUNT
from tests.clients.sdk.test_own_account import url

__all__ = ["url"]

PASSWORD = "seven quiet herons"
Run = Callable[..., Awaitable[Result]]


@pytest.fixture
def run(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return the function that runs a command with lines of standard input."""
    for name in ("XDG_DATA_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))

    async def run(*arguments: str, typed: str = "") -> Result:
        runner = CliRunner(env={"CORNERED_SERVER": url})
        return await asyncio.to_thread(runner.invoke, app, arguments, input=typed)

    return run


async def test_the_guest_of_the_terminal_becomes_an_account_whose_password_is_nowhere(url: str, run: Run) -> None:
    async with connected(url, None, None) as client:
        guest = client.player.id
    made = await run("register", "Anna", typed=f"{PASSWORD}\n")
    assert made.exit_code == 0, made.output
    assert len(made.output.splitlines()) == 1 + CODE_COUNT
    kept = TokenStore().path
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert PASSWORD not in made.output + kept.read_text()
    async with Client.connect(url, token=await sign_in(url, "Anna", PASSWORD)) as client:
        assert client.player.id == guest
    shown = await run("profile")
    assert shown.output.splitlines() == [f"Anna  {guest}", "No rated game yet."]
    for word in (guest, "Anna", " anna "):
        assert (await run("profile", word)).output == shown.output
    unknown = await run("profile", "no such name")
    assert (unknown.exit_code, len(unknown.output.splitlines())) == (2, 1)
    assert "no account has this name" in unknown.output


async def test_signing_in_and_out_changes_who_plays(url: str, run: Run) -> None:
    await run("register", "Berta", typed=f"{PASSWORD}\n")
    async with connected(url, None, None) as client:
        berta = client.player.id
    assert (await run("sign-out")).output == "You are signed out.\n"
    async with connected(url, None, None) as client:
        assert client.player.id != berta
    wrong = await run("sign-in", "Berta", typed="seven quiet pigeons\n")
    assert wrong.exit_code == 2
    assert "bad_credentials" in wrong.output
    assert "pigeons" not in wrong.output
    assert (await run("sign-in", "Berta", typed=f"{PASSWORD}\n")).output == "You are signed in as Berta.\n"
    async with connected(url, None, None) as client:
        assert client.player.id == berta


async def test_a_password_that_is_too_short_and_a_taken_name_are_refused_in_one_line(run: Run) -> None:
    short = await run("register", "Anna", typed="short\n")
    assert (short.exit_code, short.output) == (2, "cornered: a password has 8 to 128 characters\n")
    await run("register", "Anna", typed=f"{PASSWORD}\n")
    await run("sign-out")
    taken = await run("register", "anna", typed=f"{PASSWORD}\n")
    assert taken.exit_code == 2
    assert "name_taken" in taken.output


async def test_leaderboards_and_profiles_are_lines_and_json(run: Run) -> None:
    assert (await run("leaders")).output == "Nobody has played a rated game here yet.\n"
    assert json.loads((await run("leaders", "--json")).output) == []
    board = await run("leaders", "trapgrid:blitz", "--bots")
    assert board.output == "TrapGrid blitz: 0 bots with an established rating\n"
    found = json.loads((await run("leaders", "trapgrid:blitz", "--json")).output)
    assert (found["kind"], found["entries"]) == ("person", [])
    assert json.loads((await run("profile", "--json")).output)["ratings"] == []
    unknown = await run("leaders", "chess:blitz")
    assert unknown.exit_code == 2
    assert "chess" in unknown.output
