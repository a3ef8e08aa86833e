"""The player's identity: the given name, or the last player here, and never the name of the system account."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornered.clients.terminal.connecting import PlayRequest, begin, connected, invitation_text
from cornered.protocol.commands import Challenge, CreateSeek, Hello, WatchLobby
from cornered.protocol.messages import LobbyState
from cornered.protocol.values import Accepts, Presence
from tests.clients.sdk.scripted import BOB, TOKEN, Wire, scripted
from tests.clients.sdk.scripted import connected as scripted_client


async def test_a_name_is_told_only_when_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("USER", "secret-account")
    hellos: list[Hello] = []

    async def newcomer(wire: Wire) -> None:
        hellos.append(await wire.welcome(token=TOKEN))

    async def acquaintance(wire: Wire) -> None:
        hellos.append(await wire.welcome())

    async with asyncio.timeout(60), scripted(newcomer, acquaintance, newcomer, acquaintance) as server:
        for name in (None, None, "Ann", None):
            async with connected(server.url, name, None):
                pass
    assert [hello.name for hello in hellos] == [None, None, "Ann", None]
    assert [hello.token for hello in hellos] == [None, TOKEN, None, TOKEN]


@pytest.mark.parametrize(("with_help", "rated"), [(True, False), (False, True), (False, False)])
async def test_a_bot_is_challenged_under_the_terms_that_were_asked_for(with_help: bool, rated: bool) -> None:
    challenges: list[Challenge] = []

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        bot = Presence(player=BOB, playing=0, accepts=(Accepts(game="trapgrid"),), free=1)
        await wire.say(LobbyState(id=(await wire.hear(WatchLobby)).id, seeks=(), matches=(), players=(bot,)))
        challenges.append(await wire.hear(Challenge))
        await wire.acknowledge(challenges[0], ref="c")

    async with asyncio.timeout(60), scripted(scene) as server, scripted_client(server) as client:
        await begin(client, PlayRequest(game="trapgrid", bot="Bob", with_help=with_help, rated=rated))
    assert [(challenge.with_help, challenge.rated) for challenge in challenges] == [(with_help, rated)]


@pytest.mark.parametrize("rated", [True, False])
async def test_a_table_is_opened_under_the_terms_that_were_asked_for(rated: bool) -> None:
    seeks: list[CreateSeek] = []

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        seeks.append(await wire.hear(CreateSeek))
        await wire.acknowledge(seeks[0], ref="s")

    async with asyncio.timeout(60), scripted(scene) as server, scripted_client(server) as client:
        await begin(client, PlayRequest(game="trapgrid", seek=True, rated=rated))
    assert [seek.settings.rated for seek in seeks] == [rated]


@pytest.mark.parametrize(
    ("started", "command"),
    [("cornered/__main__.py", "./run cornered play --join abc"), ("bin/cornered", "cornered play --join abc")],
)
def test_the_hint_names_the_command_that_works_here(
    started: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").touch()
    monkeypatch.setattr("sys.argv", [str(tmp_path / started)])
    for usual in ("ws://127.0.0.1:8420", "http://127.0.0.1:8420/", "127.0.0.1:8420"):
        assert invitation_text("abc", usual).endswith(f": {command}")
    elsewhere = "wss://play.example"
    assert invitation_text("abc", elsewhere).endswith(f": {command} --server {elsewhere}")
