"""Bots as players on one server: they share worker processes, and each game joins in as soon as it is compiled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from cornered import engine
from cornered.bots.bot import Bot
from cornered.bots.online.analyst import serve_analysis
from cornered.bots.online.exhibition import CLOCK, exhibit
from cornered.bots.online.pondering import Ponderer
from cornered.bots.pool.pool import Pool
from cornered.bots.roster import create
from cornered.clients.sdk import BotPlayer, Client, Limit, MatchView, Pulse, Refused, Tempo, TokenStore, stay_as
from cornered.engine import Game
from cornered.protocol.values import Accepts, GameSpec, SeekSettings

__all__ = ["BotHost", "Guest", "player_name"]

DEFAULT_TEMPO: Final = Tempo(longest=1500)
SHOWN: Final = Tempo(longest=200, least=1500)
"""For games of the house bots among themselves: people want to follow, and the machine has better things to do."""
SETTLING: Final = 10.0
"""Seconds within which a table shows in the lobby, or is opened again."""
BURST: Final = 0.1
"""Seconds for which news of what else is ready are collected."""
LONGEST_NAME: Final = 24
"""Characters of a player's name."""

log = logging.getLogger("cornered.bots")


@dataclass(frozen=True, slots=True)
class Guest:
    """One of the bots: how it is asked for, itself, and its name among the players."""

    spec: str
    bot: Bot
    name: str

    @classmethod
    def all_of(cls, specs: Sequence[str]) -> list[Self]:
        """Return the bots that these describe. Raises ValueError where there is none, or two have one name."""
        guests = [cls(spec, bot := create(spec), player_name(bot)) for spec in specs]
        if twice := [name for name, count in Counter(guest.name for guest in guests).items() if count > 1]:
            raise ValueError(f"two bots would be called {twice[0]!r}")
        return guests


