"""Bots as players on one server: they share worker processes; a game is accepted once it is compiled."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from cornered import engine
from cornered.bots.bot import Bot, Thought
from cornered.bots.online.analyst import serve_analysis
from cornered.bots.online.exhibition import EXHIBITION_CLOCK, exhibit
from cornered.bots.online.pondering import Ponderer
from cornered.bots.pool.plain import PlainThinker
from cornered.bots.pool.pool import Pool
from cornered.bots.pool.warming import Preparation, is_warm
from cornered.bots.roster import create, is_of_roster
from cornered.clients.sdk import (
    BotPlayer,
    Client,
    CommandRefused,
    Limit,
    MatchView,
    NotUnderstood,
    Pulse,
    Tempo,
    TokenStore,
    stay_as,
)
from cornered.clients.sdk.asking import keep_table
from cornered.clients.sdk.worker_process import Lost
from cornered.engine import Game, State, warming
from cornered.engine.compile.compiler import compiled
from cornered.protocol.values import Accepts, GameSpec, SeekSettings

__all__ = ["DEFAULT_CONCURRENCY", "QUICK_CONCURRENCY", "BotHost", "HostConfig", "HostedBot", "player_name"]

DEFAULT_CONCURRENCY: Final = 4
QUICK_CONCURRENCY: Final = 40
"""Games at once of a bot that takes milliseconds a move: a class and more, within a person's bound of live matches."""
DEFAULT_TEMPO: Final = Tempo(longest=1500)
EXHIBITION_TEMPO: Final = Tempo(longest=200, least=1500)
"""Pace of exhibition games: slow enough to follow, with little CPU time."""
LOOK_AGAIN_S: Final = 0.2
"""Seconds between two looks at which rules are compiled."""
DECLARE_DELAY_S: Final = 0.1
"""Seconds in which changes of readiness are collected into one declaration."""
MAX_NAME_LENGTH: Final = 24
"""Maximum length of a player's name in characters."""

log = logging.getLogger("cornered.bots")


@dataclass(frozen=True, slots=True)
class HostedBot:
    """One of the bots: its spec, the bot, and its name among the players."""

    spec: str
    bot: Bot
    name: str

    @classmethod
    def all_of(cls, specs: Sequence[str]) -> list[Self]:
        """Return the bots of these specs. Raises ValueError for an unknown bot and for two bots of the same name."""
        guests = [cls(spec, bot := create(spec), player_name(bot)) for spec in specs]
        if twice := [name for name, count in Counter(guest.name for guest in guests).items() if count > 1]:
            raise ValueError(f"two bots would be called {twice[0]!r}")
        return guests


