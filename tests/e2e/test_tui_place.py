"""The place in the terminal, against a real server: accounts, quick pairing, rated games, ratings, versions of bots."""

from __future__ import annotations

import asyncio
import contextlib
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from cornered.clients import sdk
from cornered.clients.sdk import BotPlayer, Client, TokenStore
from cornered.clients.terminal.account_screen import AccountScreen
from cornered.clients.terminal.connecting import connected
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.errors import CannotStart
from cornered.clients.terminal.identity import LAST_PLAYER_KEY, sign_out
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.menu_screen import MenuScreen
from cornered.protocol.values import Accepts
from tests.e2e.servers import running
from tests.e2e.test_tui import text_of, until

PASSWORD = "seven quiet herons"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's data, in which tokens are kept."""
    for name in ("XDG_DATA_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
async def address(tmp_path: Path, home: Path) -> AsyncIterator[str]:
    async with running(tmp_path) as address:
        yield address


@asynccontextmanager
async def terminal(client: Client, game: str = "trapgrid") -> AsyncIterator[tuple[CorneredApp, Pilot[None]]]:
    app = CorneredApp(MenuScreen(client, game=game), client=client)
    async with app.run_test(size=(100, 32)) as pilot:
        await until(lambda: "Anybody: open a table" in text_of(app), app)
        yield app, pilot


async def shows(app: CorneredApp, text: str) -> None:
    await until(lambda: text in text_of(app), app)


async def open_account(app: CorneredApp, pilot: Pilot[None]) -> None:
    """Open a guest's dialog of the account."""
    await pilot.press("a")
    await until(lambda: isinstance(app.screen, AccountScreen) and app.screen.query_one("#name").has_focus, app)


async def type_in(app: CorneredApp, pilot: Pilot[None], **fields: str) -> None:
    """Type into fields of the dialog of the account."""
    for name, text in fields.items():
        field = app.screen.query_one(f"#{name}", Input)
        field.clear()
        field.focus()
        await pilot.press(*("space" if letter == " " else letter for letter in text))


async def test_a_guest_registers_in_the_terminal_and_comes_back_with_the_name(address: str, home: Path) -> None:
    async with connected(address, None, None) as client:
        me = client.player.id
        async with terminal(client) as (app, pilot):
            await open_account(app, pilot)
            await type_in(app, pilot, name="Anna", password="short")
            await pilot.click("#register")
            await until(lambda: "A password has 8 to 128 characters" in text_of(app), app)
            await type_in(app, pilot, password=PASSWORD)
            assert PASSWORD not in text_of(app)
            assert "••••" in text_of(app)
            await pilot.click("#register")
            await until(lambda: "Your recovery codes" in text_of(app), app)
            assert not app.screen.query_one("#password", Input).value
            await pilot.press("enter")
            await until(lambda: app.is_another)
    async with connected(address, None, None) as client:
        assert (client.player.id, client.player.name) == (me, "Anna")
        assert (await client.account.about()).has_account
    kept = TokenStore().path
    assert kept.is_relative_to(home)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert PASSWORD not in kept.read_text()


async def test_signing_in_with_a_wrong_password_says_so_and_with_the_right_one_plays_as_the_account(
    address: str,
) -> None:
    token, _ = await sdk.register(address, "Berta", PASSWORD)
    async with Client.connect(address, token=token) as client:
        berta = client.player.id
    async with connected(address, None, None) as client, terminal(client) as (app, pilot):
        await pilot.press("a")
        await type_in(app, pilot, name="Berta", password="seven quiet pigeons")
        await pilot.press("enter")
        await until(lambda: "password" in text_of(app) and "Signing in" not in text_of(app), app)
        assert not app.is_another
        app.screen.query_one("#password", Input).clear()
        await type_in(app, pilot, password=PASSWORD)
        await pilot.press("enter")
        await until(lambda: app.is_another)
    # The ended session may be refused before the screens have closed.
    with contextlib.suppress(CannotStart):
        async with connected(address, None, None) as client:
            assert client.player.id == berta
            async with terminal(client) as (app, pilot):
                await pilot.press("a")
                await until(lambda: "You are signed in as Berta" in text_of(app), app)
                await pilot.press("enter")
                await until(lambda: app.is_another)
    assert app.is_another
    async with connected(address, None, None) as client:
        assert client.player.id != berta
        assert TokenStore().get(address, "Berta") is None


async def test_a_session_that_ends_while_the_program_runs_ends_it_with_the_reason(address: str) -> None:
    token, _ = await sdk.register(address, "Carla", PASSWORD)
    TokenStore().put(address, LAST_PLAYER_KEY, token)

    async def visit() -> None:
        async with connected(address, None, None) as client:
            await sign_out(client)
            await asyncio.Event().wait()

    with pytest.raises(CannotStart, match="no player has this token"):
        await visit()


async def test_two_terminals_meet_by_quick_pairing_and_see_what_the_rated_game_changed(address: str) -> None:
    async with (
        Client.connect(address, name="Ana") as ana,
        Client.connect(address, name="Bob") as bob,
        terminal(ana) as (first, one),
        terminal(bob) as (second, two),
    ):
        await one.press("p")
        await until(lambda: "TrapGrid 7x7, 1 min + 1 s" in text_of(first), first)
        await one.press("enter")
        await until(lambda: "Waiting for an opponent, 0:0" in text_of(first), first)
        await one.press("escape")
        await until(lambda: isinstance(first.screen, MenuScreen), first)
        await one.press("p")
        await until(lambda: "TrapGrid 7x7, 1 min + 1 s" in text_of(first), first)
        await one.press("enter")
        await two.press("p")
        await until(lambda: "1 waiting" in text_of(second), second)
        await two.press("enter")
        await until(lambda: "Your turn" in text_of(first) + text_of(second))
        for app in (first, second):
            await shows(app, "◆")
            assert isinstance(app.screen, MatchScreen)
            assert "rated" in text_of(app)
            assert "1500?" in text_of(app)
        for _ in range(2):
            mover, pilot = (first, one) if "Your turn" in text_of(first) else (second, two)
            other = second if mover is first else first
            await pilot.press("enter")
            await shows(other, "Your turn")
        mover, pilot = (first, one) if "Your turn" in text_of(first) else (second, two)
        other = second if mover is first else first
        await pilot.press("x", "x")
        await until(lambda: "Your rating: 1338? (-162)" in text_of(mover), mover)
        await until(lambda: "Your rating: 1662? (+162)" in text_of(other), other)
        await pilot.press("escape")
        await until(lambda: isinstance(mover.screen, MenuScreen), mover)
        await pilot.press("l")
        await until(lambda: "1338? ± 290  1 game, provisional" in text_of(mover), mover)
        assert "People at TrapGrid bullet" in text_of(mover)
        await pilot.press("p")
        await until(lambda: "Bots at TrapGrid bullet" in text_of(mover), mover)
        await pilot.press("escape")
        await until(lambda: isinstance(mover.screen, MenuScreen), mover)


async def test_a_rated_game_against_a_bot_shows_its_version(address: str) -> None:
    async with (
        Client.connect(address, name="Rando", kind="bot") as client,
        Client.connect(address, name="Ana") as ana,
        terminal(ana) as (app, pilot),
    ):
        bot = BotPlayer(
            client, lambda match, _: match.state.moves()[0], accepts=[Accepts(game="trapgrid")], version="2.1"
        )
        await bot.declare()
        playing = app.run_worker(bot.run())
        await until(lambda: "Rando 2.1 [bot]" in text_of(app), app)
        await pilot.press("r")
        await until(lambda: "· rated" in text_of(app), app)
        await pilot.press("enter", "up", "enter")
        await until(lambda: isinstance(app.screen, MatchScreen) and "Your turn" in text_of(app), app)
        assert "no clock · rated" in text_of(app)
        await until(lambda: "Rando 1500? [bot]" in text_of(app) and "version 2.1" in text_of(app), app)
        playing.cancel()
