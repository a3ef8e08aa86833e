"""What bots need in a game, compiled and loaded before anybody's clock runs.

A machine compiles once, in a process of its own, which a bot may crash; each worker then loads what a game needs before
it begins. A bot that cannot be prepared stops nothing: its games show what is wrong with it.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Final

from cornered.bots.evaluate import is_duel
from cornered.bots.kernels.timer import alarm
from cornered.bots.playout import playouts
from cornered.bots.pool.warming import Preparation, exercise, is_warm
from cornered.bots.roster import create
from cornered.engine import Game
from cornered.engine.compile.kernel import CACHE
from cornered.engine.warming import is_warm as has_rules
from cornered.engine.warming import locked, warm
from cornered.lab.contests.blame import FAILURES, thinks
from cornered.lab.contests.terms import Fixture, Terms
from cornered.lab.execution import heartbeat

__all__ = ["ensure_prepared", "prepare"]

log = logging.getLogger("cornered.lab")

FIRST: Final = "greedy"
"""The bot that a compiling process is done with before all others, whoever they are."""
COMPILING: Final = 300.0
"""Seconds that a bot has to be compiled, or loaded; one that takes longer hangs."""

_practised: set[tuple[str, str]] = set()
"""The names of bots and games that this process has tried out."""


def prepare(terms: Terms, bots: Iterable[str], report: Callable[[str, int, int | None], None]) -> None:
    """Compile what these bots need to play, once on this machine, before workers start.

    `report` hears how far that is: the step, how many bots are done and of how many; of nothing where all is compiled.
    """
    specs = tuple(dict.fromkeys(bots))
    is_cold = not has_rules(terms.game)
    cold = [spec for spec in specs if is_cold or not is_warm(Preparation(spec, terms.game))]
    if cold:
        step = f"compiling for {terms.game}, once on this machine"
        report(step, 0, len(cold))
        ready: set[str] = set()
        for spec in _compiled(terms.game, cold):
            ready.add(spec)
            report(step, len(ready), len(cold))
        for spec in cold:
            if spec not in ready:
                log.warning("%s could not be prepared for %s; its games will tell why", spec, terms.game)
    warm(terms.game)
    if specs == ("random",) and is_duel(terms.load()):
        playouts(terms.load())


def _compiled(game: str, specs: Sequence[str]) -> Iterator[str]:
    """Yield each bot that is compiled. A bot that ends the compiling process costs the others nothing."""
    waiting = list(specs)
    while waiting:
        with subprocess.Popen(
            [sys.executable, "-m", "cornered.bots.pool.warming", game, *waiting],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # Ctrl-C in the terminal is for this process, which then ends that one.
            start_new_session=True,
        ) as process:
            has_begun = False
            try:
                while line := _next_line(process):
                    spec = line.strip()
                    if spec == FIRST and not has_begun:
                        has_begun = True
                    elif spec in waiting:
                        # Those before it have failed.
                        waiting = waiting[waiting.index(spec) + 1 :]
                        yield spec
            finally:
                process.kill()
        if process.returncode == 0:
            return
        # They are compiled in their order, so it was the next one, or one that had failed before.
        waiting = waiting[1:]


def _next_line(process: subprocess.Popen[str]) -> str:
    """Return the next line that a process writes; nothing when it ends, or is ended because that takes too long."""
    assert process.stdout is not None
    with alarm(COMPILING, process.kill):
        return process.stdout.readline()


def ensure_prepared(terms: Terms, fixture: Fixture) -> None:
    """Load in this process what a game needs that is about to begin; takes a microsecond where that was done before.

    On a clock bots are also tried out, since some load things with their first moves only. What is not compiled is left
    out then: `prepare` has tried. Only on other machines nobody has, so that it is done there.
    """
    game = terms.load()
    is_far = isinstance(heartbeat.current(), heartbeat.Alarm)
    for seat, spec in enumerate(fixture.players):
        thinks(seat, fixture.opening, COMPILING)
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
    """Try a bot out. What other settings of it need is the same but for little, and they may be many."""
    key = spec.partition(":")[0], game.name
    if key in _practised:
        return
    _practised.add(key)
    wanted = Preparation(spec, game.name)
    is_cold = not is_warm(wanted)
    if is_cold and not even_cold:
        return
    try:
        # The workers of a new machine begin together: one compiles, the others wait and load.
        with locked(CACHE / "lab.lock") if is_cold else nullcontext():
            exercise(wanted)
    except FAILURES:
        log.info("%s cannot be tried out in %s", spec, game.name, exc_info=True)
