"""A broken promise, with what was observed of it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Violation"]


@dataclass(frozen=True, slots=True)
class Violation:
    """One promise that was broken. `at` is when the first evidence was observed; infinite where that is unknown."""

    check: str
    text: str
    at: float
    evidence: tuple[str, ...] = ()
    """The journal's and the client's lines around it, and the faults at that time."""
