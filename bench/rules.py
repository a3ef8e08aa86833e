"""`cornered bench rules`: perft of every game on one core, beside C programs of the same algorithm."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from cornered import engine
from cornered.engine.warming import warm

__all__ = ["DEPTHS", "Measured", "as_json", "lines", "run"]

DEPTHS: Final[Mapping[str, int]] = {"trapgrid": 24, "isolation": 6, "bamboo": 4, "quoridor": 3}
"""The depth for each game, from the start of its default options."""

SOURCES: Final[Mapping[str, str]] = {
    "trapgrid": "rules.c",
    "isolation": "rules.c",
    "bamboo": "rules_wide.c",
    "quoridor": "rules_wide.c",
}
REPEATS: Final = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """One game's figures, the best of several runs; the C figures are None without a compiler."""

    game: str
    depth: int
    leaves: int
    seconds: float
    c_seconds: float | None

    @property
    def rate(self) -> float:
        """Compiled Python, in millions of leaves per second."""
        return self.leaves / self.seconds / 1e6

    @property
    def c_rate(self) -> float | None:
        """The C program, in millions of leaves per second."""
        return None if self.c_seconds is None else self.leaves / self.c_seconds / 1e6


def run(games: tuple[str, ...] = ()) -> list[Measured]:
    """Measure `games`, or all. Raises RuntimeError when C counts something else."""
    chosen = games or tuple(game.name for game in engine.games() if game.name in DEPTHS)
    for game in chosen:
        if game not in DEPTHS:
            raise ValueError(f"there is no such benchmark as {game!r}; there are {', '.join(DEPTHS)}")
    warm(*chosen)
    with _c_programs() as programs:
        return [_measure(game, programs.get(SOURCES[game])) for game in chosen]


def as_json(measured: list[Measured]) -> list[dict[str, Any]]:
    """Return the figures as JSON-compatible values."""
    return [{**asdict(one), "rate": one.rate, "c_rate": one.c_rate} for one in measured]


def lines(measured: list[Measured]) -> Iterator[str]:
    """Return the figures as a table."""
    yield f"{'game':<10} {'depth':>5} {'leaves':>12} {'seconds':>8} {'M leaves/s':>10} {'C':>8} {'of C':>5}"
    for one in measured:
        beside = f"{one.c_rate:8.1f} {one.rate / one.c_rate:5.0%}" if one.c_rate else f"{'-':>8} {'-':>5}"
        yield f"{one.game:<10} {one.depth:>5} {one.leaves:>12} {one.seconds:>8.4f} {one.rate:>10.1f} {beside}"
    if any(one.c_seconds is None for one in measured):
        yield "C is missing where there is no compiler called cc, or no program for the game."


def _measure(game: str, program: Path | None) -> Measured:
    state, depth = engine.load(game).start(), DEPTHS[game]
    seconds = float("inf")
    for _ in range(REPEATS):
        started = time.perf_counter()
        leaves = engine.perft(state, depth)
        seconds = min(seconds, time.perf_counter() - started)
    if program is None:
        return Measured(game, depth, leaves, seconds, None)
    c_runs = [_run_c(program, game, depth) for _ in range(REPEATS)]
    if any(count != leaves for count, _ in c_runs):
        raise RuntimeError(f"{game} at depth {depth}: the rules count {leaves}, the C program {c_runs[0][0]}")
    return Measured(game, depth, leaves, seconds, min(taken for _, taken in c_runs))


def _run_c(program: Path, game: str, depth: int) -> tuple[int, float]:
    answer = subprocess.run(
        [program, game, str(depth)], capture_output=True, encoding="utf-8", check=True
    ).stdout.split()
    return int(answer[0]), float(answer[1])


@contextmanager
def _c_programs() -> Iterator[dict[str, Path]]:
    """Compile the C sources that exist, where a compiler is installed."""
    compiler = shutil.which("cc")
    with tempfile.TemporaryDirectory(prefix="cornered-bench-") as folder:
        programs: dict[str, Path] = {}
        for name in sorted(set(SOURCES.values())) if compiler else []:
            source = Path(__file__).with_name(name)
            if source.exists():
                programs[name] = Path(folder) / source.stem
                command = [str(compiler), "-O3", "-march=native", str(source), "-o", str(programs[name])]
                subprocess.run(command, check=True, capture_output=True)
        yield programs
