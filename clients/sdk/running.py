"""Runs a bot: connects it as the same player every time, declares what it plays, and asks for its games."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import Final, Literal, TypeAlias, get_args

from cornered.clients.sdk.address import DEFAULT_SERVER, page_url, require_name, require_version, socket_url
from cornered.clients.sdk.asking import challenge_repeatedly, keep_table
from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.bot_word import ChooseState, require_not_loading
from cornered.clients.sdk.choosing import Answer, Choose, OnError
from cornered.clients.sdk.client import Client
from cornered.clients.sdk.errors import CommandRefused, unwrapped_errors
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.player import BotPlayer, Tempo
from cornered.clients.sdk.thinkers import Thinkers
from cornered.clients.sdk.timecontrol import read_clock
from cornered.clients.sdk.tokens import TokenStore
from cornered.clients.sdk.worker_main import given, prepare, seeded
from cornered.clients.sdk.worker_process import has_fork_server
from cornered.engine.limit import Limit
from cornered.protocol.values import NO_CLOCK, Accepts, GameSpec, OptionValue, SeekSettings

__all__ = ["BotSettings", "play_bot", "run_bot", "stay_as"]

SERVER_VARIABLE: Final = "CORNERED_SERVER"
TOKEN_VARIABLE: Final = "CORNERED_TOKEN"

ThinksIn: TypeAlias = Literal["process", "thread"]
DEFAULT_THINKS_IN: Final[ThinksIn] = "process" if has_fork_server() else "thread"

log = logging.getLogger("cornered.bot")


async def stay_as(
    name: str,
    play: Callable[[Client], Awaitable[None]],
    *,
    server: str,
    token: str | None = None,
    store: TokenStore | None = None,
    patience: float | None = None,
    key: str | None = None,
) -> None:
    """Connect as the bot called `name` and run `play`; the token in `store` makes it the same player every time.

    `key` is the operator's, for a reserved name. Raises CommandRefused when the server does not know the given `token`.
    """
    kept = store or TokenStore()
    while True:
        known = token or kept.get(server, name)
        try:
            async with Client.connect(server, name=name, token=known, kind="bot", patience=patience, key=key) as client:
                if token is None and client.token != known:
                    kept.put(server, name, client.token)
                await play(client)
                return
        except CommandRefused as refusal:
            # The server may also lose its accounts during `play`, when its token is in the store already.
            if refusal.code != "bad_token" or token is not None or kept.get(server, name) is None:
                raise
            log.warning("the server does not know %s any more; it comes as a new player", name)
            kept.forget(server, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSettings:
    """What a bot plays, and how it comes to its games. Raises ValueError for what does not go together."""

    accepts: Sequence[str] | None = None
    """The names of the games that it plays; None for all of the server."""
    options: Mapping[str, Mapping[str, tuple[OptionValue, ...]]] = field(default_factory=dict)
    """By game, the values to which it keeps in some options; it takes all of the others. Games that it asks for have
    the first one."""
    concurrency: int = 4
    ladder: int = 0
    version: str | None = None
    tournament: str | None = None
    longest: int = 1500
    """Search time in milliseconds."""
    thinks_in: ThinksIn = DEFAULT_THINKS_IN
    """Where `choose` runs: in worker processes, one for each match at a time, or in threads of this process."""
    seed: int | None = None
    """Sets Python's random numbers before each move, so that the same position has the same answer."""
    on_error: OnError = "resign"
    reports: bool = True
    play: str | None = None
    """The name of the opponent that it challenges."""
    games: int | None = None
    """The number of games after which it ends."""
    clock: str | None = None
    """The clock of the games that it asks for, as `read_clock` reads it; by default none."""
    rated: bool = False
    """Whether the games that it asks for are rated."""
    seek: bool = False
    """Whether it keeps a table open while it plays no game."""

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise ValueError(f"on_error is resign, random or raise, not {self.on_error!r}")
        if self.thinks_in not in get_args(ThinksIn):
            raise ValueError(f"a bot thinks in a process or a thread, not {self.thinks_in!r}")
        if self.concurrency < 0 or self.ladder < 0 or self.concurrency + self.ladder < 1:
            raise ValueError(
                f"a bot plays 1 game at once or more, not {self.concurrency} and {self.ladder} of the ladder"
            )
        if self.games is not None and self.games < 1:
            raise ValueError(f"a bot plays 1 game or more, not {self.games}")
        if self.version is not None:
            require_version(self.version)
        if self.play is not None and (self.seek or self.ladder or self.tournament is not None):
            raise ValueError("a bot that challenges one opponent plays no others: leave seek, ladder, tournament out")
        if self.play is None and not self.seek and (self.rated or self.clock is not None):
            raise ValueError("a clock and rated are for games that the bot asks for: name an opponent, or let it seek")
        if self.clock is not None:
            read_clock(self.clock)


