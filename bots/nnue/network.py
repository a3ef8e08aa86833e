"""Trained networks: their integers, their files, and the same score as the kernel's, in numpy."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from cornered.bots.nnue.layout import FIRST_SCALE, HIDDEN, LAYER_SHIFT, LOGIT_SCORE, SCORE_LIMIT, SECOND
from cornered.engine.records.files import replacing

__all__ = ["SHIPPED", "Network", "TrainedNetwork", "install", "load", "save", "shipped"]

SHIPPED: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Network:
    """The weights, as `cornered.bots.nnue.layout` describes them: `columns` int16 (features, HIDDEN), `direct` int32
    (features), `bias` int16 (HIDDEN), `second` int16 (SECOND, HIDDEN), `second_bias` int32 (SECOND), `third` int16
    (SECOND), `third_bias` int64 ()."""

    columns: npt.NDArray[np.int16]
    direct: npt.NDArray[np.int32]
    bias: npt.NDArray[np.int16]
    second: npt.NDArray[np.int16]
    second_bias: npt.NDArray[np.int32]
    third: npt.NDArray[np.int16]
    third_bias: npt.NDArray[np.int64]

    def check(self) -> Self:
        """Return the network. Raises ValueError where its arrays have other shapes."""
        features = len(self.columns)
        shapes = (features, HIDDEN), (features,), (HIDDEN,), (SECOND, HIDDEN), (SECOND,), (SECOND,), ()
        for field, shape in zip(fields(self), shapes, strict=True):
            if getattr(self, field.name).shape != shape:
                raise ValueError(f"{field.name} has the shape {getattr(self, field.name).shape}, not {shape}")
        return self

    def score(self, features: Sequence[int]) -> int:
        """Return the score of a position with these features, in hundredths."""
        accumulator = self.bias.astype(np.int64) + self.columns[list(features)].astype(np.int64).sum(axis=0)
        hidden = accumulator.clip(0, FIRST_SCALE)
        second = ((self.second.astype(np.int64) @ hidden + self.second_bias) >> LAYER_SHIFT).clip(0, FIRST_SCALE)
        direct = int(self.direct[list(features)].astype(np.int64).sum())
        logit = int(self.third_bias) + direct + int(self.third.astype(np.int64) @ second)
        return max(-SCORE_LIMIT, min(logit * LOGIT_SCORE // (FIRST_SCALE << LAYER_SHIFT), SCORE_LIMIT))


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """A network and where it comes from: the command, its seed, the data and the results."""

    network: Network
    provenance: Mapping[str, Any]


def save(trained: TrainedNetwork, path: Path) -> None:
    """Write a network, whole or not at all. The same one always makes the same bytes."""
    arrays: dict[str, Any] = {field.name: getattr(trained.network, field.name) for field in fields(Network)}
    arrays["provenance"] = np.array(json.dumps(dict(trained.provenance)))
    with replacing(path) as beside, beside.open("wb") as file:
        np.savez_compressed(file, **arrays)


def load(path: Path) -> TrainedNetwork:
    """Return the network of a file. Raises an OSError, or a ValueError where it holds none of ours."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            network = Network(**{field.name: arrays[field.name] for field in fields(Network)})
            return TrainedNetwork(network.check(), json.loads(str(arrays["provenance"])))
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} holds no network of ours ({error}); `cornered train` makes one") from None


@cache
def shipped(name: str) -> TrainedNetwork | None:
    """Return the network that comes with the program for a board, such as quoridor-size9; None where there is none."""
    path = SHIPPED / f"{name}.npz"
    return load(path) if path.is_file() else None


def install(network: Network, turned: Sequence[int], record: Any) -> None:
    """Write a network into the search's record. `turned` says where each feature goes for the second seat."""
    for name in ("bias", "second", "second_bias", "third"):
        getattr(record, name)[:] = getattr(network, name)
    record.third_bias = int(network.third_bias)
    for name in ("columns", "direct"):
        ours = getattr(network, name)
        getattr(record, name)[0] = ours
        getattr(record, name)[1] = ours[list(turned)]
    record.mover[:] = 0
    record.has_network = 1
