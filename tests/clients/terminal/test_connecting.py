"""The player's identity: the given name, or the last player here, and never the name of the system account."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornered.clients.terminal.connecting import connected
from cornered.protocol.commands import Hello
from tests.clients.sdk.scripted import TOKEN, Wire, scripted


async def test_a_name_is_told_only_when_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("USER", "secret-account")
    hellos: list[Hello] = []

    async def newcomer(wire: Wire) -> None:
        hellos.append(await wire.welcome(token=TOKEN))
        await wire.stay()

    async def acquaintance(wire: Wire) -> None:
        hellos.append(await wire.welcome())
        await wire.stay()

    async with asyncio.timeout(60), scripted(newcomer, acquaintance, newcomer, acquaintance) as server:
        for name in (None, None, "Ann", None):
            async with connected(server.url, name, None):
                pass
    assert [hello.name for hello in hellos] == [None, None, "Ann", None]
    assert [hello.token for hello in hellos] == [None, TOKEN, None, TOKEN]
