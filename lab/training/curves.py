"""Learning curves of networks: losses and accuracy by epoch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cornered.bots.neural.network import NETWORK_KINDS, NetworkKind
from cornered.lab.reports.plots import COLOURS, drawing, save
from cornered.lab.training.learning import EpochPoint

__all__ = ["plot"]


def plot(curves: Mapping[NetworkKind, list[EpochPoint]], title: str, path: Path) -> None:
    """Write the learning curves as SVG: lines for held-out positions, dots for training positions."""
    with drawing(9.6, 3.6) as figure:
        policy, accuracy, value = figure.subplots(1, 3)
        for kind, curve in curves.items():
            colour = COLOURS[NETWORK_KINDS.index(kind)]
            epochs = range(1, len(curve) + 1)
            policy.plot(epochs, [point.policy for point in curve], color=colour, label=kind)
            policy.plot(epochs, [point.learnt_policy for point in curve], color=colour, linestyle=":")
            accuracy.plot(epochs, [100 * point.accuracy for point in curve], color=colour, label=kind)
            if curve and curve[0].value is not None:
                value.plot(epochs, [point.value for point in curve], color=colour, label=kind)
                value.plot(epochs, [point.learnt_value for point in curve], color=colour, linestyle=":")
        for axes, what in (
            (policy, "cross-entropy of the move (nats)"),
            (accuracy, "teacher's move foretold (%)"),
            (value, "squared error of the outcome"),
        ):
            axes.set(xlabel="epoch", title=what)
            axes.title.set_size(10)
        policy.legend()
        figure.suptitle(f"{title}: lines are held-out games, dots those learnt from", fontsize=10)
        save(figure, path)
