"""How far something is, on standard error: one bar a step, so that standard output stays for results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cornered.engine.progress import Progress, Report

__all__ = ["progress"]


@contextmanager
def progress() -> Iterator[Report]:
    """Show bars for the block; each step that is reported has its own, with its newest note in the lines below."""
    from rich import progress as rich_progress
    from rich.console import Console, RenderableType
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Bars(rich_progress.Progress):
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

        def report(now: Progress) -> None:
            if now.step not in shown:
                shown[now.step] = bars.add_task(now.step, total=now.total, note="")
            bars.update(shown[now.step], completed=now.done, total=now.total, note=now.note)

        yield report
