"""The terminal client against a real server: two players, a bot, a spectator, a broker, and a restart."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from textual.app import App
from websockets.exceptions import ConnectionClosed

from cornered.clients.sdk import BotPlayer, Client
from cornered.clients.sdk.address import normalised
from cornered.clients.terminal.broadcast import BroadcastFeed
from cornered.clients.terminal.broker import listen
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.gallery_screen import GalleryScreen, LiveMatches
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.menu_screen import MenuScreen
from cornered.clients.terminal.plain import report_until_over
from cornered.protocol.broker_address import BrokerAddress
from cornered.protocol.codec import MSGPACK
from cornered.protocol.commands import Command, Join, Ping
from cornered.protocol.messages import Paired, Pong, Refused, Said
from cornered.protocol.values import Accepts, GameSpec, Player, SeekSettings
from cornered.server import app as server
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.clients.sdk.scripted import TOKEN, Script, Wire, scripted, snapshot
from tests.conftest import Mosquitto
from tests.e2e.servers import running as running_server
from tests.forking import Forked, Forks

DEADLINE = 60.0


def text_of(app: App[None]) -> str:
    """Return the text on the screen."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def until(condition: Callable[[], object], app: App[None] | None = None) -> None:
    try:
        async with asyncio.timeout(DEADLINE):
            while not condition():  # noqa: ASYNC110 - the screen has no event for what it shows
                await asyncio.sleep(0.02)
    except TimeoutError:
        pytest.fail("it never came to that" if app is None else f"the screen shows instead:\n{text_of(app)}")


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with running_server(tmp_path) as address:
        yield address


@asynccontextmanager
async def random_bot(address: str) -> AsyncIterator[None]:
    """Run a bot that plays TrapGrid at random."""
    chance = random.Random(7)

    async def choose(match: Any, _: Any) -> str:
        move: str = chance.choice(match.state.moves())
        return move

    async with Client.connect(address, name="Rando", kind="bot") as client, asyncio.TaskGroup() as tasks:
        player = BotPlayer(client, choose, accepts=[Accepts(game="trapgrid"), Accepts(game="quoridor")])
        await player.declare()
        playing = tasks.create_task(player.run())
        yield
        playing.cancel()


async def test_a_game_against_a_bot_from_the_menu_to_the_end_and_back(address: str) -> None:
    async with random_bot(address), Client.connect(address, name="Ana") as ana:
        app = CorneredApp(MenuScreen(ana, game="trapgrid"), client=ana)
        async with app.run_test(size=(100, 30)) as pilot:
            await until(lambda: "Rando [bot]" in text_of(app), app)
            await pilot.press("enter", "enter")
            await until(lambda: isinstance(app.screen, MatchScreen), app)
            while " won, " not in text_of(app):
                await pilot.press("enter")
                await until(lambda: "Your turn" in text_of(app) or " won, " in text_of(app), app)
            assert "g plays again" in text_of(app)
            first = text_of(app)
            await pilot.press("g")
            await until(lambda: "no clock" in text_of(app) and " won, " not in text_of(app), app)
            assert text_of(app) != first
            await pilot.press("escape")
            await until(lambda: "Play with" in text_of(app), app)
            assert "Go on: " in text_of(app)


async def test_two_people_meet_at_a_table_while_a_third_watches(address: str) -> None:
    async with (
        Client.connect(address, name="Ana") as ana,
        Client.connect(address, name="Bob") as bob,
        Client.connect(address, name="Cleo") as cleo,
    ):
        first = CorneredApp(MenuScreen(ana, game="quoridor"), client=ana)
        second = CorneredApp(MenuScreen(bob), client=bob)
        third = CorneredApp(GalleryScreen(LiveMatches(await cleo.lobby())), client=cleo)
        async with first.run_test() as one, second.run_test() as two, third.run_test() as three:
            await until(lambda: "Anybody: open a table" in text_of(first), first)
            await one.press("enter", "enter")
            await until(lambda: "Your table is open" in text_of(first), first)
            await until(lambda: "Join: Ana, Quoridor" in text_of(second), second)
            await two.press("enter", "down", "enter")
            apps = {first: one, second: two}
            for app in apps:
                await until(lambda app=app: isinstance(app.screen, MatchScreen), app)  # type: ignore[misc]
            await until(lambda: "Your turn" in text_of(first) + text_of(second))
            mover = first if "Your turn" in text_of(first) else second
            other = second if mover is first else first

            await until(lambda: " vs " in text_of(third), third)
            await three.press("enter")
            await until(lambda: "to move (●)" in text_of(third), third)

            await apps[mover].press("m", *"c3h", "enter")
            for app in (mover, other, third):
                await until(lambda app=app: "  1 c3h" in text_of(app), app)  # type: ignore[misc]
                assert "9 walls" in text_of(app)
            await until(lambda: "Your turn: you play ◆." in text_of(other), other)

            await apps[mover].press("c", *"hello", "enter")
            await until(lambda: "hello" in text_of(other), other)

            await apps[other].press("m", *"c3v", "enter")
            await until(lambda: "c3v: " in text_of(other), other)
            assert "  1 c3h" in text_of(other)

            await apps[other].press("m", *"e8", "enter")
            await until(lambda: "Your turn" in text_of(mover), mover)
            await apps[other].press("x", "x")
            await until(lambda: "You won, by resignation." in text_of(mover), mover)
            await until(lambda: "won, by resignation." in text_of(third), third)


