"""`cornered bench playouts`: random games per second on one core: bare playouts, in a contest, and in a contest on
disk; and those of `cornered.research`: in one call, and in the loop that its users write in Python. Where OpenSpiel is
installed, its Quoridor is measured in the same run, in the same loop. A playout there stores nothing, so it is compared
with the bare one, and ply for ply with the loop."""

from __future__ import annotations

import importlib
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

from cornered.bots.playout import playouts
from cornered.engine import Game
from cornered.lab.contests.arena import play
from cornered.lab.contests.contest import GameStore, MemoryGameStore
from cornered.lab.contests.journal import ContestJournal
from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.research import Board
from cornered.research import playouts as playouts_at_once

__all__ = ["Speed", "as_json", "lines", "run"]

DEFAULT_SECONDS: Final = 2.0
"""CPU seconds of work behind each figure."""
CHUNK_GAMES: Final = 200
"""Games between two readings of the clock."""
OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "trapgrid": {},
    "isolation": {},
    "bamboo": {},
    # OpenSpiel's games end in a draw after four plies a cell.
    "quoridor": {"max_plies": 324, "no_progress": None},
}
TARGET_RATES: Final[Mapping[str, int]] = {"trapgrid": 20_000, "bamboo": 2_000}
"""Target in games per second of a contest; the program of the Bamboo paper's authors plays 46."""
TARGET_RATIO: Final = 10
"""Target ratio of a bare playout's speed to OpenSpiel's loop."""
TARGET_LOOP_RATIO: Final = 1.5
"""The most CPU time of a ply in a Python loop, as a multiple of OpenSpiel's."""
TARGET_BATCH_SHARE: Final = 0.8
"""The least speed of random games in one call, as a share of bare playouts."""
ROUNDS: Final = 3
"""How often the figures that are compared are measured in turn; the fastest of each counts, since other work on the
machine only slows down."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Games per CPU second: bare, in a contest, on disk, and of the research interface in one call; microseconds of CPU
    a ply in a Python loop. OpenSpiel's are None where it is not installed, or does not have the game."""

    game: str
    plies: float
    bare: float
    contest: float
    kept: float
    batch: float
    loop_ply: float
    openspiel: float | None
    openspiel_ply: float | None

    @property
    def ratio(self) -> float | None:
        """How many times as fast bare playouts are as OpenSpiel's loop."""
        return self.bare / self.openspiel if self.openspiel else None

    @property
    def loop_ratio(self) -> float | None:
        """A ply's time in a Python loop as a multiple of OpenSpiel's."""
        return self.loop_ply / self.openspiel_ply if self.openspiel_ply else None

    @property
    def batch_share(self) -> float:
        """The speed of random games in one call as a share of bare playouts."""
        return self.batch / self.bare


def run(seconds: float = DEFAULT_SECONDS) -> Iterator[Speed]:
    """Measure every game in turn."""
    for name, options in OPTIONS.items():
        yield _measure(ContestTerms.of(name, options), seconds)


