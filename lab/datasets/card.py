"""The data card: a README.md above the files that says what they hold, how they were made and how to load them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cornered.engine.records.files import replacing
from cornered.lab.contests.terms import FAULT_ENDINGS
from cornered.lab.datasets.plan import DatasetPlan
from cornered.lab.datasets.schema import COLUMNS, DATA, ORIGIN, origin, shard_path

__all__ = ["CARD", "DatasetCounts", "count", "write_card"]

CARD: Final = "README.md"
COUNTED: Final = ("ply", "ending", "places", "source", "evaluation", "proven")


@dataclass(slots=True)
class DatasetCounts:
    """What the files of a data set hold. `firsts` counts the games that each seat has won, and `draws` the drawn."""

    games: int = 0
    rows: int = 0
    bytes: int = 0
    evaluated: int = 0
    draws: int = 0
    moveless: int = 0
    """The games without a row: a bot failed before its first move."""
    firsts: Counter[int] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    proven: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> int:
        """The number of games that a bot's failure ended."""
        return self.moveless + sum(self.endings[ending] for ending in FAULT_ENDINGS)

    def as_json(self) -> dict[str, Any]:
        """Return the counts as JSON-compatible values."""
        return {
            "games": self.games,
            "rows": self.rows,
            "bytes": self.bytes,
            "evaluated": self.evaluated,
            "draws": self.draws,
            "moveless": self.moveless,
            "firsts": {str(seat): number for seat, number in sorted(self.firsts.items())},
            "endings": dict(sorted(self.endings.items())),
            "sources": dict(sorted(self.sources.items())),
            "proven": dict(sorted(self.proven.items())),
        }


def count(plan: DatasetPlan, folder: Path) -> DatasetCounts:
    """Count what all files hold. Raises ValueError for a file that is not of the plan's games."""
    counts = DatasetCounts()
    for shard in range(plan.shards):
        path = shard_path(folder, shard)
        try:
            table = pq.read_table(path, columns=list(COUNTED))
        except pa.ArrowInvalid as error:
            raise ValueError(
                f"{path} is no file of this data set: {error}; remove it, and repeat the command"
            ) from None
        games = table.filter(pc.equal(table["ply"], 0))
        if (table.schema.metadata or {}).get(ORIGIN) != origin(plan, shard):
            raise ValueError(f"{path} has other games than the plan; remove it, and repeat the command")
        counts.games += len(plan.shard_numbers(shard))
        counts.moveless += len(plan.shard_numbers(shard)) - len(games)
        counts.rows += len(table)
        counts.bytes += path.stat().st_size
        counts.evaluated += len(table) - table["evaluation"].null_count
        counts.endings.update(games["ending"].to_pylist())
        counts.sources.update(_valued(table["source"]))
        counts.proven.update(_valued(table["proven"]))
        for places in games["places"].to_pylist():
            if places is not None and places.count(1) == 1:
                counts.firsts[places.index(1)] += 1
            elif places is not None:
                counts.draws += 1
    return counts


def _valued(column: pa.ChunkedArray) -> dict[str, int]:
    """Return how often each value occurs, without nulls."""
    found = pc.value_counts(column.cast(pa.string()).drop_null())
    return {one["values"]: one["counts"] for one in found.to_pylist()}


def write_card(plan: DatasetPlan, folder: Path, counts: DatasetCounts, command: str, licence: str) -> Path:
    """Write the card; return its path. Equal data sets in folders of equal names have equal cards."""
    path = folder / CARD
    with replacing(path) as part:
        part.write_text(_card(plan, folder, counts, command, licence), encoding="utf-8")
    return path


