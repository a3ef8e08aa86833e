"""`cornered bench playouts`: random games per second on one core: bare playouts, in a contest, and in a contest on
disk. Where OpenSpiel is installed, its Quoridor is measured in the same run, in the loop that its users write in
Python. A playout there stores nothing, so it is compared with the bare one."""

from __future__ import annotations

import importlib
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any, Final

from cornered.bots.playout import playouts
from cornered.lab.contests.arena import play
from cornered.lab.contests.contest import GameStore, MemoryGameStore
from cornered.lab.contests.journal import ContestJournal
from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms

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


@dataclass(frozen=True, slots=True)
class Speed:
    """Games per CPU second. `openspiel` is None where it is not installed, or does not have the game."""

    game: str
    plies: float
    bare: float
    contest: float
    kept: float
    openspiel: float | None


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

    bare = _rate(lambda number: games.count(number, CHUNK_GAMES, terms.longest), seconds)
    with tempfile.TemporaryDirectory() as folder, ContestJournal.open(Path(folder), terms, {}) as journal:
        in_memory, on_disk = contest(MemoryGameStore()), contest(journal)
    counted = games.count(0, 10 * CHUNK_GAMES, terms.longest)
    peer = _openspiel(seconds) if terms.game == "quoridor" else None
    return Speed(terms.game, counted.plies / counted.games, bare, in_memory, on_disk, peer)


def _openspiel(seconds: float) -> float | None:
    """Return games of Quoridor per second in a plain loop over OpenSpiel's, None where it is missing."""
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        return None
    game = pyspiel.load_game("quoridor(board_size=9)")
    chance = random.Random(1)

    def chunk(number: int) -> None:
        for _ in range(CHUNK_GAMES):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))

    return _rate(chunk, seconds)


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
    return [{**asdict(speed), "ratio": speed.bare / speed.openspiel if speed.openspiel else None} for speed in speeds]


def lines(speeds: list[Speed]) -> Iterator[str]:
    """Return the figures as a table, with the targets."""
    yield f"{'games a second':<15} {'plies':>6} {'bare':>10} {'contest':>9} {'on disk':>9}   aim"
    for speed in speeds:
        aim = f"contest {TARGET_RATES[speed.game]:,}" if speed.game in TARGET_RATES else ""
        if speed.openspiel is not None:
            ratio = speed.bare / speed.openspiel
            aim = f"bare {TARGET_RATIO} times OpenSpiel's loop: {speed.openspiel:,.0f}, so {ratio:.1f} times"
        elif speed.game == "quoridor":
            aim = f"bare {TARGET_RATIO} times OpenSpiel's loop, which is not installed"
        yield (
            f"{speed.game:<15} {speed.plies:>6.1f} {speed.bare:>10,.0f} {speed.contest:>9,.0f} {speed.kept:>9,.0f}   "
            f"{aim}"
        ).rstrip()
