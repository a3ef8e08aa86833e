"""`cornered think --file`: analyses many positions on every core; the output has the order of the positions."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import typer
from pydantic import BaseModel, JsonValue, ValidationError

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.pool.pool import Pool
from cornered.bots.roster import create
from cornered.cli.answers import answer, limit_of
from cornered.cli.progress import progress
from cornered.cli.rules import warm_up
from cornered.clients.ending import run_until_signal
from cornered.engine.game import CHANCE, State
from cornered.engine.progress import Progress
from cornered.engine.records.files import LineWriter, read_lines, read_text

__all__ = ["BatchConfig", "read_positions", "think_through"]

ANSWER_PREFIX: Final = b'{"position": '
"""Prefix of every answer: a last line without it is another program's, and is not cut off."""
OTHER_OUT_ADVICE: Final = "choose another --out, or leave --resume out"
NO_ANSWER: Final = f"this is no answer; {OTHER_OUT_ADVICE}"


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """Parameters of every position's search. With a seed the answers do not depend on each other."""

    bot: str
    time: float | None
    depth: int | None
    nodes: int | None
    lines: int
    seed: int | None = None

    @property
    def limit(self) -> Limit:
        """The limit of one position, which starts now."""
        return limit_of(self.time, self.depth, self.nodes, self.lines)

    @property
    def told(self) -> dict[str, JsonValue]:
        """Bot, limit and seed as every answer repeats them; the time is in seconds."""
        limit = self.limit
        return {
            "bot": create(self.bot, self.seed).label,
            "limit": {
                "time": None if limit.time is None else limit.time / 1000,
                "depth": limit.depth,
                "nodes": limit.nodes,
                "lines": limit.lines,
            },
            "seed": self.seed,
        }


class _Asked(BaseModel):
    """One line of a file of positions."""

    game: str
    options: dict[str, JsonValue] = {}
    moves: list[str] | None = None
    position: str | None = None

    def state(self) -> State:
        game = engine.load(self.game, **self.options)
        if self.moves is None:
            if self.position is None:
                raise ValueError("the line has neither moves nor a position")
            return game.parse(self.position)
        state = game.start()
        for move in self.moves:
            state = engine.apply(state, move)
        return state


def read_positions(path: Path) -> list[State]:
    """Return the positions of a file of JSON lines with `game`, `options` and `moves`, or `position` in place of moves.
    Raises ValueError that names the line that cannot be read."""
    states = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            states.append(_Asked.model_validate_json(line).state())
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            what = ": ".join([*map(str, first["loc"]), first["msg"]])
            raise ValueError(f"{path}:{number}: {what}") from None
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}:{number}: {error}") from None
    if not states:
        raise ValueError(f"{path} has no positions")
    return states


def think_through(file: Path, out: Path, wish: BatchConfig, *, workers: int | None, resume: bool) -> None:
    """Write the answers to the positions of `file` to `out`, a line each, with progress. A position in which no player
    is to move gets a line without a move. With `resume` the answers in `out` are kept; they have to be those of the
    first positions, by the same bot, limit and seed."""
    states = read_positions(file)
    if out.exists() and out.samefile(file):
        raise ValueError("--out is the file of the positions itself; the answers need another one")
    bot = create(wish.bot, wish.seed)
    for state in states:
        if not bot.plays(state.game):
            raise ValueError(f"{bot.name} does not play {state.game!r}")
    done = _answered(out, states, wish.told) if resume else 0
    warm_up(*sorted({state.game.name for state in states}))
    for game in {state.game for state in states}:
        bot.prepare(game)
    written = done
    try:
        with progress() as report, closing(LineWriter(out, keep=resume)) as lines:

            def wrote() -> None:
                nonlocal written
                written += 1
                report(Progress(f"{bot.label} thinks", written, len(states)))

            run_until_signal(_think(states[done:], wish, workers or os.cpu_count() or 1, _Ordered(lines, wrote)))
    except KeyboardInterrupt:
        typer.echo(f"stopped after {written} of {len(states)} answers; add --resume to go on", err=True)
        raise


class _Ordered:
    """Writes answers in order: each as soon as all before it are written."""

    def __init__(self, lines: LineWriter, wrote: Callable[[], None]) -> None:
        self._lines = lines
        self._wrote = wrote
        self._waiting: dict[int, dict[str, Any]] = {}
        """Answers by index that wait for those before them; `_next` is the index to write next."""
        self._next = 0

    def put(self, index: int, line: dict[str, Any]) -> None:
        self._waiting[index] = line
        while self._next in self._waiting:
            self._lines.append(json.dumps(self._waiting.pop(self._next)))
            self._next += 1
            self._wrote()


async def _think(states: list[State], wish: BatchConfig, workers: int, answers: _Ordered) -> None:
    """Keep `workers` processes busy until every position has its answer."""
    queue = iter(enumerate(states))
    told = wish.told
    async with Pool.open(min(workers, len(states)) or 1, all_workers=True) as pool, asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(_answer_next(queue, wish, told, pool, answers))


async def _answer_next(
    queue: Iterator[tuple[int, State]], wish: BatchConfig, told: dict[str, JsonValue], pool: Pool, answers: _Ordered
) -> None:
    for index, state in queue:
        if state.outcome is not None or state.to_move == CHANCE:
            answers.put(index, {"position": str(state), "move": None, **told})
            continue
        started = perf_counter()
        thought = await pool.choose(wish.bot, state, wish.limit, seed=wish.seed)
        if not thought.seconds:
            thought = replace(thought, seconds=perf_counter() - started)
        line = {**answer(thought, state), **told}
        if wish.lines == 1:
            del line["lines"]
        answers.put(index, line)


def _answered(out: Path, states: list[State], told: dict[str, JsonValue]) -> int:
    """Return the number of answers in `out`, without a half-written one. Raises ValueError for those of another run."""
    lines, torn = read_lines(out)
    if not (torn.startswith(ANSWER_PREFIX) or ANSWER_PREFIX.startswith(torn)):
        raise ValueError(f"{out}:{len(lines) + 1}: {NO_ANSWER}")
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("position"), str):
            raise ValueError(f"{out}:{number}: {NO_ANSWER}")
        if number > len(states) or found["position"] != str(states[number - 1]):
            raise ValueError(f"{out}:{number} answers another position; {OTHER_OUT_ADVICE}")
        for name, kind in (("bot", "by another bot"), ("limit", "within another limit"), ("seed", "with another seed")):
            if found.get(name) != told[name]:
                was = f", {json.dumps(found[name])}" if name in found else ""
                raise ValueError(f"{out}:{number} is an answer {kind}{was}; {OTHER_OUT_ADVICE}")
    return len(lines)
