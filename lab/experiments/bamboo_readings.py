"""Readings of the Bamboo paper's heuristics (section III.A), and games between them.

A player is a list of ratings of the open cells: the best by the first, of those the best by the second, and so on. The
players of the roster rate one cell at a time; these rate all cells at once, and play a game in a few milliseconds.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cmp_to_key
from random import Random
from typing import Final, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from cornered import engine
from cornered.bots.bamboo.cells import bamboo, cubes, distance, each, outerness
from cornered.engine.games.bamboo import groups, whole
from cornered.engine.kernels.hexagon import Position, advance, placements

__all__ = [
    "AVERAGE",
    "CLOSEST",
    "CLOSEST_OF_ALL",
    "COMPONENTS",
    "GROUPS",
    "GROUP_TERMS",
    "PAIRS",
    "READINGS",
    "SPARSE_TERMS",
    "SUM",
    "TIES",
    "TRUNCATED",
    "HeuristicReading",
    "HeuristicView",
    "HexagonTables",
    "choose",
    "rated",
    "reading_wins",
    "tables",
    "view_of",
]

Indices: TypeAlias = npt.NDArray[np.int64]
Ratings: TypeAlias = npt.NDArray[np.float64]
TieRule: TypeAlias = Literal["random", "listed", "truncated"]
"""What decides between cells: chance among the best, the first of the best in the order of cells, or a heap of shuffled
cells whose comparator truncates differences of ratings to whole numbers, which is not transitive."""
StoneSet: TypeAlias = Literal["own", "other", "all", "free"]
Metric: TypeAlias = Literal["steps", "max(u-v)", "max(v-u)", "rings", "straight"]

ROUNDING: Final = 1e-9
"""Ratings that differ by less are equal."""


@dataclass(frozen=True, slots=True, eq=False)
class HexagonTables:
    """Geometry of one size; cells are indices into `cubes(radius)`, in its order."""

    numbers: Indices
    index: Mapping[int, int]
    outer: Ratings
    outer_signed: Ratings
    """max(v) as section III.A.1 prints it, without absolute values."""
    distances: Mapping[Metric, Ratings]
    neighbours: Indices
    """Six for each cell; the number of cells stands for none."""


@cache
def tables(radius: int) -> HexagonTables:
    """Return the geometry of a size."""
    at = cubes(radius)
    vectors = np.array(list(at.values()))
    between = vectors[:, None, :] - vectors[None, :, :]
    outer = np.array([outerness(cube) for cube in at.values()], float)
    distances: dict[Metric, Ratings] = {
        "steps": np.abs(between).max(axis=2).astype(float),
        "max(u-v)": between.max(axis=2).astype(float),
        "max(v-u)": (-between).max(axis=2).astype(float),
        "rings": np.abs(outer[:, None] - outer[None, :]),
        "straight": np.sqrt((between**2).sum(axis=2)),
    }
    neighbours = np.full((len(at), 6), len(at))
    for place, cube in enumerate(at.values()):
        near = [i for i, other in enumerate(at.values()) if distance(cube, other) == 1]
        neighbours[place, : len(near)] = near
    signed = vectors.max(axis=1).astype(float)
    index = {number: place for place, number in enumerate(at)}
    return HexagonTables(np.array(list(at)), index, outer, signed, distances, neighbours)


@dataclass(frozen=True, slots=True, eq=False)
class HeuristicView:
    """A position as its mover sees it: sets of cells by index, the open ones being the legal placements."""

    tables: HexagonTables
    open: Indices
    own: Indices
    other: Indices
    free: Indices
    own_stones: int
    """Bits by number of cell, as are `all_stones`."""
    all_stones: int


def view_of(position: Position, open_cells: int, radius: int) -> HeuristicView:
    """Return the mover's view of a position."""
    at = tables(radius)
    own, other, free = (whole(cells) for cells in (position[:3], position[3:6], position[6:9]))
    opened, mine, theirs, empty = (_indices(at, cells) for cells in (open_cells, own, other, free))
    return HeuristicView(at, opened, mine, theirs, empty, own, own | other)