@dataclass(frozen=True, slots=True)
class _Mind:
    """Where a bot thinks: it chooses the moves of a match, and prepares for games before the first one."""

    choose: Choose
    prepare: Callable[[Sequence[str]], Awaitable[None]]


async def _prepare_here(games: Sequence[str]) -> None:
    """Compile, or load, the rules of games in this process, which reads the positions of every match."""
    await asyncio.to_thread(prepare, games)


@asynccontextmanager
async def _thinking(load: Callable[[], ChooseState], settings: BotSettings) -> AsyncIterator[_Mind]:
    """Yield where the bot thinks, which has loaded it."""
    choose = load()
    size = settings.concurrency + settings.ladder
    if settings.thinks_in == "process" and not inspect.iscoroutinefunction(choose):
        async with Thinkers.open(load, size, seed=settings.seed) as thinkers:

            async def prepare_both(games: Sequence[str]) -> None:
                # The process compiles, so that the event loop stays free; here they are loaded after that.
                await thinkers.prepare(games)
                await _prepare_here(games)

            yield _Mind(thinkers.choose, prepare_both)
        return
    choosing = seeded(choose, settings.seed)
    with ThreadPoolExecutor(size, thread_name_prefix="choose") as threads:

        async def pick(match: MatchView, limit: Limit) -> Answer | Awaitable[Answer]:
            return await asyncio.get_running_loop().run_in_executor(threads, choosing, match.state, limit)

        yield _Mind(pick, _prepare_here)


async def play_bot(
    name: str,
    load: Callable[[], ChooseState],
    settings: BotSettings,
    *,
    server: str,
    token: str | None = None,
    store: TokenStore | None = None,
) -> None:
    """Play as the bot called `name` on `server`, until it has its games or is cancelled.

    `load` returns the bot's `choose`; it is called here, and in each worker process. A coroutine function runs on the
    event loop. Raises NoOpponent, AlreadyPlaying, BotFailed, CommandRefused, and ValueError for a game that the server
    does not have.
    """
    clock = NO_CLOCK if settings.clock is None else read_clock(settings.clock)
    tempo = Tempo(settings.longest)

    async def play(client: Client, mind: _Mind) -> None:
        offered = [game.name for game in await retry(client.games)]
        games = offered if settings.accepts is None else list(settings.accepts)
        if missing := [game for game in games if game not in offered]:
            raise ValueError(f"the server has no game {missing[0]!r}; it has {', '.join(offered)}")
        await mind.prepare(games)
        player = BotPlayer(
            client,
            mind.choose,
            # A bot that challenges one opponent takes no challenges, so that all games are with that one.
            accepts=[] if settings.play is not None else [_accepts(game, settings) for game in games],
            concurrency=settings.concurrency,
            ladder=settings.ladder,
            version=settings.version,
            tournament=settings.tournament,
            games=settings.games,
            asks_for=games if settings.play is not None else None,
            on_error=settings.on_error,
            reports=settings.reports,
            tempo=lambda match: tempo,
        )
        # Before the declaration, which would take the place of the other program's.
        player.require_alone()
        await player.declare()
        log.info("%s is at %s and plays %s; Ctrl-C stops it", client.player.name, server, ", ".join(games))
        log.info("its games and ratings: %s/#/player/%s", page_url(server), client.player.id)
        if settings.ladder:
            log.info("the server pairs it with other bots, as a rule within half a minute")
        with unwrapped_errors():
            async with asyncio.TaskGroup() as tasks:
                asking: asyncio.Task[None] | None = None
                if settings.play is not None:
                    specs = {game: _asked(game, settings) for game in games}
                    challenging = challenge_repeatedly(
                        client, player, settings.play, specs, clock, rated=settings.rated
                    )
                    asking = tasks.create_task(challenging, name="challenges")
                elif settings.seek:
                    turns = cycle(games)
                    keeping = keep_table(
                        client,
                        player,
                        lambda: SeekSettings(game=_asked(next(turns), settings), clock=clock, rated=settings.rated),
                    )
                    asking = tasks.create_task(keeping, name="table")
                await player.run()
                if asking is not None:
                    asking.cancel()

    socket_url(server)
    async with _thinking(load, settings) as mind:
        await stay_as(require_name(name), lambda client: play(client, mind), server=server, token=token, store=store)


