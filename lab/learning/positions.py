"""Positions to learn from, and their files: columns of numbers in Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from cornered.engine.records.files import replacing

__all__ = ["Positions", "read", "write"]

FIELDS: Final = "positions"


@dataclass(frozen=True, slots=True)
class Positions:
    """One position a row: `fields` int64 (n, fields of the game's `Position`); `scores` int32 (n), the search's score
    for the mover in hundredths; `results` int8 (n), 1 for a game that the mover won, 0 for a draw, -1 for a loss;
    `games` int32 (n), the number of the game."""

    fields: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int32]
    results: npt.NDArray[np.int8]
    games: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.scores)

    def where(self, chosen: npt.NDArray[np.bool_]) -> Positions:
        """Return the rows for which `chosen` is true."""
        return Positions(self.fields[chosen], self.scores[chosen], self.results[chosen], self.games[chosen])

    @classmethod
    def together(cls, parts: Sequence[Positions]) -> Positions:
        """Return all rows of at least one part."""
        return cls(
            np.concatenate([part.fields for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.results for part in parts]),
            np.concatenate([part.games for part in parts]),
        )


def write(positions: Positions, names: Sequence[str], path: Path) -> None:
    """Write a file atomically. `names` are those of the fields of the game's `Position`."""
    columns: dict[str, Any] = {name: positions.fields[:, at] for at, name in enumerate(names)}
    columns |= {"score": positions.scores, "result": positions.results, "game": positions.games}
    with replacing(path, sync=True) as part:
        pq.write_table(pa.table(columns), part, compression="zstd")


def read(path: Path) -> Positions:
    """Return the rows of a file. Raises an OSError."""
    table = pq.read_table(path)
    columns = {name: table[name].to_numpy() for name in table.column_names}
    score, result, game = (columns.pop(name) for name in ("score", "result", "game"))
    return Positions(np.stack(list(columns.values()), axis=1), score, result, game)
