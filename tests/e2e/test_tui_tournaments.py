"""Tournaments in the terminal, against a real server: joining one, one's game begins by itself, and the standings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cornered.cli.main import app as command_line
from cornered.clients.sdk import BotPlayer, Client
from cornered.clients.terminal.connecting import connected
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.tournaments_screen import TournamentsScreen
from cornered.protocol.tournaments import TournamentSettings
from cornered.protocol.values import Accepts, Fischer, GameSpec
from tests.e2e.servers import running
from tests.e2e.test_tui import text_of, until
from tests.e2e.test_tui_place import home, terminal

__all__ = ["home"]

SETTINGS = TournamentSettings(
    name="Friday cup",
    format="round_robin",
    game=GameSpec(name="trapgrid", options={"size": 3}),
    clock=Fischer(initial=300),
    pause=0,
)


@pytest.fixture
async def address(tmp_path: Path, home: Path) -> AsyncIterator[str]:
    async with running(tmp_path) as address:
        yield address


async def test_a_tournament_is_joined_played_and_read_in_the_terminal(address: str) -> None:
    async with (
        connected(address, "Ana", None) as ana,
        Client.connect(address, name="Rando", kind="bot") as client,
        terminal(ana) as (app, pilot),
    ):
        await pilot.press("t")
        await until(lambda: "No tournament is open or under way." in text_of(app), app)
        await pilot.press("escape")
        cup = await client.tournaments.create(SETTINGS)
        bot = BotPlayer(
            client, lambda match, _: match.state.moves()[0], accepts=[Accepts(game="trapgrid")], tournament=cup
        )
        await bot.declare()
        playing = app.run_worker(bot.run())
        await pilot.press("t")
        await until(lambda: "Friday cup" in text_of(app) and "open for players" in text_of(app), app)
        assert "round robin, TrapGrid 3x3" in text_of(app)
        await pilot.press("j")
        await until(lambda: "You take part." in text_of(app) and "2 players" in text_of(app), app)
        await client.tournaments.start(cup)
        await until(lambda: isinstance(app.screen, MatchScreen), app)
        while " won, " not in text_of(app):
            await until(lambda: "Your turn" in text_of(app) or " won, " in text_of(app), app)
            await pilot.press("enter")
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, TournamentsScreen), app)
        await until(lambda: "finished" in text_of(app), app)
        assert "  1 " in text_of(app)
        assert "1/0/0" in text_of(app)
        assert "Round 1" in text_of(app)
        playing.cancel()

    runner = CliRunner(env={"CORNERED_SERVER": address})
    listed = await asyncio.to_thread(runner.invoke, command_line, ["tournaments", "--over"])
    assert listed.output.startswith(f"{cup}  Friday cup: round robin, TrapGrid 3x3")
    shown = await asyncio.to_thread(runner.invoke, command_line, ["tournaments", cup])
    assert "Points" in shown.output
    assert "Rando [bot]" in shown.output
    found = json.loads((await asyncio.to_thread(runner.invoke, command_line, ["tournaments", cup, "--json"])).output)
    assert found["tournament"]["status"] == "finished"
    assert [one["rank"] for one in found["standings"]] == [1, 2]
    assert len(found["pairings"]) == 1


async def test_joining_and_withdrawing_from_the_command_line(address: str) -> None:
    runner = CliRunner(env={"CORNERED_SERVER": address})
    async with Client.connect(address, name="Ben") as ben:
        cup = await ben.tournaments.create(SETTINGS)
        joined = await asyncio.to_thread(runner.invoke, command_line, ["tournaments", cup, "--join"])
        assert "1 player" in joined.output
        left = await asyncio.to_thread(runner.invoke, command_line, ["tournaments", cup, "--withdraw"])
        assert "0 players" in left.output
        wrong = await asyncio.to_thread(runner.invoke, command_line, ["tournaments", "--join"])
        assert (wrong.exit_code, wrong.output) == (
            2,
            "cornered: name one tournament, and one of --join and --withdraw\n",
        )
