"""The known name that an unknown one is probably a misspelling of."""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable
from typing import Final

__all__ = ["did_you_mean", "nearest"]

MAX_MISSPELT: Final = 40
"""Characters of a name for which a known one is looked for: none is longer, and the comparison takes time."""
LIKENESS: Final = 0.7
"""Least ratio of `difflib.SequenceMatcher`: one letter of four may be wrong, or two neighbours exchanged."""
MAX_COMPARED: Final = 4
"""Known names that are compared in the order of their letters."""


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, whatever its case; None where none is."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_MISSPELT:
        return None
    wanted = name.lower()
    letters = set(wanted)

    def difference(one: str) -> int:
        return len(letters.symmetric_difference(one)) + abs(len(wanted) - len(one))

    # A comparison takes 25 us, and a sender may name commands that are not there: their letters rule out most.
    likely = heapq.nsmallest(MAX_COMPARED, known, key=difference)
    found = difflib.get_close_matches(wanted, likely, n=1, cutoff=LIKENESS)
    return found[0] if found else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return the end of an error that suggests the nearest known name; empty where none is near."""
    found = nearest(name, known)
    return "" if found is None else f"; did you mean `{found}`?"
