"""Many positions, one bot, every core: `cornered think --file`. Answers come out in the order of the positions."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import engine
from bots.pool import Pool
from bots.roster import create
from clients.rules import warm_up
from clients.thinking import answer, limit_of
from engine.game import CHANCE, State

__all__ = ["Wish", "read_positions", "think_through"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What to ask about every position."""

    bot: str
    time: float | None
    depth: int | None
    nodes: int | None
    lines: int
    seed: int | None = None


def read_positions(path: Path) -> list[State]:
    """Return the positions of a file of JSON lines with `game`, `options` and `moves`, or `position` in place of moves.

    Raises a ValueError that names the line when one cannot be read.
    """
    states = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            states.append(_read(json.loads(line)))
        except KeyError as error:
            raise ValueError(f"{path}:{number}: the line has no {error}") from None
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{path}:{number}: {error}") from None
    return states


def _read(fields: dict[str, Any]) -> State:
    game = engine.load(fields["game"], **fields.get("options", {}))
    if "position" in fields and "moves" not in fields:
        return game.parse(fields["position"])
    state = game.start()
    for move in fields["moves"]:
        state = engine.apply(state, move)
    return state


def think_through(file: Path, out: Path, wish: Wish, *, workers: int | None, resume: bool) -> None:
    """Write what the bot would play in each position of `file` to `out`, a line each, telling of the progress.

    A position in which nobody has to move gets a line without a move. With `resume` the answers that `out` holds stay;
    they have to be those of the first positions.
    """
    states = read_positions(file)
    bot = create(wish.bot, wish.seed)
    for state in states:
        if not bot.plays(state.game):
            raise ValueError(f"{bot.name} does not play {state.game!r}")
    done = _answered(out, states) if resume else 0
    warm_up(*sorted({state.game.name for state in states}))
    for game in {state.game for state in states}:
        bot.prepare(game)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    written = done
    try:
        with Progress(*columns, console=console) as progress, out.open("a" if done else "w", encoding="utf-8") as file_:
            bar = progress.add_task(f"{bot.label} thinks", total=len(states), completed=done)

            def wrote() -> None:
                nonlocal written
                written += 1
                progress.update(bar, completed=written)

            asyncio.run(_think(states[done:], wish, workers or os.cpu_count() or 1, _Ordered(file_, wrote)))
    except KeyboardInterrupt:
        console.print(f"stopped after {written} of {len(states)} answers; add --resume to go on")
        raise


class _Ordered:
    """Writes answers in their order, each as soon as all before it are written."""

    def __init__(self, file: TextIO, wrote: Any) -> None:
        self._file = file
        self._wrote = wrote
        self._waiting: dict[int, dict[str, Any]] = {}
        self._next = 0

    def put(self, index: int, line: dict[str, Any]) -> None:
        self._waiting[index] = line
        while self._next in self._waiting:
            self._file.write(json.dumps(self._waiting.pop(self._next)) + "\n")
            self._file.flush()
            self._next += 1
            self._wrote()


async def _think(states: list[State], wish: Wish, workers: int, answers: _Ordered) -> None:
    """Keep `workers` processes busy until every position has its answer."""
    queue = iter(enumerate(states))
    async with Pool.open(min(workers, len(states)) or 1) as pool, asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(_answer_next(queue, wish, pool, answers))


async def _answer_next(queue: Iterator[tuple[int, State]], wish: Wish, pool: Pool, answers: _Ordered) -> None:
    for index, state in queue:
        if state.outcome is not None or state.to_move == CHANCE:
            answers.put(index, {"position": str(state), "move": None})
            continue
        limit = limit_of(wish.time, wish.depth, wish.nodes, wish.lines)
        started = perf_counter()
        thought = await pool.choose(wish.bot, state, limit)
        if not thought.seconds:
            thought = replace(thought, seconds=perf_counter() - started)
        line = answer(thought, state)
        if wish.lines == 1:
            del line["lines"]
        answers.put(index, line)


def _answered(out: Path, states: list[State]) -> int:
    """Return how many answers `out` holds, after cutting off a half-written one. Raises a ValueError for others'."""
    if not out.exists():
        return 0
    kept = []
    for number, line in enumerate(out.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        if not line.endswith("\n"):
            break
        position = json.loads(line).get("position")
        if number > len(states) or position != str(states[number - 1]):
            raise ValueError(f"{out}:{number} answers another position; choose another --out, or leave --resume out")
        kept.append(line)
    out.write_text("".join(kept), encoding="utf-8")
    return len(kept)