def player_name(bot: Bot) -> str:
    """Return what a bot is called among players: its label, cut in the middle where that is too long."""
    if len(bot.label) <= LONGEST_NAME:
        return bot.label
    settings = bot.label[len(bot.name) :][-LONGEST_NAME // 2 :]
    # Three full stops: a name is normalised, which makes them of the one character for an ellipsis.
    return f"{bot.name[: LONGEST_NAME - len(settings) - 3]}...{settings}"


class BotHost:
    """The bots of one process, and what they know of each other."""

    def __init__(
        self,
        guests: Sequence[Guest],
        pool: Pool,
        concurrency: int = 4,
        *,
        tempo: Tempo = DEFAULT_TEMPO,
        exhibition: bool = False,
        seek: bool = False,
        ponder: bool = True,
        analyse: str | None = None,
        analyst_key: str | None = None,
        began: Callable[[MatchView], None] = lambda match: None,
    ) -> None:
        """`analyst_key` is the server operator's, if these are the operator's bots, and gives them their names.

        `began` hears of every match, once from each bot that plays in it.
        """
        self._guests = {guest.name: guest for guest in guests}
        self._pool = pool
        self._concurrency = concurrency + exhibition
        self._tempo = tempo
        self._exhibition = exhibition
        self._seek = seek
        self._ponder = ponder
        self._analyse = analyse
        self._analyst_key = analyst_key
        self._began = began
        self.clients: dict[str, Client] = {}
        """Who is at the server now."""
        self._ready: defaultdict[str, list[str]] = defaultdict(list)
        """The games that each bot can play without a moment's delay."""
        self._offered: dict[str, list[str]] = {}
        """Those of them that the server knows of."""
        self._news = Pulse()
        """Beats when a bot arrives, has another game ready, or offers it."""

    async def run(self, server: str, token: str | None = None, store: TokenStore | None = None) -> None:
        """Let all bots play on `server` until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for game in engine.games():
                tasks.create_task(self.prepare(game.name), name=f"prepare[{game.name}]")
            for guest in self._guests.values():
                tasks.create_task(self.host(guest, tasks, server, token, store), name=f"bot[{guest.name}]")
            if self._exhibition:
                tasks.create_task(exhibit(self), name="exhibition")

    @property
    def _analyst(self) -> Guest:
        """Whose line carries the analyses: the analysing bot's own, if it is here."""
        guests = list(self._guests.values())
        return next((guest for guest in guests if guest.spec == self._analyse), guests[0])

    def able(self, game: Game) -> list[str]:
        """Return the names of the bots that are here and can play `game`, with these options, at once."""
        return [
            name
            for name in self.clients
            if game.name in self._offered.get(name, ()) and self._guests[name].bot.plays(game)
        ]

    async def prepare(self, game: str) -> None:
        """Make a game ready for every bot that plays it."""
        names = {guest.spec: guest.name for guest in self._guests.values() if guest.bot.plays(game)}
        if self._analyse is not None and create(self._analyse).plays(game):
            names.setdefault(self._analyse, self._analyse)
        async with contextlib.aclosing(self._pool.prepare(game, tuple(names))) as ready:
            async for spec in ready:
                self._ready[names[spec]].append(game)
                self._news.beat()

    async def changed(self) -> None:
        """Return when a bot has come, or there is another game that it can play or offers."""
        await self._news.after(self._news.count)

    def is_ready(self, name: str, games: Sequence[str]) -> bool:
        """Say whether a bot is here and all of those of `games` that it plays are ready for it."""
        plays = [game for game in games if self._guests[name].bot.plays(game)]
        return name in self.clients and all(game in self._offered.get(name, ()) for game in plays)

    async def host(
        self, guest: Guest, tasks: asyncio.TaskGroup, server: str, token: str | None, store: TokenStore | None
    ) -> None:
        """Let a bot play on `server` until cancelled."""
        table = Ponderer(guest.spec, guest.bot, self._pool, tasks)

        async def choose(match: MatchView, limit: Limit) -> str:
            # A match may go on from an earlier run before its game is ready again.
            while match.snapshot.game.name not in self._ready[guest.name]:
                await self.changed()
            return await table.choose(match, limit, ahead=self._ponder and not self._is_exhibition(match))

        async def play(client: Client) -> None:
            player = BotPlayer(
                client,
                choose,
                accepts=(),
                concurrency=self._concurrency,
                agrees=table.agrees,
                tempo=lambda match: SHOWN if self._is_exhibition(match) else self._tempo,
                refuses=lambda spec: _why_not(guest.bot, spec),
                began=self._began,
            )
            await player.declare()
            self.clients[guest.name] = client
            self._news.beat()
            log.info("%s is at %s", guest.name, server)
            try:
                async with asyncio.TaskGroup() as here:
                    here.create_task(player.run(), name=f"player[{guest.name}]")
                    here.create_task(self._declare(guest, client, player), name=f"declare[{guest.name}]")
                    if self._analyse is not None and guest is self._analyst:
                        here.create_task(self._study(client, self._analyse), name="analysis")
                    if self._seek:
                        here.create_task(self._keep_a_table(guest, client, player), name=f"table[{guest.name}]")
            finally:
                del self.clients[guest.name]
                self._offered.pop(guest.name, None)

        await stay_as(guest.name, play, server=server, token=token, store=store, key=self._analyst_key)

    async def _declare(self, guest: Guest, client: Client, player: BotPlayer) -> None:
        """Say which games the bot plays, and again whenever one more is ready."""
        offered = [game.name for game in await client.games()]
        while True:
            # News come in bursts, and each declaration is a message to everybody.
            await asyncio.sleep(BURST)
            seen = self._news.count
            ready = [game for game in offered if game in self._ready[guest.name]]
            if len(ready) > len(self._offered.get(guest.name, ())):
                await player.declare([Accepts(game=game) for game in ready])
                self._offered[guest.name] = ready
                self._news.beat()
            await self._news.after(seen)

    async def _study(self, client: Client, bot: str) -> None:
        """Study positions for players, as soon as nothing has to be compiled for it."""
        name = next((guest.name for guest in self._guests.values() if guest.spec == bot), bot)
        wanted = [game.name for game in engine.games() if create(bot).plays(game.name)]
        while not set(wanted) <= set(self._ready[name]):
            await self.changed()
        try:
            await serve_analysis(client, self._pool, bot, key=self._analyst_key)
        except Refused as refusal:
            # The games go on: what these bots may not do is no reason to leave.
            log.warning("%s studies no positions: %s", bot, refusal.text)

    def _is_exhibition(self, match: MatchView) -> bool:
        ours = {client.player.id for client in self.clients.values()}
        return self._exhibition and all(player.id in ours for player in match.players)

    async def _keep_a_table(self, guest: Guest, client: Client, player: BotPlayer) -> None:
        """Have a table open whenever the bot plays nothing."""
        lobby = await client.lobby()
        while not (games := self._ready[guest.name]):
            await self.changed()
        while True:
            seen = lobby.version
            has_table = any(seek.by.id == client.player.id for seek in lobby.seeks.values())
            if not has_table and not player.playing:
                spec = GameSpec(name=random.choice(games))
                with contextlib.suppress(Refused, TimeoutError):
                    table = await client.seek(SeekSettings(game=spec, clock=CLOCK))
                    async with asyncio.timeout(SETTLING):
                        while table not in lobby.seeks and not player.playing:
                            await lobby.changed(lobby.version)
                    continue
            await lobby.changed(seen)


def _why_not(bot: Bot, spec: GameSpec) -> str | None:
    """Return why a bot does not play a game with these options; None if it does."""
    if bot.plays(engine.load(spec.name, **spec.options)):
        return None
    return f"{bot.name} does not play {spec.name} with these options"
