"""Compiles and loads what bots need in a game before a clock runs.

A machine compiles once, in a process of its own, which a bot may crash; each worker then loads what a game needs before
it begins. A bot that cannot be prepared stops nothing: its games show what is wrong with it.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from functools import lru_cache
from typing import Final

from cornered.bots.evaluate import is_duel
from cornered.bots.playout import playouts
from cornered.bots.pool.warming import Preparation, compiled, exercise, is_warm, mark
from cornered.bots.roster import create, is_of_roster
from cornered.engine import Game
from cornered.engine.compile.compiler import COMPILE_TIMEOUT_S
from cornered.engine.progress import Progress, Report
from cornered.engine.warming import warm
from cornered.lab.contests.blame import FAILURES, report_preparing
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.execution import heartbeat

__all__ = ["ensure_prepared", "prepare"]

LOAD_TIMEOUT_S: Final = 75.0
"""Seconds for loading a bot that compiles nothing here: a program may take 68 s to start and to be ready."""

log = logging.getLogger("cornered.lab")

_practised: set[tuple[str, str]] = set()
"""The names of bots and games that this process has exercised."""


def prepare(terms: ContestTerms, bots: Iterable[str], report: Report) -> None:
    """Compile what these bots need to play, once on this machine, before workers start.

    `report` receives how many of the bots are compiled, and nothing where all are.
    """
    specs = tuple(dict.fromkeys(bots))
    if cold := [spec for spec in specs if not is_warm(Preparation(spec, terms.game))]:
        asyncio.run(_compile(terms.game, cold, report))
    warm(terms.game)
    if specs == ("random",) and is_duel(terms.load()):
        playouts(terms.load())


async def _compile(game: str, specs: Sequence[str], report: Report) -> None:
    step = f"compiling for {game}, once on this machine"
    report(Progress(step, 0, len(specs)))
    missing = list(specs)
    async with aclosing(compiled(game, specs, stderr=subprocess.DEVNULL)) as done:
        async for spec in done:
            missing.remove(spec)
            report(Progress(step, len(specs) - len(missing), len(specs)))
    for spec in missing:
        log.warning("%s could not be prepared for %s; its games will tell why", spec, game)


def ensure_prepared(terms: ContestTerms, fixture: Fixture) -> None:
    """Load in this process what the next game needs; takes a microsecond where it is loaded.

    On a clock bots are also exercised, since some load parts with their first moves only. What is not compiled is left
    out, since `prepare` has failed to compile it; on the other machines of a cluster `prepare` has not run, so that it
    is compiled there.
    """
    game = terms.load()
    is_far = isinstance(heartbeat.current(), heartbeat.Alarm)
    for seat, spec in enumerate(fixture.players):
        patience = COMPILE_TIMEOUT_S if is_of_roster(spec) else LOAD_TIMEOUT_S
        report_preparing(seat, fixture.opening, patience)
        _load(game, spec)
        if terms.time is not None:
            _practise(game, spec, even_cold=is_far)
    heartbeat.beat("")


@lru_cache(maxsize=4096)
def _load(game: Game, spec: str) -> None:
    try:
        create(spec).prepare(game)
    except FAILURES:
        log.info("%s cannot be prepared for %r", spec, game, exc_info=True)


def _practise(game: Game, spec: str, *, even_cold: bool) -> None:
    """Exercise a bot once, whatever its settings: they may be many, and need almost the same kernels."""
    key = spec.partition(":")[0], game.name
    if key in _practised:
        return
    _practised.add(key)
    if not is_of_roster(spec):
        return
    wanted = Preparation(spec, game.name)
    is_cold = not is_warm(wanted)
    if is_cold and not even_cold:
        return
    try:
        # The workers of a new machine begin together: one compiles, the others wait and load.
        with mark(wanted).compiling("lab.lock"):
            exercise(wanted)
    except FAILURES:
        log.info("%s cannot be tried out in %s", spec, game.name, exc_info=True)
