"""The client kit and the bots against the real server: whole games, broken lines, restarts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sys
from collections.abc import AsyncIterator, Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from cornered.bench.fuzzing.messages import Messages
from cornered.bots.online.host import HostConfig
from cornered.bots.online.runner import run_bots
from cornered.clients.sdk import (
    BotPlayer,
    Client,
    ClientNews,
    CommandRefused,
    Limit,
    MatchView,
    Tempo,
    TokenStore,
    run_bot,
)
from cornered.protocol.commands import COMMAND, AskSeek, Hello
from cornered.protocol.messages import Paired, SeekInfo
from cornered.protocol.values import NO_CLOCK, Accepts, Fischer, GameSpec, PerMove, SeekSettings, Value
from cornered.server.app import run
from cornered.server.settings import Settings
from tests.conftest import free_port
from tests.e2e.servers import running
from tests.protocol.conftest import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
GAMES = [
    ("trapgrid", {"size": 5}),
    ("isolation", {"width": 5, "height": 5}),
    ("isolation", {"width": 4, "height": 4, "dice": True}),
    ("bamboo", {"radius": 2}),
    ("quoridor", {"size": 5, "max_plies": 100}),
]


@pytest.fixture
async def address(tmp_path: Path, compiled: None) -> AsyncIterator[str]:
    async with running(tmp_path) as address:
        yield address


@pytest.fixture
def store(tmp_path: Path) -> TokenStore:
    return TokenStore(tmp_path / "tokens.json")


@contextlib.asynccontextmanager
async def bots_at(address: str, *names: str, store: TokenStore, **options: Any) -> AsyncIterator[None]:
    """Let bots of the roster play on the server inside the block."""
    playing = asyncio.ensure_future(run_bots(names, HostConfig(**options), server=address, store=store, workers=1))
    try:
        yield
    finally:
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await playing


@contextlib.asynccontextmanager
async def playing(client: Client, choose: Callable[..., Any], **fields: Any) -> AsyncIterator[None]:
    """Have a bot of the kit play TrapGrid inside the block."""
    player = BotPlayer(client, choose, accepts=[Accepts(game="trapgrid")], **fields)
    await player.declare()
    task = asyncio.ensure_future(player.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def some_move(match: MatchView) -> str:
    return random.choice(match.state.moves())


async def play_out(match: MatchView, choose: Callable[[MatchView], str] = some_move) -> None:
    while not match.over:
        if match.my_turn:
            await match.play(choose(match))
        else:
            await match.changed(match.version)


async def find(client: Client, name: str, game: str = "trapgrid") -> str:
    """Return the id of the player called `name`, once it is there and plays `game`."""
    lobby = await client.lobby()
    while True:
        for presence in lobby.players.values():
            if presence.player.name == name and any(accepts.game == game for accepts in presence.accepts):
                return presence.player.id
        await lobby.changed(lobby.version)


async def paired(client: Client, news: AsyncIterator[ClientNews] | None = None) -> MatchView:
    """Join the next match of a client's; `news` is the iterator of who has read some before."""
    async for new in news or client.news():
        if isinstance(new, Paired):
            return await client.join(new.match)
    raise AssertionError("the client closed")


async def test_every_bot_and_every_game_is_played_to_its_end(
    address: str, store: TokenStore, subtests: pytest.Subtests
) -> None:
    names = ("random", "greedy", "minimax")
    async with (
        asyncio.timeout(60),
        bots_at(address, *names, store=store),
        Client.connect(address, name="Ann") as ann,
    ):
        for (game, options), name in zip(GAMES, cycle(names), strict=False):
            with subtests.test(game, name=name, **options):
                opponent = await find(ann, name, game)
                await ann.challenge(opponent, game, clock=Fischer(initial=4, increment=0), **options)
                match = await paired(ann)
                await play_out(match)
                assert match.snapshot.reason == "rules"
                places = {info.player.name: info.place for info in match.snapshot.seats}
                assert set(places) == {"Ann", name}
                assert None not in places.values()


class Cutter:
    """Stands between client and server, and cuts the line as often as it is told to, in either direction's middle."""

    def __init__(self, address: str) -> None:
        self._target = int(address.rpartition(":")[2])
        self._open: set[asyncio.StreamWriter] = set()
        self.cuts = 0
        self.url = ""

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[Cutter]:
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            self.cut()
            await server.wait_closed()

    def cut(self) -> None:
        self.cuts += 1
        for writer in self._open:
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, here = await asyncio.open_connection("127.0.0.1", self._target)
        both = {writer, here}
        self._open |= both
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self._pump(reader, here), self._pump(there, writer))
        for end in both:
            end.transport.abort()
        self._open -= both

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()


