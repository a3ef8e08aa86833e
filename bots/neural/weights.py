"""The trained weights: one small file a network, with the command that makes it and its results."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from cornered.bots.neural.convolution import Convolutional
from cornered.bots.neural.dense import Dense
from cornered.bots.neural.network import Network, NetworkKind
from cornered.engine.records.files import replacing

__all__ = [
    "NETWORKS",
    "NETWORK_SUFFIX",
    "SHIPPED",
    "Trained",
    "file_name",
    "load",
    "opened",
    "save",
    "shipped",
    "shipped_path",
]

SHIPPED: Final = Path(__file__).parent / "data"
NETWORK_SUFFIX: Final = ".npz"
NETWORKS: Final[Mapping[NetworkKind, type[Network]]] = {"dense": Dense, "convolutional": Convolutional}


@dataclass(frozen=True, slots=True)
class Trained:
    """A network and where it comes from: the command and its seed, the games, the accuracy and the results."""

    network: Network
    provenance: Mapping[str, Any]


def save(trained: Trained, path: Path) -> None:
    """Write weights, in half precision, whole or not at all. The same ones always make the same bytes."""
    told = {**trained.provenance, "kind": trained.network.kind, "radius": trained.network.radius}
    arrays: dict[str, Any] = {"provenance": np.array(json.dumps(told))}
    for i, part in enumerate(trained.network.parameters):
        arrays[f"part{i}"] = part.astype(np.float16)
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load(path: Path) -> Trained:
    """Return the weights of a file. Raises an OSError, or a ValueError where they are not a network of ours."""
    try:
        # numpy leaves a file open that it opened itself and could not read.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            provenance: dict[str, Any] = json.loads(str(arrays["provenance"]))
            parts = [arrays[f"part{i}"].astype(np.float32) for i in range(len(arrays.files) - 1)]
        return Trained(NETWORKS[provenance["kind"]](int(provenance["radius"]), parts), provenance)
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} holds no network of ours ({error}); `cornered train bamboo-neural` makes one"
        ) from None


@lru_cache(maxsize=16)
def _loaded(path: Path, changed: int) -> Trained:
    del changed  # A file that is written again is read again.
    return load(path)


def file_name(kind: NetworkKind, radius: int) -> str:
    """Return the name of a network's file."""
    return f"bamboo-{kind}-r{radius}{NETWORK_SUFFIX}" if kind != "dense" else f"bamboo-r{radius}{NETWORK_SUFFIX}"


def shipped_path(radius: int, kind: NetworkKind = "dense") -> Path:
    """Return where the weights for a radius are, or would be."""
    return SHIPPED / file_name(kind, radius)


@cache
def shipped(radius: int, kind: NetworkKind = "dense") -> Trained | None:
    """Return the weights that come with the program, None for a radius that has none."""
    path = shipped_path(radius, kind)
    return load(path) if path.is_file() else None


def opened(path: Path) -> Trained:
    """Return the weights of a file, cached while it does not change. Raises the errors of `load`."""
    return _loaded(path, path.stat().st_mtime_ns)
