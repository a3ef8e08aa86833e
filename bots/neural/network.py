"""The contract of a network: parameters, outputs for positions, and the gradient of the loss."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from cornered.bots.neural.views import Views

__all__ = [
    "NETWORK_KINDS",
    "Floats",
    "Loss",
    "Network",
    "NetworkKind",
    "NetworkOutput",
    "Parameters",
    "masked",
    "policy_loss",
]

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Parameters: TypeAlias = list[Floats]
"""Matrices of weights, one row an input, and vectors of biases."""
NetworkKind: TypeAlias = Literal["dense", "convolutional"]
NETWORK_KINDS: Final[tuple[NetworkKind, ...]] = ("dense", "convolutional")


@dataclass(frozen=True, slots=True)
class NetworkOutput:
    """A network's outputs, one position a row: a score for every cell, legal or not, and the value for the mover, from
    -1 for lost to 1 for won; None without a value head."""

    scores: Floats
    values: Floats | None = None


@dataclass(frozen=True, slots=True)
class Loss:
    """The cross-entropy of the moves, in nats, and the mean squared error of the outcome, where there is one."""

    policy: float
    value: float | None = None


class Network(ABC):
    """A network for one radius."""

    kind: ClassVar[NetworkKind]

    def __init__(self, radius: int, parameters: Parameters) -> None:
        """Make a network of these parameters. Raises a ValueError where their shapes are not those of this kind."""
        if [parameter.shape for parameter in parameters] != self.shapes(radius):
            raise ValueError(f"these are not the weights of a {self.kind} network for radius {radius}")
        self.radius = radius
        self.parameters = parameters

    @classmethod
    @abstractmethod
    def shapes(cls, radius: int) -> list[tuple[int, ...]]:
        """Return the shape of each parameter."""

    @classmethod
    def new(cls, radius: int, chance: np.random.Generator) -> Self:
        """Return a network of random weights, normal with variance 2 / inputs (He et al. 2015), and biases of 0."""
        return cls(
            radius,
            [
                (chance.standard_normal(shape) * np.sqrt(2 / shape[0])).astype(np.float32)
                if len(shape) > 1
                else np.zeros(shape, np.float32)
                for shape in cls.shapes(radius)
            ],
        )

    def plays(self, radius: int) -> bool:
        """Return whether it takes positions of a board: its own, or all."""
        return radius == self.radius

    def rounded(self) -> Self:
        """Return the network as it is after it was written, in half precision, and read again."""
        return type(self)(self.radius, [part.astype(np.float16).astype(np.float32) for part in self.parameters])

    @abstractmethod
    def judge(self, views: Views) -> NetworkOutput:
        """Return its outputs for positions."""

    @abstractmethod
    def gradients(
        self, views: Views, chosen: npt.NDArray[np.int64], outcomes: npt.NDArray[np.int8]
    ) -> tuple[Loss, Parameters]:
        """Return the mean loss of a batch, and the derivative of its sum of parts by every parameter.

        `chosen` is the index of the cell that was played, `outcomes` 1 where the mover won and -1 where it lost.
        """


def masked(scores: Floats, legal: npt.NDArray[np.bool_]) -> Floats:
    """Return the softmax of the scores over the legal cells; the others get probability 0."""
    lowered = np.where(legal, scores, -np.inf)
    powers = np.exp(lowered - lowered.max(axis=-1, keepdims=True))
    probabilities: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


def policy_loss(scores: Floats, legal: npt.NDArray[np.bool_], chosen: npt.NDArray[np.int64]) -> tuple[float, Floats]:
    """Return the mean cross-entropy of the moves that were played, and its derivative by every score."""
    slope = masked(scores, legal)
    picked = np.arange(len(chosen)), chosen
    loss = float(-np.log(np.maximum(slope[picked], 1e-30)).mean())
    # Softmax and cross-entropy together: the derivative by a score is its probability, less 1 where it should be.
    slope[picked] -= 1
    slope /= len(chosen)
    return loss, slope
