"""`cornered bench clocks`: bots of the roster play each other over real sockets on short clocks; none may flag.

The server is a process of its own; the bots are clients in this one and think in worker processes, some of which are
killed in mid-search if wanted.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import random
import re
import signal
import tempfile
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from cornered import engine
from cornered.bench.server import target
from cornered.bots.bot import Thought
from cornered.bots.online.host import BotHost, HostConfig, HostedBot
from cornered.bots.pool.pool import Pool
from cornered.bots.roster import names as roster
from cornered.clients.sdk import Closed, CommandRefused, Limit, MatchView, TokenStore, unwrapped_errors
from cornered.engine import Game, State
from cornered.protocol.values import Fischer

__all__ = ["Arrivals", "ClocksReport", "Trial", "as_json", "kill_workers", "lines", "read_clock", "run"]

VARIED: Final = 0.5
"""How often a game is played with an option that is not the usual one."""
GAME_TIMEOUT_S: Final = 300.0
"""Seconds after which a game counts as hanging."""
LOG_WORDS: Final = {
    "a quick move stands in": "stand_ins",
    "is no legal move": "illegal_moves",
    "the bot resigns match": "failures",
    "a worker was lost": "lost_workers",
    "no worker was free": "late_starts",
    "failed in": "failures",
    "came too late": "late_moves",
}
"""Parts of the log messages of bots and their pool, and the field that counts them."""


@dataclass(slots=True)
class ClocksReport:
    """What came of some games. Times are milliseconds; `flags` are the games that were lost on time, and by whom."""

    clock: str
    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    flags: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    illegal_moves: int = 0
    failures: int = 0
    stand_ins: int = 0
    late_starts: int = 0
    late_moves: int = 0
    lost_workers: int = 0
    killed_workers: int = 0
    longest_overshoot: float = 0.0
    least_left: float = float("inf")
    by_game: Counter[str] = field(default_factory=Counter)
    stood_in: Counter[str] = field(default_factory=Counter)
    lost_with: Counter[str] = field(default_factory=Counter)


class _Timed(Pool):
    """A pool that notes how late its answers come."""

    report: ClocksReport

    async def choose(self, bot: str, state: State, limit: Limit, *, seed: int | None = None) -> Thought:
        thought = await Pool.choose(self, bot, state, limit, seed=seed)
        if limit.deadline is not None:
            late = 1000 * (time.monotonic() - limit.deadline)
            self.report.longest_overshoot = max(self.report.longest_overshoot, late)
        return thought


class _Ear(logging.Handler):
    """Counts the warnings of the bots and their pool."""

    def __init__(self, report: ClocksReport) -> None:
        super().__init__()
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        said = record.getMessage()
        for words, name in LOG_WORDS.items():
            if words in said:
                setattr(self._report, name, getattr(self._report, name) + 1)
                break
        if found := re.search(r"stands in for (\S+)", said):
            self._report.stood_in[found[1]] += 1
        if found := re.search(r"lost while (\S+) thought: (.*?) in ", said):
            self._report.lost_with[f"{found[1]}: {found[2]}"] += 1


def read_clock(text: str) -> Fischer:
    """Return the clock of `1+0.05`: seconds, and seconds a move. Raises ValueError."""
    found = re.fullmatch(r"(\d+)\+(\d+(?:\.\d+)?)", text)
    if not found:
        raise ValueError(f"a clock is seconds and seconds a move, as in 1+0.05, not {text!r}")
    return Fischer(initial=int(found[1]), increment=float(found[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """`games` games, `concurrency` at once. Every `kill_every_s` seconds, unless 0, a thinking worker is killed.

    `bots` are those of the roster, with settings if wanted, by default all; `only` are the names of the games.
    """

    games: int = 100
    clock: str = "1+0.05"
    concurrency: int = 4
    workers: int | None = None
    kill_every_s: float = 0.0
    bots: Sequence[str] = ()
    only: Sequence[str] = ()


def run(trial: Trial, tell: Callable[[str], None] = lambda _: None) -> ClocksReport:
    """Play the games and report. Raises a ValueError for an unknown game or a faulty clock."""
    for name in trial.only:
        engine.load(name)
    read_clock(trial.clock)
    return asyncio.run(_run(trial, tell))


async def _run(trial: Trial, tell: Callable[[str], None]) -> ClocksReport:
    report = ClocksReport(trial.clock)
    specs = list(trial.bots or roster())
    guests = HostedBot.all_of(specs)
    kinds = [kind for kind in engine.games() if not trial.only or kind.name in trial.only]
    with _listening(report), tempfile.TemporaryDirectory(prefix="cornered-clocks-") as folder, unwrapped_errors():
        async with target("cornered") as server, _Timed.open(trial.workers, specs) as pool:
            assert isinstance(pool, _Timed)
            pool.report = report
            arrivals = Arrivals()
            host = BotHost(guests, pool, HostConfig(concurrency=trial.concurrency), began=arrivals.hear)
            running = asyncio.ensure_future(host.run(server.address, store=TokenStore(Path(folder) / "tokens.json")))
            try:
                while not all(host.is_ready(guest.name, [kind.name for kind in kinds]) for guest in guests):
                    await host.changed()
                tell(f"{len(guests)} bots are ready")
                began = time.monotonic()
                await _play_all(trial, kinds, _Matchmaker(host, arrivals, report), pool, tell)
                report.seconds = time.monotonic() - began
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
    return report


@contextlib.contextmanager
def _listening(report: ClocksReport) -> Iterator[None]:
    """Count what bots and pool log inside the block."""
    ear, logger = _Ear(report), logging.getLogger("cornered")
    before = logger.level, logger.propagate
    logger.addHandler(ear)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(ear)
        logger.level, logger.propagate = before


async def _play_all(
    trial: Trial, kinds: Sequence[type[Game]], matchmaker: _Matchmaker, pool: Pool, tell: Callable[[str], None]
) -> None:
    numbers = itertools.count()
    chance = random.Random(1)
    clock, report = read_clock(trial.clock), matchmaker.report

    async def play_some() -> None:
        while (number := next(numbers)) < trial.games:
            await matchmaker.play(_some_options(kinds[number % len(kinds)], chance), clock)
            if report.games % 20 == 0:
                tell(f"{report.games} games, {report.moves} moves, {len(report.flags)} flags")

    async with asyncio.TaskGroup() as tasks:
        killer = tasks.create_task(kill_workers(pool, trial.kill_every_s, report)) if trial.kill_every_s else None
        async with asyncio.TaskGroup() as players:
            for _ in range(trial.concurrency):
                players.create_task(play_some())
        if killer is not None:
            killer.cancel()


async def kill_workers(pool: Pool, every: float, report: ClocksReport) -> None:
    """Kill a worker in the middle of a search every so many seconds, until cancelled."""
    while True:
        await asyncio.sleep(every)
        if pool.thinking:
            with contextlib.suppress(ProcessLookupError):
                os.kill(random.choice(pool.thinking), signal.SIGKILL)
                report.killed_workers += 1


def _some_options(kind: type[Game], chance: random.Random) -> Game:
    """Return the game with its usual options, or with one of them changed."""
    game = kind()
    options = {**game.options, **game.suggestions(game.options)}
    option = chance.choice(kind.OPTIONS)
    if chance.random() < VARIED and option.name not in game.suggestions(game.options):
        other = chance.choice(option.choices) if option.kind == "int" else not options[option.name]
        with contextlib.suppress(ValueError):
            game = kind(**{**options, option.name: other})
            if game.seats == 2:
                return game
    return kind(**options)


@dataclass(frozen=True, slots=True)
class _Matchmaker:
    """Lets the bots of a host play each other, and counts the results."""

    host: BotHost
    arrivals: Arrivals
    report: ClocksReport

    async def play(self, game: Game, clock: Fischer) -> None:
        """Let two of the bots play one game."""
        report = self.report
        able = self.host.able(game)
        if len(able) < 2:
            return
        names = random.sample(able, 2)
        first, second = (self.host.clients[name] for name in names)
        what = f"{game!r} {' - '.join(names)}"
        try:
            async with asyncio.timeout(GAME_TIMEOUT_S):
                arriving = self.arrivals.expect(names)
                await first.challenge(second.player.id, game.name, clock=clock, **game.options)
                match = await arriving
                with contextlib.suppress(Closed):
                    while not match.over:
                        clocks = [left for left in match.snapshot.clocks.left if left is not None]
                        report.least_left = min([report.least_left, *clocks])
                        await match.changed(match.version)
        except (CommandRefused, Closed, TimeoutError) as error:
            report.unfinished.append(f"{what}: {error or type(error).__name__}")
            return
        report.games += 1
        report.moves += match.ply
        report.by_game[game.name] += 1
        if match.snapshot.reason == "time":
            losers = [info.player.name for info in match.snapshot.seats if info.place != 1]
            report.flags.append(f"{what}: {', '.join(losers)} at ply {match.ply}")
        elif match.snapshot.reason != "rules":
            report.unfinished.append(f"{what}: {match.snapshot.reason}")


class Arrivals:
    """Resolves a future for each match between two players when it begins."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._expected: defaultdict[frozenset[str], deque[asyncio.Future[MatchView]]] = defaultdict(deque)

    def expect(self, names: Sequence[str]) -> asyncio.Future[MatchView]:
        """Return the next match between these two, when it begins."""
        arriving: asyncio.Future[MatchView] = asyncio.get_running_loop().create_future()
        self._expected[frozenset(names)].append(arriving)
        return arriving

    def hear(self, match: MatchView) -> None:
        """Resolve the future of a match; both players report it."""
        if match.id in self._seen:
            return
        self._seen.add(match.id)
        waiting = self._expected[frozenset(player.name for player in match.players)]
        while waiting:
            arriving = waiting.popleft()
            if not arriving.done():
                arriving.set_result(match)
                return


