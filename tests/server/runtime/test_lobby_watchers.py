"""The updates of the lobby's watchers, and their cost, with stand-ins for sockets."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr

from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.commands import CancelSeek, CreateSeek, Hello, WatchLobby
from cornered.protocol.messages import Welcome
from cornered.protocol.values import GameSpec, Player, SeekSettings
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.bus_local import LocalBus
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.adapters.social_memory import MemorySocialStore
from cornered.server.adapters.streams_memory import MemoryStreams
from cornered.server.lobby import updates
from cornered.server.match.match import Patience
from cornered.server.metrics import Counts
from cornered.server.runtime import lobby_watchers
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.limits import PlayerLimits
from cornered.server.runtime.lobby_service import LobbyService
from cornered.server.runtime.lobby_watchers import SLICE_SOCKETS
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_room import Services
from cornered.server.runtime.moderation_service import ModerationService
from cornered.server.runtime.task_group import TaskGroup
from cornered.server.runtime.tournament_service import TournamentService
from cornered.server.settings import Settings
from tests.server.conftest import ANALYST_KEY, Pair, Running, Start
from tests.virtual_time import after

pytestmark = pytest.mark.virtual_time

THREE = GameSpec(name="isolation", options={"players": 3})


class Line:
    """The part of a connection that a client connection uses."""

    def __init__(self, number: int, address: str) -> None:
        self.is_behind = False
        self.latency = 0.0
        self.key = address
        self.id = f"s{number}"
        self.frames: list[bytes] = []

    def write(self, framed: bytes) -> None:
        self.frames.append(framed)

    def heard(self) -> list[dict[str, Any]]:
        """Return what was written since the last call."""
        frames, self.frames = self.frames, []
        return [json.loads(framed[{126: 4, 127: 10}.get(framed[1], 2) :]) for framed in frames]


class Watched:
    """A match task that passes on its updates."""

    def __init__(self, told: Callable[[object], None]) -> None:
        self.player_went = self.leave = told


class Scene:
    """A lobby service and its clients."""

    def __init__(self, tasks: TaskGroup) -> None:
        services = Services(MemoryJournal(), LocalBus(), Counts(), lambda: int(time.monotonic() * 1000))
        self.lobby_service = LobbyService(
            services,
            MemoryAccounts(),
            partial(MatchRegistry, services, b"", Patience(), tasks),
            lambda doors: ModerationService(MemoryModerationLog(), MemoryAccounts(), doors, b"", now=services.now),
            lambda view, peers_of: TournamentService(
                MemoryStreams(), services, MemoryAccounts(), view, peers_of=peers_of
            ),
            MemoryLobbyLog(),
            MemorySocialStore(MemoryAccounts()),
            tasks,
        )
        self.limits = PlayerLimits(Settings(port=0), 0.0)
        self.count = 0

    def come(
        self, name: str = "", *, codec: Codec = JSON, address: str = "", player: str = ""
    ) -> tuple[ClientConnection, Line]:
        self.count += 1
        line = Line(self.count, address)
        name = name or f"p{self.count}"
        who = Player(id=player or f"id{self.count}", name=name, kind="person")
        client = ClientConnection(line, codec, who, self.limits, Counts())  # type: ignore[arg-type]
        self.lobby_service.enter(client, Welcome(player=who, token=None, server="1", now=0, matches=()))
        return client, line

    async def open_table(self, client: ClientConnection) -> None:
        self.count += 1
        await self.lobby_service.in_lobby(client, CreateSeek(id=f"c{self.count}", settings=SeekSettings(game=THREE)))

    async def watch(self, client: ClientConnection) -> None:
        await self.lobby_service.in_lobby(client, WatchLobby(id="watch"))


@pytest.fixture
async def scene(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    monkeypatch.setattr(lobby_watchers, "PUBLISH_INTERVAL_S", 0.01)
    async with TaskGroup() as tasks:
        scene = Scene(tasks)
        await scene.lobby_service.recover()
        yield scene
        scene.lobby_service.close()


async def until_told() -> None:
    await after(0.05)


async def test_five_thousand_who_leave_at_once_hold_nothing_up(scene: Scene) -> None:
    watcher, line = scene.come("watcher")
    await scene.watch(watcher)
    began = time.thread_time()
    clients = [scene.come(address=f"a{number % 50}")[0] for number in range(5_000)]
    came = time.thread_time() - began
    for client in clients:
        scene.lobby_service.leave(client)
    left = time.thread_time() - began - came
    assert left < 2 * came
    assert scene.lobby_service.players == 1
    await until_told()
    assert line.heard()


async def test_leaving_is_complete_even_where_telling_fails(scene: Scene, caplog: Any) -> None:
    client, _ = scene.come()
    other, _ = scene.come()

    def fail(*_: object) -> None:
        raise RuntimeError("the transport is closing")

    went: list[object] = []
    broken, sound = Watched(fail), Watched(went.append)
    client.matches = {"a": broken, "b": sound}  # type: ignore[dict-item]
    scene.lobby_service.analysis_service.leave = fail  # type: ignore[method-assign, assignment]
    scene.lobby_service.leave(client)
    assert went == [client.player.id, client]
    assert scene.lobby_service.players == 1
    scene.lobby_service.leave(client)
    scene.lobby_service.leave(other)
    assert scene.lobby_service.players == 0


async def test_a_word_is_encoded_once_for_all_who_read_one_codec(scene: Scene) -> None:
    watchers = [scene.come(codec=codec) for codec in (JSON, JSON, MSGPACK, MSGPACK)]
    for client, line in watchers:
        await scene.watch(client)
        line.frames.clear()
    await scene.open_table(scene.come()[0])
    await until_told()
    words = [line.frames for _, line in watchers]
    assert [len(frames) for frames in words] == [1, 1, 1, 1]
    assert words[0][0] is words[1][0]
    assert words[2][0] is words[3][0]


async def test_many_watchers_are_told_in_slices(scene: Scene) -> None:
    watchers = [scene.come() for _ in range(2 * SLICE_SOCKETS + 10)]
    await until_told()
    for client, line in watchers:
        await scene.watch(client)
        line.frames.clear()
    loop = asyncio.get_running_loop()
    await scene.open_table(watchers[0][0])
    told: set[int] = set()
    ends = loop.time() + 5
    while loop.time() < ends and max(told, default=0) < len(watchers):
        told.add(sum(bool(line.frames) for _, line in watchers[1:]) + 1)
        await asyncio.sleep(0)
    assert {SLICE_SOCKETS, 2 * SLICE_SOCKETS, len(watchers)} <= told


async def test_a_large_word_makes_the_next_one_wait(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_watchers, "BYTES_A_SECOND", 2_000)
    client, line = scene.come()
    await scene.watch(client)
    for _ in range(20):
        scene.come()
    await until_told()
    first = line.heard()[-1]
    assert first["type"] == "lobby_changed"
    scene.come()
    await until_told()
    assert line.heard() == []
    size = len(json.dumps(first, separators=(",", ":")))
    await after(size / 2_000)
    assert len(line.heard()) == 1


async def test_a_watcher_that_does_not_read_gets_the_page_when_it_reads_again(scene: Scene) -> None:
    client, line = scene.come()
    await scene.watch(client)
    await until_told()
    line.frames.clear()
    line.is_behind = True
    await scene.open_table(client)
    await until_told()
    assert [one["type"] for one in line.heard()] == ["acknowledged"]
    line.is_behind = False
    scene.come()
    await until_told()
    (page,) = line.heard()
    assert (page["type"], page["id"], len(page["seeks"]), len(page["players"])) == ("lobby", None, 1, 2)
    scene.come()
    await until_told()
    assert [one["type"] for one in line.heard()] == ["lobby_changed"]
    # Although nothing else happens.
    line.is_behind = True
    await scene.open_table(client)
    await until_told()
    line.frames.clear()
    line.is_behind = False
    scene.lobby_service.caught_up(client)
    (page,) = line.heard()
    assert (page["type"], page["id"], len(page["seeks"])) == ("lobby", None, 2)
    scene.lobby_service.caught_up(client)
    assert line.heard() == []


async def test_a_fresh_page_for_all_keeps_private_tables(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "MAX_PENDING_GONE", 2)
    client, line = scene.come()
    other, ears = scene.come()
    await scene.watch(client)
    await scene.lobby_service.in_lobby(client, CreateSeek(id="c", settings=SeekSettings(game=THREE, private=True)))
    for _ in range(3):
        await scene.open_table(other)
    await until_told()
    line.frames.clear()
    for number, table in enumerate([one["ref"] for one in ears.heard() if one["type"] == "acknowledged"]):
        await scene.lobby_service.in_lobby(other, CancelSeek(id=f"close{number}", seek=table))
    await until_told()
    (page,) = line.heard()
    assert (page["type"], page["id"]) == ("lobby", None)
    assert [seek["settings"]["private"] for seek in page["seeks"]] == [True]


async def test_every_socket_of_a_player_has_the_one_visible_name(scene: Scene) -> None:
    scene.come("Ada", player="one")
    first, line = scene.come("ada", player="two")
    assert first.player.name == line.heard()[0]["player"]["name"] == "ada (2)"
    second, _ = scene.come("ada", player="two")
    assert second.player.name == "ada (2)"
    third, _ = scene.come("Bea", player="two")
    assert [client.player.name for client in (first, second, third)] == ["Bea"] * 3


async def test_the_welcome_and_the_matches_have_the_visible_name(running: Running, pair: Pair) -> None:
    async with running.client("Ada") as first, running.client("ADA") as second:
        assert second.player.name == "ADA (2)"
        async with running.client("ADA", token=second.welcome.token) as tab:
            assert tab.player == second.player
        match = await pair(first, second)
        seats = (await first.join(match)).seats
        assert [seat.player.name for seat in seats] == ["Ada", "ADA (2)"]


async def test_who_takes_a_house_bots_name_without_the_operators_key_is_told_apart(start: Start) -> None:
    for kind, key in itertools.product(("person", "bot"), (None, "the-key-of-somebody-else")):
        async with (
            start() as running,
            running.client("Champion", kind=kind, key=key) as stranger,
            running.client("champion", kind="bot", key=ANALYST_KEY) as bot,
            running.client("champion", kind="bot", token=bot.welcome.token) as again,
        ):
            assert (stranger.player.name, bot.player.name) == ("Champion (2)", "champion")
            assert again.player == bot.player
    assert ANALYST_KEY not in repr(Hello(key=ANALYST_KEY))


async def test_without_a_key_a_reserved_name_is_any_bots_and_no_persons(start: Start) -> None:
    async with start(analyst_key=SecretStr("")) as running:
        async with running.client("champion", key=ANALYST_KEY) as person:
            assert person.player.name == "champion (2)"
        async with running.client("champion", kind="bot") as bot:
            assert bot.player.name == "champion"
