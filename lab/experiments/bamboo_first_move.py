"""Table II of the Bamboo paper: share of games that the first player wins when both play at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cornered import engine
from cornered.bots.bamboo.cells import cubes, symmetries
from cornered.engine.games.bamboo import whole, words
from cornered.engine.hashing import mixed
from cornered.engine.kernels.hexagon import Position, placements
from cornered.lab.experiments.beside import error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import PAPER_GAMES, counted, exact
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.comparison import detectable_by, p_of_share
from cornered.lab.statistics.tally import Tally
from cornered.lab.statistics.wilson import Z95, wilson

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "FirstMove", "chance_of_first", "random_games"]

Masks: TypeAlias = npt.NDArray[np.int64]

CLAIMED_SHARES: Final[Mapping[int, tuple[float, float, float]]] = {
    1: (12, 1.44, 22.56),
    2: (38, 29.05, 46.95),
    3: (45, 33.86, 56.14),
    4: (46, 34.57, 57.43),
    5: (49, 36.75, 61.25),
}
"""Printed values for each size in %: the share, and the ends of its interval."""
SOLVED_RADII: Final = (1, 2)
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 200, "quick": 20_000, "full": 200_000}
CHUNK_GAMES: Final = 1000
"""Games of one work item."""


def random_games(item: Sequence[int]) -> int:
    """Return how many random games the first player wins: `item` is the radius, the seed and the number of games."""
    from cornered.bots.bamboo.playout import playout

    radius, seed, games = item
    start = engine.load("bamboo", radius=radius).start().position  # type: ignore[attr-defined]
    return sum(playout(start, int(mixed(seed, number))) == 0 for number in range(games))


def chance_of_first(radius: int) -> float:
    """Return the exact probability that the first player wins when both play at random; seconds for radius 2,
    infeasible for 3. Retrograde expectation over all positions. A position is the pair of both players' sets of stones,
    canonical under the twelve symmetries of the mover's set."""
    turn_of, least = _turned(radius)
    layers = list(_layers(radius))
    allowed = np.zeros(1 << len(cubes(radius)), np.bool_)
    for layer in layers:
        allowed[layer] = True
    # None before the last layer, whose mover has no move. Probabilities are the mover's.
    later: tuple[Masks, npt.NDArray[np.float64]] | None = None
    layers.append(np.empty(0, np.int64))
    for own, other in reversed([pair for k in range(len(layers) - 1) for pair in ((k, k), (k, k + 1))]):
        movers, others = _disjoint(layers[own], layers[other], least)
        total = np.zeros(len(movers))
        moves = np.zeros(len(movers), np.int64)
        for cell in range(len(cubes(radius))):
            after = movers | 1 << cell
            can = np.flatnonzero(allowed[after] & ((others | movers) >> cell & 1 == 0))
            moves[can] += 1
            if later is not None and len(can):
                known, chances = later
                turn = least[others[can]]
                key = _key(turn_of[turn, others[can]], turn_of[turn, after[can]])
                total[can] += 1 - chances[np.searchsorted(known, key)]
        later = _key(movers, others), np.divide(total, moves, out=np.zeros_like(total), where=moves > 0)
    assert later is not None
    return float(later[1][0])


def _key(own: Masks, other: Masks) -> Masks:
    return own << 20 | other


def _disjoint(own: Masks, other: Masks, least: Masks) -> tuple[Masks, Masks]:
    """Return all pairs of disjoint sets in ascending order, own sets only in their canonical orientation."""
    movers = own[least[own] == 0]
    pairs = [other[other & mover == 0] for mover in movers]
    counts = [len(found) for found in pairs]
    return np.repeat(movers, counts), np.concatenate([np.empty(0, np.int64), *pairs])


def _layers(radius: int) -> Iterator[Masks]:
    """Yield the legal sets of stones of one colour, layer by layer of one more stone; bit i is cell i."""
    numbers = list(cubes(radius))
    index = {number: i for i, number in enumerate(numbers)}
    board = sum(1 << number for number in numbers)
    layer = {0}
    while layer:
        yield np.array(sorted({sum(1 << index[number] for number in _each(stones)) for stones in layer}), np.int64)
        layer = {
            stones | 1 << number
            for stones in layer
            for number in _each(whole(placements(Position(*words(stones), 0, 0, 0, *words(board & ~stones), 0))))
        }


def _each(cells: int) -> Iterator[int]:
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


@cache
def _turned(radius: int) -> tuple[Masks, Masks]:
    """Return each set of cells under every symmetry, and the number of the symmetry that gives the least; 0 is the
    identity."""
    numbers = list(cubes(radius))
    index = {number: i for i, number in enumerate(numbers)}
    sets = np.arange(1 << len(numbers), dtype=np.int64)
    images = np.zeros((12, len(sets)), np.int64)
    for image, symmetry in zip(images, symmetries(radius), strict=True):
        for number, i in index.items():
            image |= (sets >> i & 1) << index[symmetry[number]]
    return images, images.argmin(axis=0)


