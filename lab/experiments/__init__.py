"""Experiments that reproduce the tables and figures of the references. Each module's EXPERIMENTS are discovered."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cornered.lab.experiments.experiment import Experiment

__all__ = ["REFERENCES", "experiments", "named", "reference_of"]

REFERENCES: Final[Mapping[str, str]] = {
    "bamboo-paper.txt": "The Bamboo paper",
    "quoridor-specification.txt": "The Quoridor reference",
    "trapgrid-deep-dive.txt": "The TrapGrid reference",
    "isolation-tutorial.txt": "The Isolation tutorial",
    "game-playing-notes.txt": "The course notes",
}
"""Titles of the references by file name, in the order of the report."""


def reference_of(source: str) -> str:
    """Return the file name of the reference that a source names. Raises ValueError for a source that names none."""
    for reference in REFERENCES:
        if reference in source:
            return reference
    raise ValueError(f"a source names a reference, one of {', '.join(REFERENCES)}, unlike {source!r}")


@cache
def experiments() -> Mapping[str, Experiment]:
    """Return every experiment by name, in the order of the references and of the places in each."""
    found: list[Experiment] = []
    for module in pkgutil.iter_modules(__path__):
        found += getattr(importlib.import_module(f"{__name__}.{module.name}"), "EXPERIMENTS", ())
    order = list(REFERENCES)
    found.sort(key=lambda one: (order.index(reference_of(one.source)), one.place, one.name))
    by_name = {experiment.name: experiment for experiment in found}
    if len(by_name) < len(found):
        raise ValueError("two experiments have the same name")
    return by_name


def named(names: list[str]) -> list[Experiment]:
    """Return the named experiments, each once and in their order; `all` selects every one. Raises ValueError that lists
    the valid names."""
    known = experiments()
    for name in names:
        if name != "all" and name not in known:
            close = get_close_matches(name, known, n=1)
            meant = f"; did you mean {close[0]}? There" if close else "; there"
            raise ValueError(f"there is no experiment {name!r}{meant} are all, {', '.join(known)}")
    return [experiment for name, experiment in known.items() if name in names or "all" in names]
