"""Readings of the Bamboo paper's Table III, five players each, and how likely each makes the printed shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cornered.lab.experiments.bamboo_readings import (
    AVERAGE,
    CLOSEST,
    CLOSEST_OF_ALL,
    COMPONENTS,
    GROUP_TERMS,
    GROUPS,
    READINGS,
    SPARSE_TERMS,
    SUM,
    TIES,
    TRUNCATED,
)

__all__ = ["FITTING_READINGS", "TRIED", "TableReading", "log_likelihood"]

FITTING_READINGS: Final = ("uniform", "outer", COMPONENTS, CLOSEST_OF_ALL, CLOSEST_OF_ALL + SUM)
"""Readings that together fit Table III, in the order of its players: uniform, outer, group count, sparsity, and
sparsity & outer. Others fit as well."""


@dataclass(frozen=True, slots=True)
class TableReading:
    """Five readings of Table III's players, in its order, and the size of the board. `changed` is the place of the
    player that differs from `FITTING_READINGS` and that the reading is about."""

    label: str
    players: tuple[str, ...]
    changed: int
    radius: int = 5


def _tried() -> list[TableReading]:
    uniform, outer, count, sparse, both = FITTING_READINGS
    found = [
        TableReading("colours ignored, distances added", FITTING_READINGS, 4),
        TableReading("Table I to the letter", (uniform, outer, GROUPS, CLOSEST, CLOSEST + TIES), 4),
        TableReading("section III.A.3 to the letter", (uniform, outer, GROUPS, AVERAGE, AVERAGE + TIES), 4),
        TableReading("outer by max(v)", (uniform, "outer by max(v)", count, sparse, both), 1),
    ]
    found += [TableReading(name, (uniform, outer, name, sparse, both), 2) for name in GROUP_TERMS if name != count]
    for name in [*SPARSE_TERMS, TRUNCATED]:
        found.append(TableReading(name + TIES, (uniform, outer, count, name, name + TIES), 4))
        if name not in (CLOSEST_OF_ALL, TRUNCATED):
            found.append(TableReading(name + SUM, (uniform, outer, count, name, name + SUM), 4))
    plain = [name for name in READINGS if name.startswith(CLOSEST + ",") and name not in GROUP_TERMS]
    known = {name for reading in found for name in reading.players}
    listed = CLOSEST + ", first in the order of cells"
    for name in plain:
        if name not in known and name != listed:
            alone = listed if name.endswith("order of cells") else CLOSEST
            found.append(TableReading(name, (uniform, outer, count, alone, name), 4))
    for radius in (3, 4, 6):
        for name, players in (
            (CLOSEST + TIES, (uniform, outer, count, CLOSEST, CLOSEST + TIES)),
            ("colours ignored, distances added", FITTING_READINGS),
        ):
            found.append(TableReading(f"size {radius}: {name}", players, 4, radius))
    return found


TRIED: Final[Sequence[TableReading]] = _tried()
"""Every reading of the table that is measured."""


def log_likelihood(shares: Sequence[float], printed: Sequence[float], games: int) -> float:
    """Return the logarithm of the binomial probability of printed shares in %, of so many games, where the true shares
    are `shares` from 0 to 1, all above 0 and below 1."""
    total = 0.0
    for share, percent in zip(shares, printed, strict=True):
        wins = round(percent / 100 * games)
        ways = math.lgamma(games + 1) - math.lgamma(wins + 1) - math.lgamma(games - wins + 1)
        total += ways + wins * math.log(share) + (games - wins) * math.log(1 - share)
    return total
