"""Shared by the commands of `cornered tune`: the model, the journal of its games, and the output file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cornered.cli.progress import progress
from cornered.cli.rules import warm_up

if TYPE_CHECKING:
    from cornered.bots.weights.file import Method
    from cornered.bots.weights.model import Model, Values
    from cornered.lab.contests.terms import Terms
    from cornered.lab.tuning.space import Space

__all__ = [
    "command_of",
    "load_target",
    "named",
    "number_in",
    "playing",
    "resumable",
    "settings_of",
    "space_of",
    "target_of",
    "write_result",
]


def load_target(game: str, option: list[str] | None, seed: int) -> tuple[Model, Terms]:
    """Return the model and the terms of all games, with the rules compiled."""
    from cornered.bots.weights.model import model
    from cornered.engine.records.text import read_option
    from cornered.lab.contests.terms import Terms

    known = model(game)
    terms = Terms.of(game, dict(read_option(each) for each in option or []), seed=seed)
    terms.check(known.word(None, 1))
    warm_up(game)
    return known, terms


def named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"this looks like NAME=VALUE, not {text!r}")
    return name, value


def number_in(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{text!r} is no number")
    return number


def space_of(known: Model, tune: list[str] | None, ranges: list[str] | None) -> Space:
    from cornered.lab.tuning.space import Space

    read = {}
    for name, text in map(named, ranges or []):
        low, colon, high = text.partition(":")
        if not colon:
            raise ValueError(f"a range looks like {name}=0:10, not {name}={text}")
        read[name] = number_in(low), number_in(high)
    return Space.of(known, tune or (), read)


def target_of(out: Path | None, game: str, method: str) -> Path:
    target = out or Path(f"{game}-{method}.json")
    if target.is_dir():
        raise ValueError(
            f"{target} is a folder; name a file in it with --out, as in {target / f'{game}-{method}.json'}"
        )
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {target.parent}; make it, or choose another with --out")
    return target


def settings_of(plan: Any, space: Space) -> dict[str, Any]:
    ends = zip(space.names, space.lows, space.highs, strict=True)
    return {**asdict(plan), "ranges": {name: (low, high) for name, low, high in ends}}


@contextmanager
def resumable() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted; the same command goes on", err=True)
        raise


@contextmanager
def playing(
    terms: Terms,
    method: str,
    plan: Any,
    space: Space,
    depth: int,
    workers: int | None,
    cluster: str | None,
    target: Path,
) -> Iterator[tuple[Any, Any, Any]]:
    """Lend workers, the journal beside the target, which keeps all games, and somebody who is told."""
    from cornered.lab.contests.journal import Journal
    from cornered.lab.execution.workforce import Workforce

    identity = {"tune": method, "depth": depth, "settings": settings_of(plan, space)}
    with (
        resumable(),
        Journal.open(target.with_name(target.name + ".games"), terms, identity) as journal,
        Workforce.open(workers, cluster) as workforce,
        progress() as report,
    ):
        yield workforce, journal, report


def command_of(
    method: str, terms: Terms, tune: list[str] | None, ranges: list[str] | None = None, **given: float
) -> str:
    """Return the command line that produces the same weights."""
    words = [f"cornered tune {method} --game {terms.game}"]
    words += [f"-o {name}={str(value).lower()}" for name, value in terms.options.items() if value is not None]
    words += [f"--tune {name}" for name in tune or ()] + [f"--range {text}" for text in ranges or ()]
    return " ".join([*words, *(f"--{name} {value}" for name, value in given.items())])


def write_result(
    terms: Terms,
    known: Model,
    method: Method,
    values: Values,
    depth: int,
    command: str,
    settings: Mapping[str, Any],
    result: Mapping[str, Any],
    curve: list[dict[str, Any]],
    target: Path,
    *,
    json_: bool,
) -> None:
    """Write the weights and their plot, and print them."""
    from cornered.bots.weights.file import Tuned, write
    from cornered.lab.tuning.curves import plot

    given = {"settings": settings, "result": result, "curve": curve}
    tuned = Tuned(
        game=terms.game,
        options=dict(terms.options),
        bot=known.bot,
        depth=depth,
        weights=known.named(values),
        printed=known.named(known.printed),
        method=method,
        command=command,
        seed=terms.seed,
        **json.loads(json.dumps(given)),
    )
    write(tuned, target)
    plot(tuned, target.with_suffix(".svg"))
    if json_:
        typer.echo(json.dumps({"file": str(target), **tuned.model_dump(mode="json")}))
        return
    wide = max(map(len, known.names))
    for name, value in tuned.weights.items():
        if value != tuned.printed[name] or name in known.names[: known.linear]:
            typer.echo(f"{name:<{wide}}  {tuned.printed[name]:>9g} printed  {value:>9g} tuned")
    typer.echo(f"{target}: play with {known.bot}:weights={target}, test with cornered tune test {target}", err=True)