class FirstMove(Experiment):
    name = "bamboo-table-2"
    title = "Table II: the first move's disadvantage among random players"
    source = "bamboo-paper.txt, section V.A, Table II"
    place = 20

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        games = GAMES_BY_SCALE[lab.scale]
        chunk = min(CHUNK_GAMES, games)
        items = [
            [radius, Random(f"{lab.seed} first move {radius} {number}").getrandbits(62), chunk]
            for radius in CLAIMED_SHARES
            for number in range(games // chunk)
        ]
        won = lab.measure("games", random_games, items)
        solved = SOLVED_RADII[:1] if lab.scale == "tiny" else SOLVED_RADII
        exactly = dict(zip(solved, lab.measure("exact", chance_of_first, solved), strict=True))
        rows, wins = list[FigureRow](), dict[int, int]()
        for radius, (printed, *_) in CLAIMED_SHARES.items():
            wins[radius] = sum(first for (r, *_), first in zip(items, won, strict=True) if r == radius)
            rows.append(counted(f"first player wins, size {radius}", printed, Tally.of(wins[radius], games)))
        for radius, chance in exactly.items():
            # Sampling error of the paper's own 100 games.
            low, high = wilson(CLAIMED_SHARES[radius][0], PAPER_GAMES)
            label = f"the same, size {radius}, exact value"
            row = exact(label, f"{CLAIMED_SHARES[radius][0]:g}%", (100 * low, 100 * high), 100 * chance, 1, "%")
            printed_tally = Tally.of(CLAIMED_SHARES[radius][0] / 100 * PAPER_GAMES, PAPER_GAMES)
            p, detectable = p_of_share(printed_tally, chance), detectable_by(100 * low, 100 * high)
            rows.append(replace(row, p=p, detectable=detectable))
        series = {"games": games, "wins": [wins[radius] for radius in CLAIMED_SHARES], "exact": list(exactly.values())}
        return rows, _notes(exactly, wins, games), series

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        axes = figure.subplots()
        rows = finding.rows[: len(CLAIMED_SHARES)]
        sizes = np.array(list(CLAIMED_SHARES))
        printed = np.array(list(CLAIMED_SHARES.values())).T
        axes.axhline(50, color="grey", linewidth=1)
        axes.errorbar(
            sizes - 0.06,
            printed[0],
            yerr=[printed[0] - printed[1], printed[2] - printed[0]],
            fmt="s",
            color=COLOURS[1],
            capsize=3,
            label="paper, with its printed intervals",
        )
        axes.errorbar(
            sizes + 0.06,
            [row.ours for row in rows],
            yerr=error_bars(rows),
            fmt="o",
            color=COLOURS[0],
            capsize=3,
            label=f"ours, {finding.series['games']:,} games a size",
        )
        exactly = finding.series["exact"]
        axes.plot(
            np.arange(len(exactly)) + 1.14,
            [100 * chance for chance in exactly],
            "_",
            markersize=14,
            color=COLOURS[2],
            markeredgewidth=2,
            label="exact",
        )
        axes.set(xlabel="size (radius)", ylabel="games that the first player wins, %", ylim=(0, 65), xticks=sizes)
        axes.legend(loc="lower right")


def _notes(exactly: Mapping[int, float], wins: Mapping[int, int], games: int) -> list[str]:
    implied = []
    for share, low, high in CLAIMED_SHARES.values():
        reach = (high - low) / 200
        implied.append(round(share / 100 * (1 - share / 100) * (Z95 / reach) ** 2))
    notes = []
    for radius, chance in exactly.items():
        low, high = wilson(wins[radius], games)
        contains = "contains it" if low <= chance <= high else "does not contain it"
        notes.append(
            f"Size {radius}: the exact value is {chance:.6f}, the expectation over every position; the interval of our "
            f"games, {100 * low:.2f}% to {100 * high:.2f}%, {contains}."
        )
    notes.append(
        "The paper's shares are counts of 100 games, but its intervals are not those of 100 games: by the binomial "
        f"formula that it names, their widths belong to {', '.join(map(str, implied))} games for sizes 1 to 5."
    )
    notes.append(
        'That "especially for small grid sizes, taking the first turn is a great disadvantage" holds: it shrinks with '
        "the size and is small, but not nothing, on size 5."
        if 50 - 100 * wins[5] / games > 100 * Z95 * 0.5 / games**0.5
        else 'That "especially for small grid sizes, taking the first turn is a great disadvantage" holds for '
        "these; on size 5 our games do not show any."
    )
    return notes


EXPERIMENTS = (FirstMove(),)
