"""Whoever hears how far long work is."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Report"]


class Report(Protocol):
    """Hears how far a step is: `total` is None where nobody knows, `note` is what there is to say."""

    def __call__(self, step: str, done: int, total: int | None, note: str = "") -> None: ...
