"""Columns of a data set and its files: one row a position, one file for a number of games."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cornered.engine.records.files import replacing
from cornered.lab.datasets.plan import DatasetPlan
from cornered.lab.datasets.playing import GameRows

__all__ = ["COLUMNS", "DATA", "ORIGIN", "SCHEMA", "Column", "origin", "shard_path", "shard_table", "write_shard"]

DATA: Final = "data"
ORIGIN: Final = b"cornered"
"""The key of a file's origin in the metadata of its schema."""
WORD: Final = pa.dictionary(pa.int32(), pa.string())
COMPRESSION_LEVEL: Final = 9
"""Of Zstandard; measured in docs/dataset.md."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its type, its unit, and what it holds. `is_whole` says that a game has one value of it."""

    name: str
    type: pa.DataType
    unit: str
    description: str
    is_whole: bool = False


COLUMNS: Final = (
    Column("game", WORD, "", "the game's name", is_whole=True),
    Column("options", WORD, "", "the game's options, all of them, as a JSON object with sorted keys", is_whole=True),
    Column("seed", pa.int64(), "", "the data set's seed", is_whole=True),
    Column("number", pa.int64(), "", "the game's number in the data set, from 0", is_whole=True),
    Column("players", pa.list_(pa.string()), "", "the bot words by seat", is_whole=True),
    Column("ply", pa.int16(), "plies", "moves before this position, dice rolls included; 0 is the start"),
    Column("position", pa.string(), "", "the position text before the move"),
    Column("seat", pa.int8(), "", "the seat to move, from 0; null where the dice are rolled"),
    Column("move", WORD, "", "the move that was played, in the game's notation"),
    Column("action", pa.int16(), "", "the same move as the number of `cornered.research.encoding`"),
    Column(
        "source",
        WORD,
        "",
        "where the move is from: `bot`; `explored`, a random move in the place of the bot's; `opening`, a random move "
        "at the start; `dice`; null in the game of a bot whose process died",
    ),
    Column("bot", WORD, "", "the bot that thought here; null where none did"),
    Column("chosen", WORD, "", "the move that the bot chose; other than `move` where `source` is `explored`"),
    Column("evaluation", pa.float32(), "evaluation_unit", "the bot's score of the position for the mover; may be null"),
    Column(
        "evaluation_unit",
        WORD,
        "",
        "`moves`: 0 is even, 1 about one move's worth, a won game 10,000 less the plies to its end; `result`: mean "
        "result from -1 to 1; `either`: one of these, by the phase of the game; `own`: the unit of a bot's author",
    ),
    Column("depth", pa.int16(), "plies", "the depth that the bot's search completed; 0 for no search"),
    Column("nodes", pa.int64(), "nodes", "the nodes that the bot searched, or its playouts"),
    Column("proven", WORD, "", "`win`, `draw` or `loss` of the mover with best play, where the bot proved it"),
    Column("distance", pa.int16(), "plies", "the plies to the proven end: exact from a solver, else an upper bound"),
    Column("plies", pa.int16(), "plies", "the length of the game", is_whole=True),
    Column(
        "ending",
        WORD,
        "",
        "`rules`; `length`, ended at the most plies; `crashed`, `illegal` or `time`, ended by a bot's failure",
        is_whole=True,
    ),
    Column(
        "places",
        pa.list_(pa.int8()),
        "",
        "the places by seat, 1 the first, equal in a draw; null unless `ending` is `rules`",
        is_whole=True,
    ),
    Column(
        "result",
        pa.float32(),
        "",
        "the mover's result, 1 for a win, 0 for a draw, -1 for a loss; with three or four players the mean over the "
        "others; null for dice, and unless `ending` is `rules`",
    ),
)

SCHEMA: Final = pa.schema(
    [
        pa.field(
            column.name,
            column.type,
            metadata={"description": column.description} | ({"unit": column.unit} if column.unit else {}),
        )
        for column in COLUMNS
    ]
)
"""The schema of every file; fields have their description and unit as metadata."""


def shard_path(folder: Path, shard: int) -> Path:
    """Return the path of a file. The files have a folder of their own, since pandas reads all that a folder has."""
    return folder / DATA / f"games-{shard:05}.parquet"


def shard_table(games: Sequence[GameRows]) -> pa.Table:
    """Return the table of these games, in their order."""
    lengths = [len(game) for game in games]
    arrays = []
    for column in COLUMNS:
        if column.is_whole:
            values = pa.array([game.whole[column.name] for game in games], column.type)
            arrays.append(values.take(pa.array(np.repeat(np.arange(len(games)), lengths))))
        else:
            arrays.append(pa.array(list(chain.from_iterable(game.columns[column.name] for game in games)), column.type))
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def write_shard(folder: Path, shard: int, games: Sequence[GameRows], plan: DatasetPlan) -> None:
    """Write a file atomically, with its origin in its metadata. Equal games make equal bytes with one version of
    pyarrow."""
    table = shard_table(games).replace_schema_metadata({ORIGIN: origin(plan, shard)})
    with replacing(shard_path(folder, shard), sync=True) as part:
        pq.write_table(
            table,
            part,
            compression="zstd",
            compression_level=COMPRESSION_LEVEL,
            use_dictionary=[column.name for column in COLUMNS if column.name != "position"],
        )


def origin(plan: DatasetPlan, shard: int) -> bytes:
    """Return the metadata of a file: the plan and the file's number as JSON."""
    return json.dumps({"plan": plan.as_json(), "file": shard}, sort_keys=True).encode()