def player_name(bot: Bot) -> str:
    """Return a bot's name among the players: its label, shortened in the middle to `MAX_NAME_LENGTH` characters."""
    if len(bot.label) <= MAX_NAME_LENGTH:
        return bot.label
    settings = bot.label[len(bot.name) :][-MAX_NAME_LENGTH // 2 :]
    # Full stops, since name normalisation replaces the ellipsis character by them.
    return f"{bot.name[: MAX_NAME_LENGTH - len(settings) - 3]}...{settings}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConfig:
    """What the bots of a host do on the server."""

    concurrency: int = DEFAULT_CONCURRENCY
    """Games at once, for each bot."""
    quick_concurrency: int = QUICK_CONCURRENCY
    """Games at once of a bot that answers within milliseconds."""
    ladder: int = 0
    """Rated games at once against other bots, for which the server pairs each bot."""
    version: str | None = None
    """The version that each bot names."""
    tournament: str | None = None
    """The id of the tournament that each bot enters."""
    tempo: Tempo = DEFAULT_TEMPO
    exhibition: bool = False
    """Whether two of the bots play while no public match is active."""
    seek: bool = False
    """Whether a bot without a match keeps a seek open."""
    seed: int | None = None
    """With a seed bots with randomness play the same moves in the same positions, without helping each other."""
    ponder: bool = True
    """Whether bots that gain from it think during the opponent's turn, while workers are idle."""
    analyse: str | None = None
    """The bot that analyses positions for players; one that is not of the host uses the first bot's connection."""
    analyst_key: str | None = None
    """The key of the server's operator, which permits analysis and reserved names."""

    def games_at_once(self, bot: Bot) -> int:
        """Return how many games a bot takes, those of the ladder and one of an exhibition on top."""
        return (self.quick_concurrency if bot.is_quick else self.concurrency) + self.ladder + self.exhibition


class BotHost:
    """The bots of one process on one server, with shared workers."""

    def __init__(
        self,
        guests: Sequence[HostedBot],
        pool: Pool,
        config: HostConfig,
        *,
        began: Callable[[MatchView], None] = lambda match: None,
    ) -> None:
        """`began` is called with every match, once for each bot that plays in it."""
        self._guests = {guest.name: guest for guest in guests}
        self._pool = pool
        self._config = config
        self._began = began
        self.clients: dict[str, Client] = {}
        """The clients of the connected bots, by name."""
        self._ready: defaultdict[str, list[str]] = defaultdict(list)
        """The games compiled for each bot, by name."""
        self._offered: dict[str, list[str]] = {}
        """The games that each connected bot has declared to the server, a subset of `_ready`."""
        self._plain = PlainThinker()
        self._plainly: set[tuple[str, str]] = set()
        """Bots by name, and their games, that think as plain Python until these are compiled."""
        self._news = Pulse()
        """Beats when a bot connects, has another game ready, or has declared it."""

    async def run(self, server: str, token: str | None = None, store: TokenStore | None = None) -> None:
        """Run all bots on `server` until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._prepare_all(tasks), name="prepare")
                for guest in self._guests.values():
                    tasks.create_task(self.host(guest, tasks, server, token, store), name=f"bot[{guest.name}]")
                if self._config.exhibition:
                    tasks.create_task(exhibit(self), name="exhibition")
        finally:
            await self._plain.close()

    async def _prepare_all(self, tasks: asyncio.TaskGroup) -> None:
        """Have the quick bots play as plain Python where they are not compiled yet, then compile for all of them."""
        cold = {
            game.name: [
                guest.name
                for guest in self._guests.values()
                if guest.bot.is_quick and guest.bot.plays(game.name) and not is_warm(Preparation(guest.spec, game.name))
            ]
            for game in engine.games()
        }
        waiting = [game for game, names in cold.items() if names]
        # The rules come first: with them alone the server opens matches, and the quick bots play.
        rules = asyncio.create_task(_compile_rules(waiting), name="rules")
        try:
            while waiting:
                await asyncio.wait({rules}, timeout=LOOK_AGAIN_S)
                # The server of this machine compiles the same, one game after another, and is perhaps ahead.
                for game in [game for game in waiting if warming.is_warm(game)]:
                    waiting.remove(game)
                    for name in cold[game]:
                        self._plainly.add((name, game))
                        self._ready[name].append(game)
                    self._news.beat()
                if rules.done():
                    break
        finally:
            rules.cancel()
        for kind in engine.games():
            tasks.create_task(self.prepare(kind.name), name=f"prepare[{kind.name}]")

    async def _think(self, guest: HostedBot, state: State, limit: Limit) -> Thought:
        if (guest.name, state.game.name) in self._plainly:
            try:
                return await self._plain.choose(guest.spec, state)
            except Lost as lost:
                log.warning("%s waits for its compiled code: %s", guest.name, lost)
        return await self._pool.choose(guest.spec, state, limit, seed=self._config.seed)

    @property
    def _analyst(self) -> HostedBot:
        """The bot whose connection serves the analysis: the analysing bot itself if it is one of these, else the
        first."""
        guests = list(self._guests.values())
        return next((guest for guest in guests if guest.spec == self._config.analyse), guests[0])

    def able(self, game: Game) -> list[str]:
        """Return the names of the connected bots that can start `game`, with these options, immediately."""
        return [
            name
            for name in self.clients
            if game.name in self._offered.get(name, ()) and self._guests[name].bot.plays(game)
        ]

    async def prepare(self, game: str) -> None:
        """Compile a game for every bot that plays it."""
        names = {guest.spec: guest.name for guest in self._guests.values() if guest.bot.plays(game)}
        if self._config.analyse is not None and create(self._config.analyse).plays(game):
            names.setdefault(self._config.analyse, self._config.analyse)
        async with contextlib.aclosing(self._pool.prepare(game, tuple(names))) as ready:
            async for spec in ready:
                name = names[spec]
                self._plainly.discard((name, game))
                if game not in self._ready[name]:
                    self._ready[name].append(game)
                self._news.beat()

    async def changed(self) -> None:
        """Wait until a bot connects, or has another game ready or declared."""
        await self._news.after(self._news.count)

    def is_ready(self, name: str, games: Sequence[str]) -> bool:
        """Return whether a bot is connected and has declared all of those of `games` that it plays."""
        plays = [game for game in games if self._guests[name].bot.plays(game)]
        return name in self.clients and all(game in self._offered.get(name, ()) for game in plays)

    async def host(
        self, guest: HostedBot, tasks: asyncio.TaskGroup, server: str, token: str | None, store: TokenStore | None
    ) -> None:
        """Run one bot on `server` until cancelled."""
        table = Ponderer(guest.spec, guest.bot, self._pool, tasks, partial(self._think, guest))

        async def choose(match: MatchView, limit: Limit) -> str:
            # A resumed match can need a move before its game is compiled.
            while match.snapshot.game.name not in self._ready[guest.name]:
                await self.changed()
            return await table.choose(match, limit, ahead=self._config.ponder and not self._is_exhibition(match))

        async def play(client: Client) -> None:
            player = BotPlayer(
                client,
                choose,
                accepts=(),
                concurrency=self._config.games_at_once(guest.bot),
                ladder=self._config.ladder,
                version=self._config.version,
                tournament=self._config.tournament,
                # What is slow in a bot of the roster is a compilation, or the machine, which no reader can mend.
                warns=not is_of_roster(guest.spec),
                agrees=table.agrees,
                tempo=lambda match: EXHIBITION_TEMPO if self._is_exhibition(match) else self._config.tempo,
                refuses=lambda spec: reason_not_to_play(guest.bot, spec),
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
                    if self._config.analyse is not None and guest is self._analyst:
                        here.create_task(self._study(client, self._config.analyse), name="analysis")
                    if self._config.seek:
                        here.create_task(self._keep_a_table(guest, client, player), name=f"table[{guest.name}]")
            finally:
                del self.clients[guest.name]
                self._offered.pop(guest.name, None)

        await stay_as(guest.name, play, server=server, token=token, store=store, key=self._config.analyst_key)

    async def _declare(self, guest: HostedBot, client: Client, player: BotPlayer) -> None:
        """Declare the games that the bot plays, and again when more are ready."""
        offered = [game.name for game in await client.games()]
        while True:
            # Games become ready in bursts, and each declaration is broadcast to the lobby.
            await asyncio.sleep(DECLARE_DELAY_S)
            seen = self._news.count
            ready = [game for game in offered if game in self._ready[guest.name]]
            if len(ready) > len(self._offered.get(guest.name, ())):
                await player.declare([self._accepts(guest.bot, game) for game in ready])
                self._offered[guest.name] = ready
                self._news.beat()
            await self._news.after(seen)

    def _accepts(self, bot: Bot, game: str) -> Accepts:
        """Return what a bot accepts of a game. Those of the server's operator play no games by days: the places of a
        bot are few, and everybody's."""
        everything = Accepts(game=game, options=dict(bot.accepted(game)))
        if self._config.analyst_key is None:
            return everything
        clocks = tuple(clock for clock in everything.clocks if clock != "correspondence")
        return everything.model_copy(update={"clocks": clocks})

    async def _study(self, client: Client, bot: str) -> None:
        """Serve analysis, once everything that it needs is compiled."""
        name = next((guest.name for guest in self._guests.values() if guest.spec == bot), bot)
        wanted = [game.name for game in engine.games() if create(bot).plays(game.name)]
        while not set(wanted) <= set(self._ready[name]):
            await self.changed()
        try:
            await serve_analysis(client, self._pool, bot, key=self._config.analyst_key)
        except CommandRefused as refusal:
            # A refused analyst keeps playing its matches.
            log.warning("%s studies no positions: %s", bot, refusal.text)
        except NotUnderstood as error:
            log.warning("%s studies no positions: %s", bot, error)

    def _is_exhibition(self, match: MatchView) -> bool:
        ours = {client.player.id for client in self.clients.values()}
        return self._config.exhibition and all(player.id in ours for player in match.players)

    async def _keep_a_table(self, guest: HostedBot, client: Client, player: BotPlayer) -> None:
        """Keep a table open whenever the bot plays no match, once a game is ready."""
        while not (games := self._ready[guest.name]):
            await self.changed()
        await keep_table(
            client,
            player,
            lambda: SeekSettings(game=_spec_of(guest.bot, random.choice(games)), clock=EXHIBITION_CLOCK),
        )


def _spec_of(bot: Bot, game: str) -> GameSpec:
    """Return a game of this name that a bot plays."""
    options = bot.usual(game).options
    return GameSpec(name=game, options={name: options[name] for name in bot.accepted(game)})


async def _compile_rules(games: Sequence[str]) -> None:
    """Return when the rules of these games are compiled, as far as they can be."""
    async for _ in compiled("cornered.engine.warming", games):
        pass


def reason_not_to_play(bot: Bot, spec: GameSpec) -> str | None:
    """Return why a bot does not play a game with these options; None if it does."""
    if bot.plays(engine.load(spec.name, **spec.options)):
        return None
    return f"{bot.name} does not play {spec.name} with these options"