def one_of_each() -> list[Any]:
    """Return one instance of every command but hello."""
    messages, found = Messages(random.Random(1)), dict[type[object], Any]()
    while len(found) < len(COMMANDS) - 1:
        with contextlib.suppress(ValidationError):
            command = COMMAND.validate_python(messages.command(), strict=False)
            if not isinstance(command, Hello):
                found.setdefault(type(command), command)
    return list(found.values())


async def test_the_server_answers_every_command_and_ask_returns(address: str) -> None:
    commands = one_of_each()
    assert len(commands) > 30
    async with asyncio.timeout(60), Client.connect(address, name="Ann") as ann:
        for drawn in commands:
            command = drawn.model_copy(update={"id": ann.new_id()})
            with contextlib.suppress(CommandRefused):
                answer = await ann.ask(command, Value)
                assert getattr(answer, "id", None) == command.id


async def test_an_invite_is_looked_at_before_it_is_taken(address: str) -> None:
    async with (
        asyncio.timeout(60),
        Client.connect(address, name="Ann") as ann,
        Client.connect(address, name="Bob") as bob,
    ):
        table = await ann.seek(SeekSettings(game=GameSpec(name="trapgrid"), private=True))
        assert (await bob.ask(AskSeek(id=bob.new_id(), seek=table), SeekInfo)).seek.by == ann.player


async def test_moves_are_made_exactly_once_over_a_line_that_keeps_breaking(address: str) -> None:
    made: list[str] = []
    chance = random.Random(1)
    cutter = Cutter(address)

    async def play(match: MatchView, *, breaking: bool) -> None:
        while not match.over:
            if not match.my_turn:
                await match.changed(match.version)
                continue
            move = chance.choice(match.state.moves())
            made.append(move)
            playing = asyncio.ensure_future(match.play(move))
            if breaking:
                # Cut before, while, or after the move travels, or its answer.
                await asyncio.sleep(chance.choice((0, 0, 0.001, 0.002)))
                cutter.cut()
            await playing

    async with (
        asyncio.timeout(60),
        cutter.run(),
        Client.connect(address, name="Bob") as bob,
        Client.connect(cutter.url, name="Ann", backoff=lambda: iter([0.001] * 1000)) as ann,
    ):
        table = await bob.seek(SeekSettings(game=GameSpec(name="isolation"), clock=NO_CLOCK))
        await ann.join_seek(table)
        mine, theirs = await asyncio.gather(paired(ann), paired(bob))
        events: list[int] = []

        async def follow() -> None:
            events.extend([event.seq async for event in mine])

        following = asyncio.ensure_future(follow())
        await asyncio.gather(play(mine, breaking=True), play(theirs, breaking=False))
        await following
        assert cutter.cuts >= 5
        assert list(mine.snapshot.moves) == list(theirs.snapshot.moves) == made
        assert events == list(range(events[0], events[0] + len(events)))
        assert events[-1] == mine.snapshot.seq


async def test_a_game_goes_on_after_the_server_was_restarted(tmp_path: Path) -> None:
    settings = Settings(port=free_port(), data=tmp_path, log_level="error")
    async with asyncio.timeout(60), contextlib.AsyncExitStack() as clients:
        async with run(settings) as address:
            ann, bob = [
                await clients.enter_async_context(Client.connect(address, name=name)) for name in ("Ann", "Bob")
            ]
            await ann.join_seek(await bob.seek(SeekSettings(game=GameSpec(name="trapgrid", options={"size": 4}))))
            mine, theirs = await asyncio.gather(paired(ann), paired(bob))
            for match in sorted((mine, theirs), key=lambda match: match.seat or 0):
                while not match.my_turn:
                    await match.changed(match.version)
                await match.play(some_move(match))
        assert mine.ply == 2
        async with run(settings):
            await asyncio.gather(play_out(mine), play_out(theirs))
            assert mine.snapshot.moves == theirs.snapshot.moves
            assert mine.snapshot.reason == "rules"


