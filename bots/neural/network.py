"""The network of the Bamboo paper (sections III.D and IV.D): three hidden layers of twice the input, ReLU, softmax.

The input has one number a cell, 1 for the mover's stones, -1 for the other's and 0 for a free cell; the output has the
probability of each cell to be the teachers' choice. Cells are in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from bots.bamboo.cells import cubes
from engine.games.bamboo import BambooState

__all__ = ["HIDDEN_LAYERS", "WIDTH", "Floats", "Layers", "forward", "inputs", "masked", "new_layers", "sizes"]

Floats: TypeAlias = npt.NDArray[np.float32]
Layers: TypeAlias = list[tuple[Floats, Floats]]
"""The weights, one row an input, and the biases of each layer."""

HIDDEN_LAYERS: Final = 3
WIDTH: Final = 2
"""How many times as wide as the input a hidden layer is."""


def sizes(radius: int) -> tuple[int, ...]:
    """Return how many numbers go into each layer, and how many come out of the last."""
    cells = 3 * radius * (radius + 1) + 1
    return (cells, *[WIDTH * cells] * HIDDEN_LAYERS, cells)


def new_layers(radius: int, chance: np.random.Generator) -> Layers:
    """Return random weights for ReLU layers, normal with variance 2 / inputs (He et al. 2015), and biases of 0."""
    widths = sizes(radius)
    return [
        (
            (chance.standard_normal((before, after)) * np.sqrt(2 / before)).astype(np.float32),
            np.zeros(after, np.float32),
        )
        for before, after in pairwise(widths)
    ]


def forward(layers: Layers, x: Floats) -> list[Floats]:
    """Return the inputs of every layer and the scores that the last one gives, for a batch of one input a row."""
    passed = [x]
    for weights, biases in layers[:-1]:
        passed.append(np.maximum(passed[-1] @ weights + biases, 0))
    weights, biases = layers[-1]
    passed.append(passed[-1] @ weights + biases)
    return passed


def masked(scores: Floats, legal: npt.NDArray[np.bool_]) -> Floats:
    """Return the softmax of the scores over the legal cells; the others get probability 0."""
    lowered = np.where(legal, scores, -np.inf)
    powers = np.exp(lowered - lowered.max(axis=-1, keepdims=True))
    probabilities: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


def inputs(state: BambooState) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the numbers that the network sees of a position, and the cells where the mover may place."""
    numbers: Sequence[int] = tuple(cubes(state.game.radius))
    stones = state.stones()
    own, other = stones[state.to_move], stones[1 - state.to_move]
    x = np.array([(own >> number & 1) - (other >> number & 1) for number in numbers], np.float32)
    return x, np.array([state.open_cells >> number & 1 for number in numbers], np.bool_)
