"""Work without worker processes: it runs in the caller, and is counted."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

from cornered.lab.execution.workforce import Workforce

T = TypeVar("T")
R = TypeVar("R")


class Inline(Workforce):
    """Runs work in this process."""

    def __init__(self) -> None:
        self.workers = 1
        self.done = 0
        self.is_at_work = False

    def carry_out(
        self, function: Callable[[T], R], items: Iterable[T], **how: object
    ) -> Generator[tuple[int, R], None, None]:
        self.is_at_work = True
        try:
            for place, item in enumerate(items):
                self.done += 1
                yield place, function(item)
        finally:
            self.is_at_work = False
