"""Bots of the roster as ordinary clients: they answer challenges, and play each other when nobody else plays."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Sequence
from typing import Final
from weakref import WeakKeyDictionary

from bots.bot import Bot
from bots.pool import Pool
from bots.roster import create
from clients.sdk import (
    BotPlayer,
    Client,
    Closed,
    Limit,
    LobbyView,
    MatchView,
    Pulse,
    Refused,
    Tempo,
    TokenStore,
    plainly,
    stay_as,
)
from engine import load
from protocol.values import Accepts, Fischer, GameSpec, SeekSettings

__all__ = ["run_bots", "until_still"]

USUAL: Final = Tempo(longest=1500)
SHOWN: Final = Tempo(longest=200, least=1500)
"""For games of the house bots among themselves: people want to follow, and the machine has better things to do."""
CLOCK: Final = Fischer(initial=300, increment=5)
PAUSE: Final = 8.0
"""Seconds between two exhibition games: time to see how the last one ended."""
STILL: Final = 30.0
"""Seconds without a move after which no public match counts as one that a visitor could follow."""
SETTLING: Final = 10.0
"""Seconds within which something asked for shows in the lobby, or is asked for again."""

log = logging.getLogger("cornered.bots")


async def run_bots(
    names: Sequence[str],
    *,
    server: str,
    token: str | None = None,
    concurrency: int = 4,
    exhibition: bool = False,
    seek: bool = False,
    store: TokenStore | None = None,
    workers: int | None = None,
) -> None:
    """Connect the bots called `names` to `server`, each for `concurrency` games at once, until cancelled.

    Each is the same player every time, by the token in `store` or, for a single bot, by `token`. With `exhibition` two
    of them play whenever nothing moves in the public matches; with `seek` an idle bot opens a table. They think in
    `workers` processes, by default one a core but one. Raises ValueError for a name that is no bot's and Refused for a
    `token` that the server does not know.
    """
    if token is not None and len(names) != 1:
        raise ValueError("one token is one bot's")
    house = _House([create(name) for name in names], concurrency + exhibition, seek=seek)
    with plainly():
        async with Pool.open(workers) as pool, asyncio.TaskGroup() as tasks:
            for bot in house.bots:
                tasks.create_task(house.host(bot, pool, server, token, store), name=f"bot[{bot.name}]")
            if exhibition:
                tasks.create_task(house.exhibit(), name="exhibition")


class _House:
    """The bots of one process, and what they know of each other."""

    def __init__(self, bots: Sequence[Bot], concurrency: int, *, seek: bool) -> None:
        self.bots = bots
        self._concurrency = concurrency
        self._seek = seek
        self._clients: dict[str, Client] = {}
        self._arrivals = Pulse()

    async def host(self, bot: Bot, pool: Pool, server: str, token: str | None, store: TokenStore | None) -> None:
        """Let `bot` play on `server` until cancelled."""
        scores: WeakKeyDictionary[MatchView, float] = WeakKeyDictionary()

        async def choose(match: MatchView, limit: Limit) -> str:
            thought = await pool.choose(bot.name, match.state, limit)
            if thought.score is not None:
                scores[match] = thought.score
            return thought.move

        async def play(client: Client) -> None:
            accepts = [Accepts(game=game.name) for game in await client.games() if bot.plays(game.name)]
            player = BotPlayer(
                client,
                choose,
                accepts=accepts,
                concurrency=self._concurrency,
                # A bot that knows nothing of how it stands plays on.
                agrees=lambda match: scores.get(match, 1.0) <= 0.0,
                tempo=self._tempo,
            )
            await player.declare()
            self._clients[bot.name] = client
            self._arrivals.beat()
            log.info("%s is at %s", bot.name, server)
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(player.run(), name=f"player[{bot.name}]")
                    if self._seek:
                        tasks.create_task(self._keep_a_table(client, player, accepts), name=f"table[{bot.name}]")
            finally:
                del self._clients[bot.name]

        await stay_as(bot.name, play, server=server, token=token, store=store)

    async def exhibit(self) -> None:
        """Start a game between two of the bots whenever there is none in which something moves."""
        while True:
            while len(self._clients) < 2:
                await self._arrivals.after(self._arrivals.count)
            first, second = random.sample(list(self._clients.values()), 2)
            with contextlib.suppress(Closed, Refused, TimeoutError):
                lobby = await first.lobby()
                await until_still(lobby)
                known = set(lobby.matches)
                spec = await _any_game(first, self.bots)
                await first.challenge(second.player.id, spec.name, clock=CLOCK, **spec.options)
                async with asyncio.timeout(SETTLING):
                    while lobby.matches.keys() <= known:
                        await lobby.changed(lobby.version)
                continue
            await asyncio.sleep(PAUSE)

    def _tempo(self, match: MatchView) -> Tempo:
        ours = {client.player.id for client in self._clients.values()}
        return SHOWN if all(player.id in ours for player in match.players) else USUAL

    async def _keep_a_table(self, client: Client, player: BotPlayer, accepts: Sequence[Accepts]) -> None:
        """Have a table open whenever the bot plays nothing."""
        lobby = await client.lobby()
        while True:
            seen = lobby.version
            has_table = any(seek.by.id == client.player.id for seek in lobby.seeks.values())
            if accepts and not has_table and not player.playing:
                spec = GameSpec(name=random.choice(accepts).game)
                with contextlib.suppress(Refused, TimeoutError):
                    table = await client.seek(SeekSettings(game=spec, clock=CLOCK))
                    async with asyncio.timeout(SETTLING):
                        while table not in lobby.seeks and not player.playing:
                            await lobby.changed(lobby.version)
                    continue
            await lobby.changed(seen)


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


async def _any_game(client: Client, bots: Sequence[Bot]) -> GameSpec:
    """Return a game that the server and all of `bots` play, with the draw rules that keep it from going on for ever."""
    names = [game.name for game in await client.games() if all(bot.plays(game.name) for bot in bots)]
    game = load(random.choice(names))
    return GameSpec(name=game.name, options={**game.options, **game.suggestions(game.options)})