def _card(plan: DatasetPlan, folder: Path, counts: DatasetCounts, command: str, licence: str) -> str:
    terms = plan.terms
    game = terms.load()
    options = ", ".join(f"{name} {_shown(value)}" for name, value in game.options.items())
    limits = [
        f"{value:,} {unit} a move"
        for value, unit in ((terms.time, "ms"), (terms.depth, "plies"), (terms.nodes, "nodes"))
        if value is not None
    ]
    is_repeatable = terms.time is None
    return f"""---
pretty_name: cornered-games, {game.title}
license: {json.dumps(licence.lower())}
task_categories:
- reinforcement-learning
size_categories:
- {_size(counts.rows)}
configs:
- config_name: default
  data_files: {DATA}/*.parquet
---

# cornered-games: {game.title}

Positions of {counts.games:,} games that bots played against each other, one row a position before a move, with the
move, the bot's evaluation and how the game ended. The rows of a game follow each other, and games are in the order of
their numbers.

## How it was made

    {command}

| | |
| --- | --- |
| game | {game.title}: {options} |
| bots | {", ".join(f"`{word}`" for word in plan.bots)}; each seat of a game draws one |
| limit of a bot's search | {" and ".join(limits) or "the bot's own"} |
| random plies at the start | {plan.plies} |
| probability of a random move later | {plan.explore:g} |
| seed | {terms.seed} |
| most plies | {terms.longest} |
| versions | Cornered {version("cornered")}, pyarrow {version("pyarrow")} |

{
        "The same command and versions make the same files, byte for byte."
        if is_repeatable
        else "A clock limited the searches, so the same command makes other moves and evaluations each time."
    }

## What it holds

| | |
| --- | --- |
| games | {counts.games:,} |
| rows | {counts.rows:,} |
| rows with an evaluation | {counts.evaluated:,} |
| bytes | {counts.bytes:,}, {counts.bytes / max(1, counts.rows):.1f} a row |
| files | {plan.shards:,}, of {plan.shard_games:,} games |
| won by seat | {_table(counts.firsts, range(game.seats))} |
| draws | {counts.draws:,} |
| games without a move | {counts.moveless:,} |
| endings | {_table(counts.endings)} |
| moves by source | {_table(counts.sources)} |
| proven positions | {_table(counts.proven)} |

## Columns

| column | type | unit | what |
| --- | --- | --- | --- |
{chr(10).join(f"| `{one.name}` | {_type(one.type)} | {_unit(one.unit)} | {one.description} |" for one in COLUMNS)}

## Limits of use

- An evaluation is what a shallow search says; only `proven` is certain, and positions without it are not drawn.
- Positions of one game depend on each other: divide into training and test data by `number`.
- Bots of one family play alike.
- Games that begin alike may be the same game; `position` says which rows are equal.
- `result` is of the game as it was played, with its random moves after the position.
- Evaluations of bots with other units cannot be compared: `evaluation_unit` says which have the same.

## Loading

    import pandas
    frame = pandas.read_parquet("{folder.name}/{DATA}", columns=["position", "move", "evaluation", "result"])

    import polars
    frame = polars.scan_parquet("{folder.name}/{DATA}").filter(polars.col("source") == "bot").collect()

    import pyarrow.dataset
    table = pyarrow.dataset.dataset("{folder.name}/{DATA}").to_table()

A position becomes a state with its legal moves, and planes, by

    from cornered.research import encoding, load
    game = load("{game.name}"{"".join(f", {name}={value!r}" for name, value in game.options.items())})
    state = game.parse(frame["position"][0])
    planes = encoding(game).observe(state)

## Licence

{licence}
"""


def _table(found: Mapping[Any, int], keys: Any = None) -> str:
    return ", ".join(f"{key} {found.get(key, 0):,}" for key in (sorted(found) if keys is None else keys)) or "none"


def _shown(value: object) -> str:
    return "none" if value is None else str(value).lower()


def _type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        return "string, by dictionary"
    return str(kind).replace("element: ", "").replace("item: ", "")


def _unit(unit: str) -> str:
    return f"`{unit}`" if unit == "evaluation_unit" else unit


def _size(rows: int) -> str:
    """Return the size category of the Hugging Face Hub."""
    ends = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
    return next((name for end, name in ends if rows < end), "10M<n<100M" if rows < 10**8 else "100M<n<1B")
