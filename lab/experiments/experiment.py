"""The base class of experiments: each measures one table or figure of a reference again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from cornered.lab.experiments.findings import FigureRow, Finding
from cornered.lab.experiments.laboratory import Laboratory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Experiment"]


class Experiment(ABC):
    """One table or figure of a reference. A module of `cornered.lab.experiments` lists its experiments in EXPERIMENTS,
    a tuple."""

    name: ClassVar[str]
    """The name on the command line, as in `bamboo-table-2`."""
    title: ClassVar[str]
    source: ClassVar[str]
    """The reference's file name and the place in it."""
    place: ClassVar[int] = 0
    """Sort key within the reference; equal places are in the order of names."""

    @abstractmethod
    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        """Measure at `lab.scale`; return the rows, the notes and the plot's series. The same seed and scale give the
        same rows, except for times."""

    @abstractmethod
    def plot(self, finding: Finding, figure: Figure) -> None:
        """Draw the finding from its rows and series alone."""
