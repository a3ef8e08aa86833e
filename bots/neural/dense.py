"""The network of the Bamboo paper (sections III.D and IV.D): three hidden layers of twice the input, ReLU, softmax.

The input has one number a cell, 1 for the mover's stones, -1 for the other's and 0 for a free cell; the output has the
probability of each cell to be the teachers' choice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.neural.network import Floats, Loss, Network, NetworkKind, NetworkOutput, Parameters, policy_loss
from cornered.bots.neural.views import Views

__all__ = ["HIDDEN_LAYERS", "HIDDEN_WIDTH_FACTOR", "Dense"]

HIDDEN_LAYERS: Final = 3
HIDDEN_WIDTH_FACTOR: Final = 2
"""How many times as wide as the input a hidden layer is."""


class Dense(Network):
    """The paper's network. It judges moves only."""

    kind: ClassVar[NetworkKind] = "dense"

    @classmethod
    def shapes(cls, radius: int) -> list[tuple[int, ...]]:
        cells = 3 * radius * (radius + 1) + 1
        widths = (cells, *[HIDDEN_WIDTH_FACTOR * cells] * HIDDEN_LAYERS, cells)
        return [shape for before, after in pairwise(widths) for shape in ((before, after), (after,))]

    def judge(self, views: Views) -> NetworkOutput:
        return NetworkOutput(self.forward(views)[-1])

    def forward(self, views: Views) -> list[Floats]:
        """Return the inputs of every layer and the scores that the last one gives, one row a position."""
        passed: list[Floats] = [views.stones.astype(self.parameters[0].dtype)]
        layers = list(zip(self.parameters[::2], self.parameters[1::2], strict=True))
        for weights, biases in layers[:-1]:
            passed.append(np.maximum(passed[-1] @ weights + biases, 0))
        weights, biases = layers[-1]
        passed.append(passed[-1] @ weights + biases)
        return passed

    def gradients(
        self, views: Views, chosen: npt.NDArray[np.int64], outcomes: npt.NDArray[np.int8]
    ) -> tuple[Loss, Parameters]:
        del outcomes  # This network has no value head.
        passed = self.forward(views)
        loss, slope = policy_loss(passed[-1], views.legal, chosen)
        found: Parameters = []
        for i in range(len(passed) - 2, -1, -1):
            found += [slope.sum(axis=0), passed[i].T @ slope]
            if i:
                slope = (slope @ self.parameters[2 * i].T) * (passed[i] > 0)
        return Loss(loss), found[::-1]