async def test_the_banner_tells_of_a_restart_and_the_match_goes_on(tmp_path: Path) -> None:
    settings = Settings(port=0, data=tmp_path)

    def backoff() -> Iterator[float]:
        """Yield short waits: full jitter may wait for half a minute on a busy machine."""
        return itertools.repeat(0.1)

    async with asyncio.timeout(4 * DEADLINE):
        running = server.run(settings)
        address = await running.__aenter__()
        settings = settings.model_copy(update={"port": int(address.rpartition(":")[2])})
        async with (
            Client.connect(address, name="Ana", backoff=backoff) as ana,
            Client.connect(address, name="Bob", backoff=backoff) as bob,
        ):
            await bob.join_seek(await ana.seek(SeekSettings(game=GameSpec(name="trapgrid"), seat=0)))
            app = CorneredApp(MenuScreen(ana), client=ana)
            async with app.run_test() as pilot:
                await until(lambda: "Your turn" in text_of(app) and "in reach" in text_of(app), app)
                await running.__aexit__(None, None, None)
                await until(lambda: "reconnecting" in text_of(app), app)
                await pilot.press("m", *"a6", "enter")
                await until(lambda: "a6 is on its way" in text_of(app), app)
                running = server.run(settings)
                await running.__aenter__()
                await until(lambda: "Bob to move" in text_of(app), app)
                await until(lambda: "reconnecting" not in text_of(app), app)
                assert "  1 a6" in text_of(app)
        await running.__aexit__(None, None, None)


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks.open("cornered.clients.terminal.app") as forks:
        yield forks


Plainly: TypeAlias = Callable[..., AbstractContextManager[Forked]]
ERRORS = "errors"


@pytest.fixture
def plainly(forks: Forks, tmp_path: Path) -> Plainly:
    """Return the function that runs the line-based terminal client as a process of its own."""

    @contextlib.contextmanager
    def run(address: str, call: str) -> Iterator[Forked]:
        lines = [
            "from cornered.clients.terminal.app import PlayRequest, play, watch",
            call.format(server=repr(address)),
        ]
        home = {"XDG_DATA_HOME": str(tmp_path)}
        with (tmp_path / ERRORS).open("wb") as errors, forks.run("\n".join(lines), errors, home) as client:
            yield client

    return run


async def test_a_pipe_plays_a_whole_game(address: str, plainly: Plainly, tmp_path: Path) -> None:
    call = "play(PlayRequest('trapgrid', {{'size': 3}}, bot='Rando'), server={server}, plain=True, name='Ana')"
    lines = "moves\n" + "".join(f"{file}{rank}\n" for _ in range(3) for rank in (1, 2, 3) for file in "abc")
    async with random_bot(address):
        with plainly(address, call) as client:
            status, told = await asyncio.to_thread(client.communicate, lines)
    assert (status, (tmp_path / ERRORS).read_text()) == (0, "")
    assert told.startswith("Asking Rando for TrapGrid 3x3.\nTrapGrid, no clock. ")
    assert " won, by the rules of the game." in told


async def test_a_bot_that_is_not_there_is_one_clear_line(address: str, plainly: Plainly, tmp_path: Path) -> None:
    with plainly(
        address, "play(PlayRequest('trapgrid', bot='nobody'), server={server}, plain=True, name='Ana')"
    ) as one:
        await asyncio.to_thread(one.communicate)
    errors = (tmp_path / ERRORS).read_text().splitlines()
    assert errors[-1].endswith("CannotStart: no bot 'nobody' plays trapgrid here; there are none")


EVIL = "\x1b]0;owned\x07\x9b31m\u202e\n"


