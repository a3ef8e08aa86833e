"""How much stronger each level is than the one below: games in pairs from the same opening, seats swapped."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any, Final

import engine
from bots.bot import Bot, Limit
from bots.roster import create
from engine import CHANCE, Game, State

__all__ = ["Step", "as_json", "lines", "run"]

TIME: Final = 100
"""Milliseconds a move: only the highest levels come near."""
OPENINGS: Final = 100
"""So many openings there are at least: as many random plies as it takes come before the bots take over."""
LONGEST: Final = 400
CONFIDENCE: Final = 1.96
"""Standard deviations to either side of 95% of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Step:
    """What the higher of two levels scored: Elo by the logistic curve, with the 95% interval of Wilson's method."""

    game: str
    lower: str
    higher: str
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games

    @property
    def elo(self) -> tuple[float, float, float]:
        """The difference and the two ends of its interval; infinite where one side won everything."""
        n, p, z = self.games, self.score, CONFIDENCE
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        width = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return _elo(p), _elo(middle - width), _elo(middle + width)


def _elo(score: float) -> float:
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def run(
    game: str, bots: Sequence[str], games: int, report: Callable[[int, int], None] = lambda done, total: None
) -> list[Step]:
    """Let each of `bots` play `games` games against the one before it; `report` hears how many games are over."""
    played = _played(game)
    for spec in bots:
        if not create(spec).plays(played):
            raise ValueError(f"{spec} does not play {played!r}")
    climbs = list(itertools.pairwise(bots))
    pairs = [(index, number) for index in range(len(climbs)) for number in range((games + 1) // 2)]
    totals = [[0, 0, 0] for _ in climbs]
    with ProcessPoolExecutor(mp_context=get_context("forkserver")) as pool:
        jobs = [(game, *climbs[index], number) for index, number in pairs]
        for done, ((index, _), results) in enumerate(zip(pairs, pool.map(_pair, jobs), strict=True), 1):
            for result in results:
                totals[index][result] += 1
            report(2 * done, 2 * len(pairs))
    return [Step(game, lower, higher, *counted) for (lower, higher), counted in zip(climbs, totals, strict=True)]


def _played(game: str) -> Game:
    """Return the game with the options that matches have."""
    loaded = engine.load(game)
    return engine.load(game, **{**loaded.options, **loaded.suggestions(loaded.options)})


def _pair(job: tuple[str, str, str, int]) -> list[int]:
    """Return how two games from one opening ended for the higher bot: 0 won, 1 drawn, 2 lost."""
    game, lower, higher, number = job
    chance = random.Random(f"{game} {number}")
    start = _played(game).start()
    plies = next(plies for plies in itertools.count(1) if engine.perft(start, plies) >= OPENINGS)
    for _ in range(plies):
        start = start.play(chance.choice(start.moves()))
    return [_play(start, lower, higher, seat, 2 * number + seat) for seat in (0, 1)]


def _play(state: State, lower: str, higher: str, seat: int, seed: int) -> int:
    players: list[Bot] = [create(higher, seed), create(lower, seed)]
    chance = random.Random(seed)
    for _ in range(LONGEST):
        if state.outcome is not None:
            break
        if state.to_move == CHANCE:
            state = state.play(chance.choice(state.moves()))
            continue
        player = players[0 if state.to_move == seat else 1]
        state = engine.apply(state, player.choose(state, Limit(time=TIME)).move)
    if state.outcome is None or state.outcome.winner is None:
        return 1
    return 0 if state.outcome.winner == seat else 2


def as_json(steps: list[Step]) -> list[dict[str, Any]]:
    """Return the figures for a machine to read; an infinite Elo is null."""
    return [
        {**asdict(step), "score": step.score, "elo": [None if math.isinf(elo) else round(elo, 1) for elo in step.elo]}
        for step in steps
    ]


def lines(steps: list[Step]) -> Iterator[str]:
    """Return the figures as a table."""
    yield f"{'game':<10} {'higher':<14} {'lower':<14} {'+':>5} {'=':>5} {'-':>5} {'score':>6} {'Elo':>6}  95%"
    for step in steps:
        elo, low, high = step.elo
        yield (
            f"{step.game:<10} {step.higher:<14} {step.lower:<14} {step.wins:>5} {step.draws:>5} {step.losses:>5} "
            f"{step.score:>6.1%} {elo:>+6.0f}  {low:+.0f} to {high:+.0f}"
        )