async def test_three_bots_finish_a_game_for_three_with_dice(address: str) -> None:
    watched = asyncio.Event()

    async def choose(match: MatchView, limit: Limit) -> str:
        # The game takes less time than lists of other nodes take to show it.
        await watched.wait()
        return some_move(match)

    async with asyncio.timeout(60), contextlib.AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(Client.connect(address, name=f"bot{number}", kind="bot"))
            for number in range(3)
        ]
        players = [BotPlayer(client, choose, accepts=[Accepts(game="isolation")]) for client in clients]
        tasks = [asyncio.ensure_future(player.run()) for player in players]
        spec = GameSpec(name="isolation", options={"width": 5, "height": 5, "players": 3, "dice": True})
        table = await clients[0].seek(SeekSettings(game=spec))
        for client in clients[1:]:
            await client.join_seek(table)
        async with Client.connect(address, name="Watcher") as watcher:
            lobby = await watcher.lobby()
            while not lobby.matches:
                await lobby.changed(lobby.version)
            match = await watcher.join(next(iter(lobby.matches)))
            assert match.seat is None
            watched.set()
            final = await match.ended()
            assert sorted(info.place or 0 for info in final.seats) == [1, 2, 3]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_bot_takes_back_and_plays_again_for_people(address: str, store: TokenStore) -> None:
    async with (
        asyncio.timeout(60),
        bots_at(address, "greedy", store=store),
        Client.connect(address, name="Ann") as ann,
    ):
        await ann.challenge(await find(ann, "greedy"), "trapgrid", seat=0, size=5)
        match = await paired(ann)
        await match.play("b5")
        while match.ply < 2:
            await match.changed(match.version)
        await match.request_takeback()
        while match.ply:
            await match.changed(match.version)
        await play_out(match)
        await match.rematch()
        while match.snapshot.next is None:
            await match.changed(match.version)
        again = await ann.join(match.snapshot.next)
        assert again.seat == 1
        await play_out(again)
        assert again.snapshot.reason == "rules"


async def test_a_bot_declines_a_draw_after_one_move_though_it_is_behind(address: str, store: TokenStore) -> None:
    async with (
        asyncio.timeout(60),
        bots_at(address, "greedy", store=store),
        Client.connect(address, name="Ann") as ann,
    ):
        await ann.challenge(await find(ann, "greedy", "quoridor"), "quoridor", seat=0, size=9, walls=0)
        match = await paired(ann)
        await match.play("e2")
        while match.ply < 2:
            await match.changed(match.version)
        await match.offer_draw()
        seen = match.version
        while match.snapshot.draw_offer is not None and not match.over:
            seen = await match.changed(seen)
        assert not match.over


async def test_house_bots_show_a_game_when_no_match_is_played(address: str, store: TokenStore) -> None:
    async with (
        asyncio.timeout(60),
        bots_at(address, "random", "greedy", store=store, exhibition=True),
        Client.connect(address, name="Visitor") as visitor,
    ):
        lobby = await visitor.lobby()
        while not lobby.matches:
            await lobby.changed(lobby.version)
        match = await visitor.join(next(iter(lobby.matches)))
        assert {player.name for player in match.players} == {"random", "greedy"}
        while match.ply < 1:
            await match.changed(match.version)


async def test_a_bot_that_may_not_study_plays_all_the_same(
    address: str, store: TokenStore, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("WARNING", "cornered.bots"):
        async with (
            asyncio.timeout(60),
            bots_at(address, "random", store=store, analyse="random"),
            Client.connect(address, name="Ann") as ann,
        ):
            while not [record for record in caplog.records if "CORNERED_ANALYST_KEY" in record.getMessage()]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
            await ann.challenge(await find(ann, "random"), "trapgrid", size=4)
            match = await paired(ann)
            await play_out(match)
            assert match.snapshot.reason == "rules"


async def test_an_idle_bot_keeps_a_table_open(address: str, store: TokenStore) -> None:
    async with (
        asyncio.timeout(60),
        bots_at(address, "random", store=store, seek=True),
        Client.connect(address, name="Ann") as ann,
    ):
        lobby = await ann.lobby()
        while not lobby.seeks:
            await lobby.changed(lobby.version)
        await ann.join_seek(next(iter(lobby.seeks)))
        match = await paired(ann)
        assert "random" in {player.name for player in match.players}
        await match.resign()
        while not lobby.seeks:
            await lobby.changed(lobby.version)


async def test_a_bot_is_the_same_player_when_it_comes_again(address: str, store: TokenStore) -> None:
    seen = []
    async with asyncio.timeout(60), Client.connect(address, name="Ann") as ann:
        for _ in range(2):
            async with bots_at(address, "random", store=store):
                seen.append(await find(ann, "random"))
        store.put(address, "random", "a-token-that-nobody-knows")
        async with bots_at(address, "random", store=store):
            lobby = await ann.lobby()
            while not {presence.player.id for presence in lobby.players.values() if presence.free} - {seen[0]}:
                await lobby.changed(lobby.version)
    assert seen[0] == seen[1]


async def test_a_token_that_was_given_and_is_unknown_is_an_error(address: str, store: TokenStore) -> None:
    with pytest.raises(CommandRefused) as refusal:
        await run_bots(
            ["random"], HostConfig(), server=address, token="a-token-that-nobody-knows", store=store, workers=1
        )
    assert refusal.value.code == "bad_token"
    with pytest.raises(ValueError, match="one token"):
        await run_bots(
            ["random", "greedy"], HostConfig(), server=address, token="a-token-that-nobody-knows", store=store
        )


def raise_one(error: BaseException) -> object:
    raise error


WRONG: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "an empty text": lambda: "",
    "a long text": lambda: "x" * 100_000,
    "a number": lambda: 7,
    "a list": lambda: ["a1"],
    "an illegal move": lambda: "z9",
    "an exception": lambda: raise_one(RuntimeError("a fault in the bot")),
    "a cancellation of its own": lambda: raise_one(asyncio.CancelledError()),
}