def _indices(at: HexagonTables, cells: int) -> Indices:
    return np.array([at.index[number] for number in each(cells)], np.int64)


Term: TypeAlias = Callable[[HeuristicView], Ratings]
"""Rates each open cell."""


def _distance_term(
    stones: StoneSet, measure: Literal["average", "closest"], metric: Metric = "steps", most: float = math.inf
) -> Term:
    """Return the distance to a set of cells, at most `most`; 0 where the set is empty."""

    def rate(view: HeuristicView) -> Ratings:
        sets = {"own": view.own, "other": view.other, "all": np.append(view.own, view.other), "free": view.free}
        if not len(sets[stones]):
            return np.zeros(len(view.open))
        found = view.tables.distances[metric][np.ix_(view.open, sets[stones])]
        ratings: Ratings = found.min(axis=1) if measure == "closest" else found.mean(axis=1)
        return cast(Ratings, np.minimum(ratings, most))

    return rate


def _count(stones: Literal["own", "all"], least: Literal[1, 2] = 1) -> Term:
    """Return the number of groups of `least` stones or more after the placement."""

    def rate(view: HeuristicView) -> Ratings:
        found = list(groups(view.own_stones if stones == "own" else view.all_stones))
        labels = np.full(len(view.tables.numbers) + 1, -1)
        for label, group in enumerate(found):
            labels[_indices(view.tables, group)] = label
        near = np.sort(labels[view.tables.neighbours[view.open]], axis=1)
        is_new = np.diff(near, axis=1, prepend=-1) > 0
        if least == 1:
            return cast(Ratings, len(found) + 1.0 - is_new.sum(axis=1))
        counts = np.array([group.bit_count() > 1 for group in found] or [False])
        joined = (is_new & counts[near]).sum(axis=1)
        return cast(Ratings, counts.sum() - joined + is_new.any(axis=1).astype(float))

    return rate


def _outer(view: HeuristicView) -> Ratings:
    return view.tables.outer[view.open]


def _outer_signed(view: HeuristicView) -> Ratings:
    return view.tables.outer_signed[view.open]


def _plus(first: Term, second: Term, weight: float = 1.0) -> Term:
    """Return the sum of a rating and `weight` times another."""
    return lambda view: first(view) + weight * second(view)


def _times(first: Term, second: Term) -> Term:
    return lambda view: first(view) * second(view)


def _minus(term: Term) -> Term:
    return lambda view: -term(view)


@dataclass(frozen=True, slots=True)
class HeuristicReading:
    """A player: its ratings, the most important first, and what decides between cells."""

    terms: tuple[Term, ...] = ()
    ties: TieRule = "random"


def rated(reading: HeuristicReading, view: HeuristicView) -> list[int]:
    """Return the indices of the open cells that are best by all ratings, in the order of cells."""
    kept = np.arange(len(view.open))
    for term in reading.terms:
        ratings = term(view)[kept]
        kept = kept[ratings >= ratings.max() - ROUNDING]
    return [int(cell) for cell in view.open[kept]]


def choose(reading: HeuristicReading, view: HeuristicView, chance: Random) -> int:
    """Return the index of the cell that a player chooses."""
    if reading.ties == "truncated":
        ratings = [term(view) for term in reading.terms]

        def compare(one: int, other: int) -> int:
            return next((gap for by in ratings if (gap := int(by[other] - by[one]))), 0)

        queue = [cmp_to_key(compare)(place) for place in chance.sample(range(len(view.open)), len(view.open))]
        heapq.heapify(queue)
        return int(view.open[queue[0].obj])  # type: ignore[attr-defined]  # functools.cmp_to_key stores it
    best = rated(reading, view)
    return best[0] if reading.ties == "listed" else chance.choice(best)


