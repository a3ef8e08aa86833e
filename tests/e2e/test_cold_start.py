"""The first start on a machine: nothing is compiled yet."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornered.clients.sdk import Client, LobbyView
from cornered.protocol.messages import Paired
from tests.e2e.servers import running_server

EASY = ("level-1", "level-2", "level-3")


def games_of(lobby: LobbyView, name: str) -> set[str]:
    return {
        accepts.game
        for presence in lobby.players.values()
        if presence.player.name == name
        for accepts in presence.accepts
    }


async def first_moves(address: str, *, is_long: bool) -> None:
    """Play a move of each game, or of the first one that all easy levels play."""
    async with Client.connect(address, name="Ann") as ann:
        games = {game.name for game in await ann.games()}
        lobby = await ann.lobby()

        def ready() -> set[str]:
            return games.intersection(*(games_of(lobby, name) for name in EASY))

        while len(ready()) < (len(games) if is_long else 1):
            await lobby.changed(lobby.version)
        assert not ready() <= games_of(lobby, "champion"), "the easy levels wait for no search to be compiled"
        easy = next(presence.player.id for presence in lobby.players.values() if presence.player.name == "level-3")
        for game in ready():
            await ann.challenge(easy, game, seat=1)
            async for news in ann.news():
                if isinstance(news, Paired):
                    match = await ann.join(news.match)
                    break
            while not match.ply:
                await match.changed(match.version)
            assert not match.over
            await match.resign() if match.ply > 1 else await match.abort()


@pytest.mark.campaign
def test_the_easy_levels_play_before_the_searches_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_long: bool
) -> None:
    monkeypatch.setenv("CORNERED_KERNELS", str(tmp_path / "kernels"))
    with running_server() as address:
        asyncio.run(asyncio.wait_for(first_moves(address, is_long=is_long), 240))
