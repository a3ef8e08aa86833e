"""The player's identity: the given name, or the last player here, and never the name of the system account."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornered.clients.terminal.connecting import PlayRequest, begin, connected, invitation_text
from cornered.protocol.commands import Challenge, CreateSeek, Hello, WatchLobby
from cornered.protocol.messages import LobbyState
from cornered.protocol.values import Accepts, Presence
from tests.clients.sdk.scripted import BOB, TOKEN, Wire, client_of, scripted


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


async def test_a_bot_is_challenged_and_a_table_opened_under_the_terms_that_were_asked_for() -> None:
    challenges: list[Challenge] = []
    seeks: list[CreateSeek] = []
    terms = [(True, False), (False, True), (False, False)]

    async def scene(wire: Wire) -> None:
        await wire.welcome()
        bot = Presence(player=BOB, playing=0, accepts=(Accepts(game="trapgrid"),), free=1)
        await wire.say(LobbyState(id=(await wire.hear(WatchLobby)).id, seeks=(), matches=(), players=(bot,)))
        for _ in terms:
            challenges.append(await wire.hear(Challenge))
            await wire.acknowledge(challenges[-1], ref="c")
            seeks.append(await wire.hear(CreateSeek))
            await wire.acknowledge(seeks[-1], ref="s")

    async with client_of(scene) as client:
        for with_help, rated in terms:
            await begin(client, PlayRequest(game="trapgrid", bot="Bob", with_help=with_help, rated=rated))
            await begin(client, PlayRequest(game="trapgrid", seek=True, rated=rated))
    assert [(challenge.with_help, challenge.rated) for challenge in challenges] == terms
    assert [seek.settings.rated for seek in seeks] == [rated for _, rated in terms]


def test_the_hint_names_the_command_that_works_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run").touch()
    elsewhere = "wss://play.example"
    for started, program in (("cornered/__main__.py", "./run cornered"), ("bin/cornered", "cornered")):
        monkeypatch.setattr("sys.argv", [str(tmp_path / started)])
        command = f"{program} play --join abc"
        for usual in ("ws://127.0.0.1:8420", "http://127.0.0.1:8420/", "127.0.0.1:8420"):
            assert invitation_text("abc", usual).endswith(f": {command}")
        assert invitation_text("abc", elsewhere).endswith(f": {command} --server {elsewhere}")
