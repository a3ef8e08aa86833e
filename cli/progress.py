"""Progress bars on standard error, one for each step; standard output is left to results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cornered.engine.progress import Progress, Report

__all__ = ["progress"]


@contextmanager
def progress() -> Iterator[Report]:
    """Show progress bars inside the block: one for each reported step, with its newest note in the lines below."""
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
            # A note in a column of its own would leave no room for the bar on a narrow terminal.
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
