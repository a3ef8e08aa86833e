"""Positions to learn from, and their files: columns of numbers in Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from cornered.bots.nnue.layout import LOGIT_SCORE, SCORE_LIMIT
from cornered.bots.search.template import PROVEN_SCORE
from cornered.engine.records.files import replacing

__all__ = ["Positions", "logit_score", "maker", "read", "write"]

NEWTON_STEPS: Final = 30
LEAST_LOGIT_SCORE: Final = 50.0
MOST_LOGIT_SCORE: Final = 5_000.0
"""Bounds of a fit to a few games."""


@dataclass(frozen=True, slots=True)
class Positions:
    """One position a row: `fields` int64 (n, fields of the game's `Position`); `scores` int32 (n), the search's score
    for the mover in hundredths; `moves` int16 (n), the number of its best move; `results` int8 (n), 1 for a game that
    the mover won, 0 for a draw, -1 for a loss; `games` int32 (n), the number of the game."""

    fields: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int16]
    results: npt.NDArray[np.int8]
    games: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.scores)

    def where(self, chosen: npt.NDArray[np.bool_]) -> Positions:
        """Return the rows for which `chosen` is true."""
        return Positions(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def rescaled(self, logit_score: float) -> Positions:
        """Return them with scores in the networks' hundredths, where `logit_score` is a logit of 1; proofs stay."""
        scores = np.rint(self.scores * (LOGIT_SCORE / logit_score)).clip(-SCORE_LIMIT, SCORE_LIMIT).astype(np.int32)
        scores = np.where(np.abs(self.scores) > PROVEN_SCORE, self.scores, scores)
        return replace(self, scores=scores)

    @classmethod
    def together(cls, parts: Sequence[Positions]) -> Positions:
        """Return all rows of at least one part."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def logit_score(positions: Positions) -> float:
    """Return the score, in hundredths, that stands for an expected result of 73%, a logit of 1: fitted to the results
    of the games, by Newton's method. Positions that are proven, or nearly, are left out."""
    open_ones = positions.where(np.abs(positions.scores) <= SCORE_LIMIT)
    scores, results = open_ones.scores / LOGIT_SCORE, (open_ones.results + 1) / 2
    slope = 0.0
    for _ in range(NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-np.clip(slope * scores, -30, 30)))
        curvature = float((expected * (1 - expected) * scores**2).sum())
        if curvature == 0.0:
            break
        slope += float(((results - expected) * scores).sum()) / curvature
    return LOGIT_SCORE / min(max(slope, LOGIT_SCORE / MOST_LOGIT_SCORE), LOGIT_SCORE / LEAST_LOGIT_SCORE)


def maker(start: Any) -> Callable[[Iterable[Any]], Any]:
    """Return what makes positions of their fields, each of the type that it has in `start`: kernels tell signed from
    unsigned words, and give back neither."""
    make, kinds = type(start), [type(value) for value in start]
    return lambda values: make(*(kind(value) for kind, value in zip(kinds, values, strict=True)))


def write(positions: Positions, names: Sequence[str], path: Path) -> None:
    """Write a file atomically. `names` are those of the fields of the game's `Position`."""
    columns: dict[str, Any] = {name: positions.fields[:, at] for at, name in enumerate(names)}
    columns |= {"score": positions.scores, "move": positions.moves}
    columns |= {"result": positions.results, "game": positions.games}
    with replacing(path, sync=True) as part:
        pq.write_table(pa.table(columns), part, compression="zstd")


def read(path: Path) -> Positions:
    """Return the rows of a file. Raises an OSError."""
    table = pq.read_table(path)
    columns = {name: table[name].to_numpy() for name in table.column_names}
    own = [columns.pop(name) for name in ("score", "move", "result", "game")]
    return Positions(np.stack(list(columns.values()), axis=1), *own)
