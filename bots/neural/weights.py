"""The trained weights: one small file a radius, with the command that makes it and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from bots.neural.network import Layers, sizes

__all__ = ["SHIPPED", "Trained", "load", "save", "shipped", "shipped_path"]

SHIPPED: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Trained:
    """Weights and where they come from: the command and its seed, the games, the accuracy and the results."""

    layers: Layers
    provenance: Mapping[str, Any]


def save(trained: Trained, path: Path) -> None:
    """Write weights, in half precision. The same ones always make the same bytes."""
    arrays: dict[str, Any] = {"provenance": np.array(json.dumps(trained.provenance))}
    for i, (weights, biases) in enumerate(trained.layers):
        arrays[f"weights{i}"], arrays[f"biases{i}"] = weights.astype(np.float16), biases.astype(np.float16)
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load(path: Path) -> Trained:
    """Return the weights of a file. Raises an OSError, or a ValueError where they are not a network of ours."""
    with np.load(path, allow_pickle=False) as arrays:
        provenance: dict[str, Any] = json.loads(str(arrays["provenance"]))
        layers = [
            (arrays[f"weights{i}"].astype(np.float32), arrays[f"biases{i}"].astype(np.float32))
            for i in range(len(arrays.files) // 2)
        ]
    widths = sizes(int(provenance["radius"]))
    if [weights.shape for weights, _ in layers] != list(pairwise(widths)):
        raise ValueError(f"{path} holds no network for radius {provenance['radius']}; train it again")
    return Trained(layers, provenance)


def shipped_path(radius: int) -> Path:
    """Return where the weights for a radius are, or would be."""
    return SHIPPED / f"bamboo-r{radius}.npz"


@cache
def shipped(radius: int) -> Trained | None:
    """Return the weights that come with the program, None for a radius that has none."""
    path = shipped_path(radius)
    return load(path) if path.is_file() else None
