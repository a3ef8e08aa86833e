"""How far something is, on standard error: one bar a step, so that standard output stays for results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cornered.bots.progress import Report

__all__ = ["progress"]


@contextmanager
def progress() -> Iterator[Report]:
    """Show bars for the block; each step that is reported has its own, with its newest note in the lines below."""
    from rich.console import Console, RenderableType
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Bars(Progress):
        def get_renderables(self) -> Iterator[RenderableType]:
            yield self.make_tasks_table(self.tasks)
            # In a column of its own a note would leave no room for the bar where the terminal is narrow.
            for task in self.tasks:
                if note := task.fields["note"]:
                    yield Text(note)

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True)) as bars:
        shown = {}

        def report(step: str, done: int, total: int | None, note: str = "") -> None:
            if step not in shown:
                shown[step] = bars.add_task(step, total=total, note="")
            bars.update(shown[step], completed=done, total=total, note=note)

        yield report
