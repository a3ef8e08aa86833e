"""A trial of an author's bot: a server on this machine, the levels as opponents, and a reload when a file changes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from cornered import engine
from cornered.cli.editable_bot import EditableBot
from cornered.cli.house_process import keep_house_bots
from cornered.cli.reachable import loopback
from cornered.cli.trial_failures import common_failure, each_traceback_once
from cornered.clients.sdk import Client, NoOpponent, TokenStore, unwrapped_errors
from cornered.clients.sdk.address import require_name
from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.bot_word import ChooseState
from cornered.clients.sdk.opponents import find_opponent
from cornered.clients.sdk.running import BotSettings, play_bot, stay_as
from cornered.clients.sdk.timecontrol import read_clock
from cornered.protocol.bot_reports import BotIncident
from cornered.protocol.text import comparison_key
from cornered.protocol.values import MatchSummary

__all__ = ["Trial", "run_trial"]

LEVELS: Final = 10
GAMES_A_LEVEL: Final = 2
SAMPLE_STEP: Final = 3
"""Levels from one to the next in the sample of all strengths, from level 1 to level 10."""
PATIENCE_S: Final = 2.0
"""Seconds after which the wait for the opponents is explained."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: the bot's file, its games, and its opponents."""

    path: Path
    games: tuple[str, ...]
    against: str | None
    """The opponent; None plays a sample of the levels, and climbs through them."""
    most: int | None
    """The number of games after which the trial ends."""
    clock: str
    seed: int
    port: int

    def __post_init__(self) -> None:
        read_clock(self.clock)
        if self.against is not None and self.against not in _levels():
            raise ValueError(f"an opponent is {_levels()[0]} to {_levels()[-1]}, not {self.against!r}")
        if comparison_key(self.name) in map(comparison_key, _levels()):
            raise ValueError(f"{self.path.name} is called like an opponent: rename it")

    @property
    def begins_with_sample(self) -> bool:
        """Whether it begins with a game with each of some levels: a limited number of games goes to the lowest ones."""
        return self.against is None and self.most is None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the games, by default all."""
        return self.games or tuple(game.name for game in engine.games())

    @property
    def name(self) -> str:
        return require_name(self.path.stem)


def _levels() -> list[str]:
    return [f"level-{level}" for level in range(1, LEVELS + 1)]


async def run_trial(trial: Trial, started: Callable[[str], None], tell: Callable[[str], None]) -> None:
    """Play until the games are over or it is cancelled. `started` gets the page's address, `tell` each line for people.

    Raises ValueError and BotFailed where the bot's file cannot be loaded at the beginning.
    """
    from cornered.server.app import run
    from cornered.server.settings import load_settings

    bot = EditableBot(trial.path, tell)
    await bot.load()
    with unwrapped_errors():
        async with AsyncExitStack() as stack:
            stack.enter_context(each_traceback_once())
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cornered-trial-")))
            settings = load_settings(host="127.0.0.1", port=trial.port, data=folder, log_level="error")
            address = loopback(await stack.enter_async_context(run(settings, beforehand=True)))
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            server = address.replace("http", "ws", 1)
            opponents = [trial.against] if trial.against else _levels()
            house = tasks.create_task(
                keep_house_bots(
                    [name.replace("-", ":level=") for name in opponents],
                    server,
                    folder / "house.json",
                    options=("--no-ponder", "--seed", str(trial.seed)),
                ),
                name="house",
            )
            started(f"{address}/#/tv")
            try:
                await _climb(trial, bot, server, opponents, TokenStore(folder / "tokens.json"), tell)
            finally:
                house.cancel()


async def _climb(
    trial: Trial,
    bot: EditableBot,
    server: str,
    opponents: list[str],
    store: TokenStore,
    tell: Callable[[str], None],
) -> None:
    """Play a sample of all strengths, then each opponent in turn, and the next one after a score of more than half.

    Where all games of the sample or of a meeting ended by the same failure, the next one follows an edit of the file:
    it would fail as well. A trial of a limited number of games has them at once.
    """
    rank = played = 0

    async def meet(name: str, wanted: int) -> float:
        nonlocal played
        await _until_there(trial, server, name, tell)
        await bot.play(partial(_play, trial, server, name, played + wanted, store))
        points = await _points(trial, server, store, wanted)
        played += wanted
        tell(f"{trial.name} has {points:g} of {wanted} against {name}")
        return points

    async def wait_where_all_failed(games: int) -> None:
        if trial.most is None and await _have_failed_alike(trial, server, store, games):
            every = "The game" if games == 1 else f"All {games} games"
            tell(f"{every} ended by the same failure; the next one begins when {trial.path.name} has changed")
            await bot.edited()

    if trial.begins_with_sample:
        sample = opponents[::SAMPLE_STEP]
        tell(f"At first one game with each of {', '.join(sample)}, to see all strengths")
        won = [name for name in sample if await meet(name, 1) == 1]
        rank = opponents.index(won[-1]) if won else 0
        await wait_where_all_failed(len(sample))
        tell(f"Now {GAMES_A_LEVEL} games with each level from {opponents[rank]} on, the next one after more than half")
    while trial.most is None or played < trial.most:
        wanted = GAMES_A_LEVEL if trial.most is None else min(GAMES_A_LEVEL, trial.most - played)
        if await meet(opponents[rank], wanted) > wanted / 2:
            rank = min(rank + 1, len(opponents) - 1)
        await wait_where_all_failed(wanted)


async def _until_there(trial: Trial, server: str, name: str, tell: Callable[[str], None]) -> None:
    """Wait until the opponent plays one of the games: on a new machine their searches are compiled one by one."""
    clock = read_clock(trial.clock)
    async with Client.connect(server, name="trial", kind="bot") as client:
        try:
            await find_opponent(client, name, trial.names, clock, patience=PATIENCE_S)
        except NoOpponent:
            tell(f"Waiting for {name}: on a new machine its search is compiled, for up to a minute")
            await find_opponent(client, name, trial.names, clock, patience=None)


async def _play(
    trial: Trial, server: str, against: str, until: int, store: TokenStore, load: Callable[[], ChooseState]
) -> None:
    """Play until `until` games of the trial are over."""
    left = until - len((await _finished(trial, server, store))[1])
    if left <= 0:
        return
    turn = (until - left) % len(trial.names)
    settings = BotSettings(
        # Each game has its turn, also across opponents.
        accepts=trial.names[turn:] + trial.names[:turn],
        play=against,
        games=left,
        clock=trial.clock,
        seed=trial.seed,
    )
    await play_bot(trial.name, load, settings, server=server, store=store)


async def _finished(trial: Trial, server: str, store: TokenStore) -> tuple[str, list[MatchSummary]]:
    """Return the bot's id and its finished matches, the newest first."""
    player, found = "", list[MatchSummary]()

    async def ask(client: Client) -> None:
        nonlocal player
        player = client.player.id
        page = await retry(client.my_matches)
        found.extend(page.finished)
        while page.more is not None:
            page = await retry(partial(client.my_matches, page.more))
            found.extend(page.finished)

    if store.get(server, trial.name) is not None:
        await stay_as(trial.name, ask, server=server, store=store)
    return player, found


async def _have_failed_alike(trial: Trial, server: str, store: TokenStore, games: int) -> bool:
    """Return whether the bot's newest games all ended by the same failure."""
    _, finished = await _finished(trial, server, store)
    found: list[BotIncident] = []

    async def ask(client: Client) -> None:
        found.extend((await retry(client.bot_report)).incidents)

    await stay_as(trial.name, ask, server=server, store=store)
    return common_failure([one.id for one in finished[:games]], found) is not None


async def _points(trial: Trial, server: str, store: TokenStore, games: int) -> float:
    """Return the bot's points in its newest games: 1, 0.5 or 0 each."""
    # By its id: its name may differ from that of its file, where another player has that one.
    own, finished = await _finished(trial, server, store)
    newest = finished[:games]
    seats = [next(seat for seat, player in enumerate(one.players) if player.id == own) for one in newest]
    return sum(
        0.5 if one.winner is None else float(one.winner == seat) for one, seat in zip(newest, seats, strict=True)
    )
