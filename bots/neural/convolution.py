"""A convolutional policy-value network for Bamboo, which the paper proposes for a follow-up study (section VI).

A convolution kernel covers a cell and its six neighbours. Drawn on a square grid, that is a 3x3 kernel without the two
corners that are no neighbours on a hexagonal one; here the neighbours are looked up in a table, which saves the grid's
empty corners. Beyond the edge everything is 0. A convolution is one product of matrices: each cell's neighbourhood is
written out as a row first. No weight belongs to a cell, so a network plays on boards of every radius.

Two outputs share the layers: a score for every cell (policy), and the position's value for the mover (value), from the
average over all cells.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.bamboo.cells import cubes
from cornered.bots.neural.network import Floats, Loss, Network, NetworkKind, NetworkOutput, Parameters, policy_loss
from cornered.bots.neural.views import Views

__all__ = ["CHANNELS", "LAYERS", "PLANES", "Convolutional", "neighbourhoods", "planes"]

LAYERS: Final = 4
CHANNELS: Final = 24
PLANES: Final = 5
"""Input planes of a cell: own stone, other's stone, legal for the mover, legal for the other, on the board."""
TAPS: Final = ((-1, 0, 1), (-1, 1, 0), (0, -1, 1), (0, 0, 0), (0, 1, -1), (1, -1, 0), (1, 0, -1))
"""Offsets of a kernel. Offset 6 - i is opposite offset i, which the derivative needs."""


@cache
def neighbourhoods(radius: int) -> npt.NDArray[np.int64]:
    """Return the cell indices under the kernel at each cell, one row a cell; beyond the edge, the number of cells."""
    order = {cube: i for i, cube in enumerate(cubes(radius).values())}
    return np.array(
        [
            [order.get((x + dx, y + dy, z + dz), len(order)) for dx, dy, dz in TAPS]
            for x, y, z in cubes(radius).values()
        ],
        np.int64,
    )


def planes(views: Views, dtype: np.dtype[Any]) -> Floats:
    """Return the input planes, (positions, cells + 1, PLANES); the last cell lies beyond the edge and is 0."""
    seen = np.zeros((len(views), views.stones.shape[1] + 1, PLANES), dtype)
    seen[:, :-1, 0] = views.stones > 0
    seen[:, :-1, 1] = views.stones < 0
    seen[:, :-1, 2] = views.legal
    seen[:, :-1, 3] = views.replies
    seen[:, :-1, 4] = 1
    return seen


class Convolutional(Network):
    """Four layers of 24 channels; a linear policy; and a value of one hidden layer, which ends in tanh."""

    kind: ClassVar[NetworkKind] = "convolutional"

    @classmethod
    def shapes(cls, radius: int) -> list[tuple[int, ...]]:
        shapes: list[tuple[int, ...]] = []
        for layer in range(LAYERS):
            shapes += [(len(TAPS) * (CHANNELS if layer else PLANES), CHANNELS), (CHANNELS,)]
        # One score for all cells has no bias: the softmax would not notice.
        return [*shapes, (CHANNELS, 1), (CHANNELS, CHANNELS), (CHANNELS,), (CHANNELS, 1), (1,)]

    def plays(self, radius: int) -> bool:
        return True

    def judge(self, views: Views) -> NetworkOutput:
        return self._heads(self.layers(views)[-1][1], views)[0]

    def layers(self, views: Views) -> list[tuple[Floats, Floats]]:
        """Return for each layer its neighbourhoods, a row for each cell of each position, and its activations,
        (positions, cells + 1, CHANNELS), the last cell 0."""
        around = _around(views)
        passed: list[tuple[Floats, Floats]] = []
        here = planes(views, self.parameters[0].dtype)
        for layer in range(LAYERS):
            weights, biases = self.parameters[2 * layer : 2 * layer + 2]
            rows = _rows(here, around)
            made = rows @ weights
            made += biases
            here = _bordered(np.maximum(made, 0, out=made), len(views))
            passed.append((rows, here))
        return passed

    def _heads(self, last: Floats, views: Views) -> tuple[NetworkOutput, Floats, Floats]:
        """Return the outputs for positions, and the input and the hidden activations of the value head."""
        policy, hidden_weights, hidden_biases, value_weights, value_biases = self.parameters[2 * LAYERS :]
        scores = (last[:, :-1] @ policy)[..., 0]
        average = last.sum(axis=1) / (last.shape[1] - 1)
        hidden = np.maximum(average @ hidden_weights + hidden_biases, 0)
        values = np.tanh(hidden @ value_weights + value_biases)[:, 0]
        return NetworkOutput(scores, values), average, hidden

    def gradients(
        self, views: Views, chosen: npt.NDArray[np.int64], outcomes: npt.NDArray[np.int8]
    ) -> tuple[Loss, Parameters]:
        passed = self.layers(views)
        last = passed[-1][1]
        judged, average, hidden = self._heads(last, views)
        policy, hidden_weights, _, value_weights, _ = self.parameters[2 * LAYERS :]
        assert judged.values is not None
        loss, by_score = policy_loss(judged.scores, views.legal, chosen)
        missed = judged.values - outcomes
        by_value = (2 / len(views) * missed * (1 - judged.values**2))[:, None]
        by_hidden = (by_value @ value_weights.T) * (hidden > 0)
        found: Parameters = [
            np.einsum("pcf,pc->f", last[:, :-1], by_score)[:, None],
            average.T @ by_hidden,
            by_hidden.sum(axis=0),
            hidden.T @ by_value,
            by_value.sum(axis=0),
        ]
        cells = last.shape[1] - 1
        slope = by_score[..., None] * policy[:, 0] + ((by_hidden @ hidden_weights.T) / cells)[:, None]
        return Loss(loss, float((missed**2).mean())), [*self._backward(views, passed, slope), *found]

    def _backward(self, views: Views, passed: list[tuple[Floats, Floats]], slope: Floats) -> Parameters:
        """Return the derivatives by the layers' parameters, given those by the last one's cells."""
        around = _around(views)
        found: Parameters = []
        for layer in range(LAYERS - 1, -1, -1):
            rows, made = passed[layer]
            slope = slope * (made[:, :-1] > 0)
            flat = slope.reshape(-1, CHANNELS)
            found += [flat.sum(axis=0), rows.T @ flat]
            if layer:
                # The gradient flows back from each neighbour: the transposed convolution.
                weights = self.parameters[2 * layer].reshape(len(TAPS), CHANNELS, CHANNELS)
                turned = weights[::-1].transpose(0, 2, 1).reshape(-1, CHANNELS)
                slope = (_rows(_bordered(flat, len(views)), around) @ turned).reshape(slope.shape)
        return found[::-1]


def _around(views: Views) -> npt.NDArray[np.int64]:
    """Return the neighbourhoods of the board that positions are on."""
    cells = views.stones.shape[1]
    return neighbourhoods(next(radius for radius in range(cells) if 3 * radius * (radius + 1) + 1 == cells)).ravel()


def _rows(cells: Floats, around: npt.NDArray[np.int64]) -> Floats:
    """Return each cell's neighbourhood as a row: (positions x cells, taps x channels)."""
    taken = np.take(cells, around, axis=1)
    return taken.reshape(-1, len(TAPS) * cells.shape[2])


def _bordered(cells: Floats, positions: int) -> Floats:
    """Return the cells of so many positions with one more for all that lies beyond the edge, which is 0."""
    inside = cells.reshape(positions, -1, cells.shape[1])
    bordered = np.zeros((positions, inside.shape[1] + 1, cells.shape[1]), cells.dtype)
    bordered[:, :-1] = inside
    return bordered
