"""`cornered bench pairing`: how long players wait in a pool, and how fair their games are, in simulated time.

The lobby's own decider pairs a population that comes back at random: its rule is measured, without sockets or a store.
"""

from __future__ import annotations

import heapq
import itertools
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import quantiles
from typing import Final

from cornered.lab.reports.plots import COLOURS, drawing, save
from cornered.protocol.commands import EnterPool
from cornered.protocol.values import Player
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.events import LobbyEvent, MatchEnded, MatchMade
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.pool_pairing import Candidate, pair
from cornered.server.lobby.pools import offered_pools

__all__ = ["PairingReport", "as_json", "draw", "lines", "run"]

RATING_MEAN: Final = 1500.0
RATING_DEVIATION: Final = 300.0
GAME_SECONDS: Final = (60, 600)
"""The shortest and the longest game."""
TENTHS: Final = 10
ROUND_SIZES: Final = (100, 1_000)
"""Players who wait at once in the rounds that are timed."""


@dataclass(frozen=True, slots=True)
class Tenth:
    """The players of one tenth of the ratings: waits in seconds, gaps in rating points."""

    least_rating: float
    games: int
    median_wait: float
    p95_wait: float
    median_gap: float


@dataclass(frozen=True, slots=True)
class PairingReport:
    """The figures of one run: waits in seconds, gaps in rating points, times of a round in milliseconds.

    `repeats` counts games against one of the newest opponents; `longest` is the longest wait of all, with that of who
    waited to the end.
    """

    players: int
    rate: float
    seed: int
    games: int
    median_wait: float
    p95_wait: float
    longest: float
    median_gap: float
    p95_gap: float
    repeats: int
    tenths: tuple[Tenth, ...]
    round_ms: dict[int, float]


@dataclass(frozen=True, slots=True)
class _Seat:
    """One player's part in a game that was paired."""

    player: int
    rating: float
    waited: float
    gap: float


def run(players: int = 10_000, rate: float = 1.0, seed: int = 0) -> PairingReport:
    """Let a population of `players` enter one pool `rate` times a second, until as many entries were made.

    Entries are a Poisson process of players who do not play; a game takes 1 to 10 minutes.
    """
    simulation = _Simulation(players, rate, seed)
    simulation.run()
    seats = simulation.seats
    waits, gaps = [seat.waited for seat in seats], [seat.gap for seat in seats]
    return PairingReport(
        players=players,
        rate=rate,
        seed=seed,
        games=len(seats) // 2,
        median_wait=_percentile(waits, 50),
        p95_wait=_percentile(waits, 95),
        longest=max((*waits, *simulation.still_waiting()), default=0.0),
        median_gap=_percentile(gaps, 50),
        p95_gap=_percentile(gaps, 95),
        repeats=simulation.repeats,
        tenths=tuple(_tenths(seats)),
        round_ms={size: _time_round(size, seed) for size in ROUND_SIZES},
    )


