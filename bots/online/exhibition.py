"""Games that the house bots show when there is nothing else to see."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from cornered import engine
from cornered.clients.sdk import Client, Closed, LobbyView, Refused
from cornered.engine import Game
from cornered.protocol.values import Fischer, GameSpec

__all__ = ["CLOCK", "Hosts", "exhibit", "until_still"]

CLOCK: Final = Fischer(initial=300, increment=5)
"""What bots play by when they choose the clock themselves."""
PAUSE: Final = 8.0
"""Seconds between two exhibition games: time to see how the last one ended."""
STILL: Final = 30.0
"""Seconds without a move after which no public match counts as one that a visitor could follow."""
SETTLING: Final = 10.0
"""Seconds within which a game that was asked for shows in the lobby, or is asked for again."""


class Hosts(Protocol):
    """Who can show a game."""

    @property
    def clients(self) -> Mapping[str, Client]:
        """Return the bots that are at the server now, by name."""

    def able(self, game: Game) -> Sequence[str]:
        """Return the names of those that can play `game` at once."""

    async def changed(self) -> None:
        """Return when there may be more of them."""


async def exhibit(hosts: Hosts) -> None:
    """Start a game between two of the bots whenever there is none in which something moves."""
    while True:
        while not (pairing := _pairing(hosts)):
            await hosts.changed()
        first, second, spec = pairing
        with contextlib.suppress(Closed, Refused, TimeoutError):
            lobby = await first.lobby()
            await until_still(lobby)
            known = set(lobby.matches)
            await first.challenge(second.player.id, spec.name, clock=CLOCK, **spec.options)
            async with asyncio.timeout(SETTLING):
                while lobby.matches.keys() <= known:
                    await lobby.changed(lobby.version)
            continue
        await asyncio.sleep(PAUSE)


def _pairing(hosts: Hosts) -> tuple[Client, Client, GameSpec] | None:
    """Return two bots and a game that both play, with the draw rules that keep it from going on for ever."""
    for kind in random.sample(engine.games(), len(engine.games())):
        game = kind()
        game = kind(**{**game.options, **game.suggestions(game.options)})
        able = hosts.able(game)
        if len(able) >= game.seats == 2:
            first, second = random.sample(able, 2)
            return hosts.clients[first], hosts.clients[second], GameSpec(name=game.name, options=dict(game.options))
    return None


async def until_still(lobby: LobbyView, *, still: float = STILL, pause: float = PAUSE) -> None:
    """Return once no public match has had a move for `still` seconds, or `pause` seconds after the last one ended.

    A match whose players are gone moves no more, and must not keep a game from those who come to see one.
    """
    clock = asyncio.get_running_loop().time
    plies: dict[str, int] = {}
    moved = clock()
    while lobby.matches:
        seen = lobby.version
        now = {match.id: match.ply for match in lobby.matches.values()}
        if now.items() - plies.items():
            moved = clock()
        plies = now
        try:
            async with asyncio.timeout_at(moved + still):
                await lobby.changed(seen)
        except TimeoutError:
            return
    if plies:
        await asyncio.sleep(pause)