def _accepts(game: str, settings: BotSettings) -> Accepts:
    return Accepts(game=game, options=dict(settings.options.get(game, {})))


def _asked(game: str, settings: BotSettings) -> GameSpec:
    """Return the game that a bot asks for."""
    return GameSpec(name=game, options={name: values[0] for name, values in settings.options.get(game, {}).items()})


def run_bot(
    name: str,
    choose: ChooseState,
    *,
    server: str | None = None,
    token: str | None = None,
    accepts: Sequence[str] | None = None,
    concurrency: int = 4,
    ladder: int = 0,
    version: str | None = None,
    tournament: str | None = None,
    longest: int = 1500,
    thinks_in: ThinksIn | None = None,
    seed: int | None = None,
    on_error: OnError = "resign",
    reports: bool = True,
    play: str | None = None,
    games: int | None = None,
    clock: str | None = None,
    rated: bool = False,
    seek: bool = False,
) -> None:
    """Play as the bot called `name` until interrupted; `choose(state, limit)` returns one of `state.moves()`.

    It may also return an object with the move's text as `move`. A match has a worker process of its own as long as it
    lasts, so that `choose` may remember what it found out, and one that crashes or hangs costs this one move; with
    `thinks_in` "thread" it runs in threads of this process. A coroutine function runs on the event loop and must not
    block. Without a legal move `on_error` says what becomes of that one game: "resign" and "random" log the reason,
    "raise" ends the bot with BotFailed. Failures are reported to the server, for the bot's owner alone, unless
    `reports` is False. With a `seed` Python's random numbers are repeatable.

    `server` and `token` are by default those of the variables CORNERED_SERVER and CORNERED_TOKEN, else a server on this
    machine and the same player in every run. `accepts` are the names of the games that the bot plays, by default all;
    `longest` is its search time in milliseconds. `ladder` of its `concurrency` games at once are rated ones against
    other bots, for which the server pairs it. `version` is the bot's, such as "2.1": with a new one its ratings are
    uncertain again, and profiles list each. It enters the `tournament` of this id and plays its games.

    It waits for challenges. With `play` it challenges the opponent of this name instead, again after each game and each
    of its games in turn; with `seek` it keeps a table open too. Such games have the `clock`, as "1+0" (minutes and
    seconds more a move), "20/move" or "none", and are `rated` or not. It ends after `games` games, by default never.
    """
    require_not_loading()
    settings = BotSettings(
        accepts=accepts,
        concurrency=concurrency,
        ladder=ladder,
        version=version,
        tournament=tournament,
        longest=longest,
        thinks_in=thinks_in or DEFAULT_THINKS_IN,
        seed=seed,
        on_error=on_error,
        reports=reports,
        play=play,
        games=games,
        clock=clock,
        rated=rated,
        seek=seek,
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    playing = play_bot(
        name,
        partial(given, choose),
        settings,
        server=server or os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER,
        token=token or os.environ.get(TOKEN_VARIABLE) or None,
    )
    with contextlib.suppress(KeyboardInterrupt):
        _run(playing)


def _run(playing: Coroutine[None, None, None]) -> None:
    """Run a coroutine to its end: on an event loop of its own also where one runs, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(playing)
        return
    with ThreadPoolExecutor(1, thread_name_prefix="bot") as thread:
        loops: list[asyncio.AbstractEventLoop] = []
        tasks: list[asyncio.Task[None]] = []
        has_begun = threading.Event()

        async def run() -> None:
            loops.append(asyncio.get_running_loop())
            tasks.append(loops[0].create_task(playing))
            has_begun.set()
            await tasks[0]

        done = thread.submit(asyncio.run, run())
        try:
            done.result()
        except KeyboardInterrupt:
            has_begun.wait()
            loops[0].call_soon_threadsafe(tasks[0].cancel)
            raise