async def say_evil(wire: Wire) -> None:
    """Act as a server whose texts contain control characters."""
    await wire.welcome(token=TOKEN)
    by = Player(id="eve", name=f"Eve{EVIL}", kind="person")
    while True:
        command = MSGPACK.decode_command(await wire.socket.recv())
        match command:
            case Join():
                match = snapshot(command.id, seat=0)
                seats = tuple(seat.model_copy(update={"player": by}) for seat in match.seats)
                changed = {"title": f"Trap{EVIL}", "seats": seats, "position": f"0{EVIL}./.../..1 0 note={EVIL}"}
                said = Said(match="m", room="players", by=by, text=f"hello{EVIL}", at=0)
                over = snapshot(None, seat=0).model_copy(
                    update={"seats": seats, "over": True, "reason": "resignation", "winner": 1}
                )
                await wire.say(match.model_copy(update=changed), said)
                await asyncio.sleep(0.5)
                await wire.say(over)
            case Ping():
                await wire.say(Pong(id=command.id, sent=command.sent, now=1_000_000))
            case Command():
                await wire.say(Refused(id=command.id, code="internal", text=f"no{EVIL}"))
            case _:
                pytest.fail(f"a second hello: {command}")


@pytest.mark.parametrize(
    "call",
    [
        "watch('m', server={server}, plain=True, name='Ana')",
        "play(PlayRequest(join='m'), server={server}, plain=True, name='Ana')",
        "play(PlayRequest('trapgrid', seek=True), server={server}, plain=True, name='Ana')",
    ],
    ids=["watch", "play", "refused"],
)
async def test_no_control_character_of_a_server_reaches_a_pipe(call: str, plainly: Plainly, tmp_path: Path) -> None:
    async with scripted(until_closed(say_evil)) as evil:
        with plainly(evil.url, call) as client:
            _, told = await asyncio.to_thread(client.communicate, "moves\na2\n")
    told += (tmp_path / ERRORS).read_text()
    assert "owned" in told
    assert not [char for char in told if char != "\n" and not char.isprintable()]
    assert not any(line.startswith(("owned", "]0;")) for line in told.split("\n"))


def until_closed(script: Script) -> Script:
    async def run(wire: Wire) -> None:
        with contextlib.suppress(ConnectionClosed):
            await script(wire)

    return run


async def test_the_same_name_or_none_is_the_same_player_the_next_time(
    address: str, plainly: Plainly, tmp_path: Path
) -> None:
    tokens = set()
    for name in ("Ana", "Ana", None):
        with plainly(
            address, f"play(PlayRequest('bamboo', seek=True), server={{server}}, plain=True, name={name!r})"
        ) as one:
            assert (await asyncio.to_thread(one.stdout.readline)).startswith(b"Your table is open.")
        kept = json.loads((tmp_path / "cornered" / "tokens.json").read_text())[normalised(address)]
        tokens |= set(kept.values())
    assert len(tokens) == 1
    async with Client.connect(address, token=kept["Ana"]) as ana:
        assert ana.player.name == "Ana"


@pytest.mark.mqtt
async def test_a_match_is_watched_over_a_broker_that_dies_in_between(mosquitto: Mosquitto, tmp_path: Path) -> None:
    async with (
        server.run(Settings(port=0, data=tmp_path, database=MEMORY_DATABASE, mqtt=mosquitto.url)) as address,
        random_bot(address),
        Client.connect(address, name="Ana") as ana,
    ):
        lobby = await ana.lobby()
        await until(lambda: any(presence.accepts for presence in lobby.players.values()))
        bot = next(presence.player.id for presence in lobby.players.values() if presence.accepts)
        await ana.challenge(bot, "trapgrid", seat=0)
        match = await ana.join((await paired(ana)).match)

        broadcast, written = BroadcastFeed(ana.server_now), list[str]()
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        async with asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(listen(BrokerAddress.parse(mosquitto.url), broadcast, ready))
            telling = tasks.create_task(report_until_over(broadcast.table(match.id), written.append))
            await ready
            await until(lambda: any("Match " in line for line in written))
            await play_once(match)
            await until(lambda: any("Ana plays" in line for line in written))

            mosquitto.kill()
            await until(lambda: any("The broker is gone" in line for line in written))
            await play_once(match)
            mosquitto.start()
            # Whether the server or the watcher finds the new broker first decides which of the two is seen.
            await until(lambda: any("Lost on the way" in line or "3. Ana plays" in line for line in written))

            while not match.over:
                await play_once(match)
            await telling
            listening.cancel()
    assert written[-1].endswith("won, by the rules of the game.")


async def paired(client: Client) -> Paired:
    async for news in client.news():
        if isinstance(news, Paired):
            return news
    raise AssertionError("the client was closed")


async def play_once(match: Any) -> None:
    """Make one move at the player's next turn, and wait for the answer."""
    while not match.over and not match.my_turn:
        await match.changed(match.version)
    if not match.over:
        await match.play(match.state.moves()[0])
    while not match.over and not match.my_turn:
        await match.changed(match.version)
