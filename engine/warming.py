"""Compiles, or loads, the kernels of games before they are needed: `python -m cornered.engine.warming GAME...`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from cornered import engine
from cornered.engine.compile.compiler import compile_each
from cornered.engine.compile.kernel import IS_COMPILED, cache_of
from cornered.engine.compile.marks import Mark, drop_old_caches
from cornered.engine.progress import Progress, Report, no_report

__all__ = ["is_warm", "warm"]


def _mark(game: str) -> Mark:
    return Mark(cache_of(f"cornered.engine.games.{game}"))


def is_warm(game: str) -> bool:
    """Return whether `warm` only loads; otherwise it compiles, which takes some seconds a game."""
    return _mark(game).is_set


def warm(*games: str, report: Report = no_report) -> None:
    """Compile, or load, every kernel that the states of `games` use; no names mean all games.

    Of several processes that call it at once, one compiles; the others wait and load. `report` receives each step of a
    game that is compiled, and none of one that is only loaded. Does nothing when kernels run as plain Python.
    """
    for name in games:
        engine.load(name)
    if IS_COMPILED:
        for name in games or [game.name for game in engine.games()]:
            with _mark(name).compiling() as is_cold:
                _exercise(name, report if is_cold else no_report)
        drop_old_caches()


def _exercise(name: str, report: Report) -> None:
    """Call every method of a position once."""
    state = engine.load(name).start()
    later = state
    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("legal moves", lambda: [state.moves(), state.is_legal(state.moves()[0]), state.explain("?"), state.outcome]),
        ("playing", lambda: [later.moves(), later.explain(later.moves()[0]), later.outcome]),
        ("leaving", lambda: later.leave(0).outcome),
        ("gauges", lambda: [later.gauges(), later.notes()]),
        ("position texts", lambda: state.game.parse(str(later))),
        ("perft", lambda: later.perft(2)),
    )
    for done, (title, action) in enumerate(steps):
        report(Progress(f"{name}: {title}", done, len(steps)))
        if title == "playing":
            for _ in range(2 * state.game.seats):
                later = later.play(later.moves()[-1])
        action()
    report(Progress(f"{name}: ready", len(steps), len(steps)))


if __name__ == "__main__":
    sys.exit(compile_each(sys.argv[1:], warm))