class _Simulation:
    """The population, the lobby and the simulated clock, in seconds."""

    def __init__(self, players: int, rate: float, seed: int) -> None:
        self._random = random.Random(seed)
        self._rate = rate
        self._left_to_enter = players
        self._ratings = [self._random.gauss(RATING_MEAN, RATING_DEVIATION) for _ in range(players)]
        self._players = [Player(id=f"p{index}", name=f"P{index}", kind="person") for index in range(players)]
        self._lobby = Lobby(bounds=Bounds(matches_per_address=players))
        self._lobby.notes_changes = False
        self._pool = offered_pools()[0]
        self._busy = set[int]()
        self._ends: list[tuple[float, str, tuple[int, int]]] = []
        self._ids = itertools.count()
        self._now = 0.0
        self.seats: list[_Seat] = []
        self.repeats = 0
        for player in self._players:
            self._fold(self._lobby.arrive(player))

    def run(self) -> None:
        """Enter and pair until all entries are made and nobody new can be paired soon."""
        next_entry, patience = self._random.expovariate(self._rate), 0
        while self._left_to_enter or patience < 120:
            self._now += 1.0
            while self._left_to_enter and next_entry <= self._now:
                self._enter(next_entry)
                self._left_to_enter -= 1
                next_entry += self._random.expovariate(self._rate)
            self._end_games()
            self._pair()
            patience += not self._left_to_enter

    def still_waiting(self) -> list[float]:
        """Return the waits of those who were never paired."""
        return [self._now - entry.since / 1000 for entry in self._lobby.pools.entries()]

    def _fold(self, events: Sequence[LobbyEvent]) -> None:
        for event in events:
            self._lobby.evolve(event)

    def _enter(self, at: float) -> None:
        player = self._random.randrange(len(self._players))
        while player in self._busy:
            player = self._random.randrange(len(self._players))
        self._busy.add(player)
        command = EnterPool(id=f"c{next(self._ids)}", pool=self._pool.id)
        self._fold(
            self._lobby.decide(
                command,
                self._players[player],
                round(at * 1000),
                new_id="",
                random_number=0,
                rating=self._ratings[player],
            )
        )

    def _end_games(self) -> None:
        while self._ends and self._ends[0][0] <= self._now:
            _, match, seats = heapq.heappop(self._ends)
            self._fold((MatchEnded(match),))
            self._busy.difference_update(seats)

    def _pair(self) -> None:
        pairs, leaving = self._lobby.pairs_in(self._pool.id, round(self._now * 1000))
        if leaving:
            raise RuntimeError(f"a player has no place for a game: {leaving[0].reason}")
        for both in pairs:
            one, other = (int(player.id[1:]) for player in both)
            self.repeats += both[1].id in self._lobby.pools.opponents(both[0].id)
            gap = abs(self._ratings[one] - self._ratings[other])
            for index in (one, other):
                entry = self._lobby.pools.entry(f"p{index}")
                assert entry is not None
                self.seats.append(_Seat(index, self._ratings[index], self._now - entry.since / 1000, gap))
            match = f"m{next(self._ids)}"
            events = self._lobby.meet(self._pool, both, new_id=match, random_number=self._random.getrandbits(64))
            self._fold([replace(one, is_open=True) if isinstance(one, MatchMade) else one for one in events])
            heapq.heappush(self._ends, (self._now + self._random.uniform(*GAME_SECONDS), match, (one, other)))


def _time_round(size: int, seed: int) -> float:
    """Return the milliseconds of one round among so many players who wait, the best of five."""
    chance = random.Random(seed)
    candidates = [
        Candidate(f"p{index}", chance.gauss(RATING_MEAN, RATING_DEVIATION), chance.randrange(20_000))
        for index in range(size)
    ]
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        pair(candidates)
        best = min(best, time.perf_counter() - began)
    return best * 1000


def _percentile(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1] if len(values) > 1 else 0.0


def _tenths(seats: Sequence[_Seat]) -> list[Tenth]:
    ordered = sorted(seats, key=lambda seat: seat.rating)
    size = -(-len(ordered) // TENTHS) or 1
    parts = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [
        Tenth(
            part[0].rating,
            len(part),
            _percentile([seat.waited for seat in part], 50),
            _percentile([seat.waited for seat in part], 95),
            _percentile([seat.gap for seat in part], 50),
        )
        for part in parts
    ]


def lines(report: PairingReport) -> list[str]:
    """Return the report as text."""
    return [
        f"{report.games:,} games of {report.players:,} entries, {report.rate:g} a second (seed {report.seed})",
        f"wait      {report.median_wait:.1f} s for half, {report.p95_wait:.1f} s for 95%, "
        f"{report.longest:.1f} s the longest",
        f"rating    within {report.median_gap:.0f} points for half, {report.p95_gap:.0f} for 95%; "
        f"{report.repeats} games against one of the newest opponents",
        *(
            f"from {tenth.least_rating:5.0f}  {tenth.median_wait:5.1f} s for half, {tenth.p95_wait:5.1f} s for 95%, "
            f"within {tenth.median_gap:.0f} points for half"
            for tenth in report.tenths
        ),
        *(f"a round of {size:,} takes {took:.1f} ms" for size, took in report.round_ms.items()),
    ]


def as_json(report: PairingReport) -> str:
    """Return the report as JSON."""
    return json.dumps(asdict(report), indent=2)


def draw(report: PairingReport, path: Path) -> None:
    """Plot waits and gaps by tenth of the ratings."""
    with drawing(height=5.4) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True)
        ratings = [tenth.least_rating for tenth in report.tenths]
        top.plot(ratings, [one.median_wait for one in report.tenths], "o-", color=COLOURS[0], label="half")
        top.plot(ratings, [one.p95_wait for one in report.tenths], "o-", color=COLOURS[1], label="95%")
        bottom.plot(ratings, [one.median_gap for one in report.tenths], "o-", color=COLOURS[0], label="half")
        top.set_ylim(bottom=0)
        bottom.set_ylim(bottom=0)
        top.set_ylabel("wait, s")
        bottom.set_ylabel("gap, rating points")
        bottom.set_xlabel("least rating of a tenth of the games")
        top.legend()
        save(figure, path)
