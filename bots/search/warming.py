"""Compiles, or loads, the rules and the searches of games before they are needed."""

from __future__ import annotations

from cornered import engine
from cornered.bots.evaluate import evaluation_module
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import Searcher
from cornered.bots.search.specialise import directory, games
from cornered.engine import warming as rules
from cornered.engine.compile.kernel import IS_COMPILED
from cornered.engine.compile.marks import Mark
from cornered.engine.limit import Limit
from cornered.engine.progress import Progress, Report, no_report

__all__ = ["warm"]


def warm(*names: str, report: Report = no_report) -> None:
    """Compile, or load, the rules of these games, or of all that have a search, and their searches.

    Of several processes that call it at once, one compiles; the others wait and load. `report` receives each step of a
    game that is compiled. Does nothing when kernels run as plain Python.
    """
    chosen = names or games()
    rules.warm(*chosen, report=report)
    for name in chosen:
        if IS_COMPILED and evaluation_module(name) is not None:
            with Mark(directory(name)).compiling() as is_cold:
                if is_cold:
                    report(Progress(f"{name}: search", 0, 1))
                Searcher(engine.load(name), SearchMemory.private()).search(engine.load(name).start(), Limit(depth=1))
                if is_cold:
                    report(Progress(f"{name}: ready", 1, 1))