CLOSEST: Final = "the closest own stone"
CLOSEST_OF_ALL: Final = "the closest stone of either colour"
AVERAGE: Final = "the average of the own stones"
SPARSE_TERMS: Final[Mapping[str, Term]] = {
    CLOSEST: _distance_term("own", "closest"),
    CLOSEST_OF_ALL: _distance_term("all", "closest"),
    "the opponent's closest stone": _distance_term("other", "closest"),
    "the closest own stone, but at most 2": _distance_term("own", "closest", most=2),
    "the closest own stone by max(u - v)": _distance_term("own", "closest", "max(u-v)"),
    "the closest own stone by max(v - u)": _distance_term("own", "closest", "max(v-u)"),
    "the closest own stone in a straight line": _distance_term("own", "closest", "straight"),
    "the own stone closest in distance from the centre": _distance_term("own", "closest", "rings"),
    "the closest own stone, the smaller the better": _minus(_distance_term("own", "closest")),
    AVERAGE: _distance_term("own", "average"),
    "the average of all stones": _distance_term("all", "average"),
    "the average of the free cells": _distance_term("free", "average"),
}
"""Readings of sparsity: a distance to something."""
TRUNCATED: Final = "the average of the own stones, differences truncated in a heap"

GROUPS: Final = "groups of the own colour"
COMPONENTS: Final = "components of all stones"
PAIRS: Final = "groups of two stones or more"
"""The groups of the paper's section II."""
GROUP_TERMS: Final[Mapping[str, Term]] = {
    GROUPS: _count("own"),
    COMPONENTS: _count("all"),
    PAIRS: _count("own", 2),
    "components of two stones or more": _count("all", 2),
    "groups of the own colour, the fewer the better": _minus(_count("own")),
    "components of all stones, the fewer the better": _minus(_count("all")),
}

TIES: Final = ", ties to the outermost"
SUM: Final = ", plus the distance from the centre"


def _readings() -> dict[str, HeuristicReading]:
    found = {
        "uniform": HeuristicReading(),
        "outer": HeuristicReading((_outer,)),
        "outer by max(v)": HeuristicReading((_outer_signed,)),
        TRUNCATED: HeuristicReading((SPARSE_TERMS[AVERAGE],), "truncated"),
        TRUNCATED + TIES: HeuristicReading((SPARSE_TERMS[AVERAGE], _outer), "truncated"),
    }
    found |= {name: HeuristicReading((term,)) for name, term in GROUP_TERMS.items()}
    for name, term in SPARSE_TERMS.items():
        found[name] = HeuristicReading((term,))
        found[name + TIES] = HeuristicReading((term, _outer))
        found[name + SUM] = HeuristicReading((_plus(term, _outer),))
    near = SPARSE_TERMS[CLOSEST]
    return found | {
        CLOSEST + ", first in the order of cells": HeuristicReading((near,), "listed"),
        CLOSEST + TIES + ", first in the order of cells": HeuristicReading((near, _outer), "listed"),
        CLOSEST + TIES + " by max(v)": HeuristicReading((near, _outer_signed)),
        CLOSEST + SUM + " by max(v)": HeuristicReading((_plus(near, _outer_signed),)),
        CLOSEST + SUM + " twice": HeuristicReading((_plus(near, _outer, 2),)),
        CLOSEST + SUM + " by half": HeuristicReading((_plus(near, _outer, 0.5),)),
        CLOSEST + ", times the distance from the centre": HeuristicReading((_times(near, _outer),)),
        CLOSEST + ", breaking ties of the outermost": HeuristicReading((_outer, near)),
    }


READINGS: Final[Mapping[str, HeuristicReading]] = _readings()
"""Players by what they maximise."""


def reading_wins(item: tuple[str, str, int, int, int, int]) -> int:
    """Return how many games the first of two readings wins: `item` is their names, the radius, the seed and the range
    of the games' numbers, whose parity decides the seats."""
    first, second, radius, seed, start, end = item
    wins = 0
    for number in range(start, end):
        chance = Random(f"{seed} readings {first} {second} {radius} {number}")
        players = [READINGS[first], READINGS[second]][:: 1 if number % 2 == 0 else -1]
        position = bamboo(engine.load("bamboo", radius=radius).start()).position
        while open_cells := whole(placements(position)):
            view = view_of(position, open_cells, radius)
            cell = choose(players[position.turn], view, chance)
            position = advance(position, int(view.tables.numbers[cell]))
        # The mover has lost.
        wins += position.turn != number % 2
    return wins