async def test_a_wrong_result_of_choose_costs_its_own_game_alone(
    address: str, caplog: pytest.LogCaptureFixture, subtests: pytest.Subtests
) -> None:
    wrong = ""

    async def choose(match: MatchView, limit: Limit) -> object:
        return WRONG[wrong]() if match.snapshot.game.options["size"] == 3 else some_move(match)

    async with (
        asyncio.timeout(60),
        Client.connect(address, name="Clumsy", kind="bot") as clumsy,
        Client.connect(address, name="Ann") as ann,
        playing(clumsy, choose),
    ):
        news = ann.news()
        for wrong in WRONG:
            with subtests.test(wrong), caplog.at_level("ERROR", "cornered.bot"):
                caplog.clear()
                good, bad = [await challenged(ann, clumsy, news, size) for size in (5, 3)]
                assert (await bad.ended()).reason == "resignation"
                await play_out(good)
                assert good.snapshot.reason == "rules"
                (record,) = caplog.records
                told = record.getMessage()
                assert bad.id in told
                assert "ply 0" in told
                assert len(told) < 400


async def challenged(client: Client, bot: Client, news: AsyncIterator[ClientNews], size: int) -> MatchView:
    await client.challenge(bot.player.id, "trapgrid", clock=PerMove(seconds=10), seat=1, size=size)
    return await paired(client, news)


async def test_choose_may_be_a_coroutine(address: str) -> None:
    async def choose(match: MatchView, limit: Limit) -> str:
        await asyncio.sleep(0)
        return some_move(match)

    async with (
        asyncio.timeout(60),
        Client.connect(address, name="Able", kind="bot") as able,
        Client.connect(address, name="Ann") as ann,
        playing(able, choose),
    ):
        await ann.challenge(able.player.id, "trapgrid", size=4)
        match = await paired(ann)
        await play_out(match)
        assert match.snapshot.reason == "rules"


async def test_a_fault_in_what_a_bot_is_asked_beside_its_moves_costs_one_game(address: str) -> None:
    def tempo(match: MatchView) -> Tempo:
        if match.snapshot.game.options["size"] == 3:
            raise RuntimeError("a fault in the bot")
        return Tempo()

    async with (
        asyncio.timeout(60),
        Client.connect(address, name="Clumsy", kind="bot") as clumsy,
        Client.connect(address, name="Ann") as ann,
        playing(clumsy, lambda match, limit: some_move(match), tempo=tempo),
    ):
        news = ann.news()
        for size, reason in ((3, "resignation"), (4, "rules")):
            await ann.challenge(clumsy.player.id, "trapgrid", seat=1, size=size)
            match = await paired(ann, news)
            await play_out(match)
            assert match.snapshot.reason == reason


async def test_the_first_bot_of_the_readme_plays(address: str, tmp_path: Path) -> None:
    source = (ROOT / "examples" / "first_bot.py").read_text()
    assert run_bot.__name__ in source
    assert "ws://127.0.0.1:8420" in source
    program = tmp_path / "first_bot.py"
    program.write_text(source.replace("ws://127.0.0.1:8420", address))
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(program), cwd=tmp_path, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    )
    try:
        async with asyncio.timeout(60), Client.connect(address, name="Ann") as ann:
            await ann.challenge(await find(ann, "my-first-bot"), "trapgrid", size=5)
            match = await paired(ann)
            await play_out(match)
            assert match.snapshot.reason == "rules"
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), 60)
