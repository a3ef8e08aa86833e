"""Exhibition games of the house bots, played while no public match is active."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from cornered import engine
from cornered.clients.sdk import Client, Closed, CommandRefused, LobbyView, NotUnderstood
from cornered.engine import Game
from cornered.protocol.values import Fischer, GameSpec

__all__ = ["EXHIBITION_CLOCK", "Hosts", "exhibit", "until_inactive"]

EXHIBITION_CLOCK: Final = Fischer(initial=300, increment=5)
"""Time control when the bots choose it."""
PAUSE_S: Final = 8.0
"""Seconds between two exhibition games, in which spectators see the end of the last one."""
INACTIVE_AFTER_S: Final = 30.0
"""Seconds without a move after which a match counts as inactive."""
LOBBY_TIMEOUT_S: Final = 10.0
"""Seconds to wait for a new match in the lobby before another attempt."""


class Hosts(Protocol):
    """The bots that can play exhibition games; implemented by `BotHost`."""

    @property
    def clients(self) -> Mapping[str, Client]:
        """The clients of the connected bots, by name."""

    def able(self, game: Game) -> Sequence[str]:
        """Return the names of the bots that can start `game` immediately."""

    async def changed(self) -> None:
        """Wait until the result of `able` may have changed."""


async def exhibit(hosts: Hosts, *, pause: float = PAUSE_S) -> None:
    """Start a game between two of the bots whenever no public match is active.

    `pause` seconds follow a game, and a failure.
    """
    while True:
        while not (pairing := _pairing(hosts)):
            await hosts.changed()
        first, second, spec = pairing
        with contextlib.suppress(Closed, NotUnderstood, CommandRefused, TimeoutError):
            lobby = await first.lobby()
            await until_inactive(lobby, pause=pause)
            known = set(lobby.matches)
            await first.challenge(second.player.id, spec.name, clock=EXHIBITION_CLOCK, **spec.options)
            async with asyncio.timeout(LOBBY_TIMEOUT_S):
                while lobby.matches.keys() <= known:
                    await lobby.changed(lobby.version)
            # The next bot may be connected to another node, whose lists show this game a moment later.
            await until_inactive(lobby, pause=pause)
            continue
        await asyncio.sleep(pause)


def _pairing(hosts: Hosts) -> tuple[Client, Client, GameSpec] | None:
    """Return two bots and a game that both play, with the suggested draw rules, so that the game ends."""
    for kind in random.sample(engine.games(), len(engine.games())):
        game = kind()
        game = kind(**{**game.options, **game.suggestions(game.options)})
        able = hosts.able(game)
        if len(able) >= game.seats == 2:
            first, second = random.sample(able, 2)
            return hosts.clients[first], hosts.clients[second], GameSpec(name=game.name, options=dict(game.options))
    return None


async def until_inactive(lobby: LobbyView, *, still: float = INACTIVE_AFTER_S, pause: float = PAUSE_S) -> None:
    """Wait until no public match has had a move for `still` seconds, or until `pause` seconds after the last one ended.
    An abandoned match has no moves and does not prevent exhibition games."""
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