def _measure(terms: ContestTerms, seconds: float) -> Speed:
    games = playouts(terms.load())
    openings = random_plies(terms)

    def contest(keep: GameStore) -> float:
        def chunk(number: int) -> None:
            first = number * CHUNK_GAMES // 2
            pairs = paired("random", "random", lambda pair: openings(first + pair), CHUNK_GAMES // 2, number=2 * first)
            for fixture in pairs:
                keep.append(play(terms, fixture))

        return _rate(chunk, seconds)

    with tempfile.TemporaryDirectory() as folder, ContestJournal.open(Path(folder), terms, {}) as journal:
        in_memory, on_disk = contest(MemoryGameStore()), contest(journal)
    counted = games.count(0, 10 * CHUNK_GAMES, terms.longest)
    game, peer = terms.load(), _openspiel() if terms.game == "quoridor" else None
    share = seconds / ROUNDS
    bare, batch = 0.0, 0.0
    loops, peers = [], []
    for _ in range(ROUNDS):
        bare = max(bare, _rate(lambda number: games.count(number, CHUNK_GAMES, terms.longest), share))
        batch = max(batch, _rate(lambda number: playouts_at_once(game, CHUNK_GAMES, seed=number), share))
        loops.append(_plies(_board_loop(game), share))
        if peer is not None:
            peers.append(_plies(peer, share))
    loop, theirs = min(loops), min(peers, default=None)
    return Speed(
        terms.game,
        counted.plies / counted.games,
        bare,
        in_memory,
        on_disk,
        batch,
        loop.ply,
        None if theirs is None else theirs.games,
        None if theirs is None else theirs.ply,
    )


class _Loop(NamedTuple):
    """A loop's microseconds of CPU a ply, and games per CPU second."""

    ply: float
    games: float


def _board_loop(game: Game) -> Callable[[], int]:
    """Return a function that plays one random game in a plain loop over the research interface; returns its plies."""
    chance, board = random.Random(1), Board(game)

    def play_one() -> int:
        board.reset()
        while not board.is_over:
            board.apply(chance.choice(board.legal_actions()))
        return len(board.history)

    return play_one


def _openspiel() -> Callable[[], int] | None:
    """Return the same over OpenSpiel's Quoridor, None where it is missing."""
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        return None
    game = pyspiel.load_game("quoridor(board_size=9)")
    chance = random.Random(1)

    def play_one() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
        return int(state.move_number())

    return play_one


def _plies(play_one: Callable[[], int], seconds: float) -> _Loop:
    play_one()
    began, plies, games = process_time(), 0, 0
    while process_time() - began < seconds:
        plies += play_one()
        games += 1
    spent = process_time() - began
    return _Loop(1e6 * spent / plies, games / spent)


def _rate(chunk: Callable[[int], object], seconds: float) -> float:
    """Return games per second of this process's CPU time; each call of `chunk` plays CHUNK_GAMES of them."""
    chunk(0)
    began, chunks = process_time(), 0
    while process_time() - began < seconds:
        chunks += 1
        chunk(chunks)
    return CHUNK_GAMES * chunks / (process_time() - began)


def as_json(speeds: list[Speed]) -> list[dict[str, Any]]:
    """Return the figures as JSON-compatible values."""
    return [
        {
            **asdict(speed),
            "ratio": speed.ratio,
            "loop_ratio": speed.loop_ratio,
            "batch_share": speed.batch_share,
        }
        for speed in speeds
    ]


def lines(speeds: list[Speed]) -> Iterator[str]:
    """Return the figures as a table, with the targets."""
    yield (
        f"{'games a second':<15} {'plies':>6} {'bare':>10} {'contest':>9} {'on disk':>9} {'one call':>10} "
        f"{'us a ply':>9}   aim"
    )
    for speed in speeds:
        aims = [f"one call {TARGET_BATCH_SHARE:.0%} of bare: {speed.batch_share:.0%}"]
        if speed.game in TARGET_RATES:
            aims.append(f"contest {TARGET_RATES[speed.game]:,}")
        yield (
            f"{speed.game:<15} {speed.plies:>6.1f} {speed.bare:>10,.0f} {speed.contest:>9,.0f} {speed.kept:>9,.0f} "
            f"{speed.batch:>10,.0f} {speed.loop_ply:>9.2f}   {'; '.join(aims)}"
        )
    for speed in speeds:
        if speed.openspiel is not None:
            yield (
                f"OpenSpiel's loop over {speed.game}: {speed.openspiel:,.0f} games a second, "
                f"{speed.openspiel_ply:.2f} us a ply"
            )
            yield f"  bare, aim {TARGET_RATIO} times as fast: {speed.ratio:.1f} times"
            yield f"  a ply in a loop, aim {TARGET_LOOP_RATIO} times as long at most: {speed.loop_ratio:.2f} times"
        elif speed.game == "quoridor":
            yield "OpenSpiel is not installed, so nothing is compared with it: pip install 'cornered[openspiel]'"