def as_json(report: ClocksReport) -> dict[str, object]:
    """Return the figures as they are printed with --json."""
    return asdict(report)


def lines(report: ClocksReport) -> Iterator[str]:
    """Yield the figures for people."""
    games = ", ".join(f"{count} {name}" for name, count in sorted(report.by_game.items()))
    yield f"{report.games} games at {report.clock} in {report.seconds:.0f} s ({games}), {report.moves:,} moves"
    yield f"lost on time         {len(report.flags):8}"
    yield f"illegal moves        {report.illegal_moves:8}"
    yield f"bots that failed     {report.failures:8}"
    yield f"not played to an end {len(report.unfinished):8}"
    lost = ", ".join(f"{count} with {what}" for what, count in report.lost_with.most_common(6))
    yield f"workers killed       {report.killed_workers:8}   lost for any reason {report.lost_workers}: {lost}"
    who = ", ".join(f"{count} of {name}" for name, count in report.stood_in.most_common(8))
    yield f"moves stood in for   {report.stand_ins:8}   {who}"
    yield f"no worker in time    {report.late_starts:8}"
    yield f"longest overshoot    {report.longest_overshoot:8.0f} ms of the planned time"
    yield f"least on a clock     {report.least_left:8.0f} ms"
    for problem in (*report.flags, *report.unfinished):
        yield f"! {problem}"
