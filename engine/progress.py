"""Progress of long work: what is reported, and the callback that receives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Progress", "Report", "no_report"]


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` units of a step of `total`, which is None while it is unknown; `note` is shown beside them."""

    step: str
    done: int
    total: int | None = None
    note: str = ""


Report: TypeAlias = Callable[[Progress], None]


def no_report(_: Progress) -> None:
    """Discard the progress."""
