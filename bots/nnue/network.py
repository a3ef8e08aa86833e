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

from cornered.bots.nnue.features import FeatureSet, Images
from cornered.bots.nnue.layout import FIRST_SCALE, HIDDEN, LAYER_SHIFT, LOGIT_SCORE, MOVES, SCORE_LIMIT, SECOND
from cornered.engine.records.files import replacing

__all__ = ["SHIPPED", "Network", "TrainedNetwork", "install", "load", "save", "shipped"]

SHIPPED: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Network:
    """The weights, as `cornered.bots.nnue.layout` describes them: `columns` int16 (features, HIDDEN), `direct` int32
    (features), `bias` int16 (HIDDEN), `second` int16 (SECOND, HIDDEN), `second_bias` int32 (SECOND), `third` int16
    (SECOND), `third_bias` int64 (), `moves` int16 (MOVES, HIDDEN), `moves_bias` int32 (MOVES)."""

    columns: npt.NDArray[np.int16]
    direct: npt.NDArray[np.int32]
    bias: npt.NDArray[np.int16]
    second: npt.NDArray[np.int16]
    second_bias: npt.NDArray[np.int32]
    third: npt.NDArray[np.int16]
    third_bias: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int16]
    moves_bias: npt.NDArray[np.int32]

    def check(self) -> Self:
        """Return the network. Raises ValueError where its arrays have other shapes."""
        features = len(self.columns)
        layers = (SECOND, HIDDEN), (SECOND,), (SECOND,), (), (MOVES, HIDDEN), (MOVES,)
        shapes = (features, HIDDEN), (features,), (HIDDEN,), *layers
        for field, shape in zip(fields(self), shapes, strict=True):
            if getattr(self, field.name).shape != shape:
                raise ValueError(f"{field.name} has the shape {getattr(self, field.name).shape}, not {shape}")
        return self

    def check_sums(self, exclusive: Sequence[Sequence[int]]) -> Self:
        """Return the network. Raises ValueError where a position may take a sum of the kernels out of its type.

        `exclusive` are disjoint sets of features of which a position has at most one, as those of `FeatureSet`; each
        of the others may be there. Sums on the way may wrap, since they are taken modulo a power of two.
        """
        low, high = _reach(self.columns, exclusive)
        _check_reach("the accumulator", np.int16, low + self.bias, high + self.bias)
        # A hidden unit is 0 to FIRST_SCALE, and each may have any of its values.
        low, high = _reach(FIRST_SCALE * self.second.T.astype(np.int64), ())
        _check_reach("the second layer", np.int32, low + self.second_bias, high + self.second_bias)
        low, high = _reach(FIRST_SCALE * self.moves.T.astype(np.int64), ())
        _check_reach("a preference", np.int32, low + self.moves_bias, high + self.moves_bias)
        return self

    def score(self, features: Sequence[int]) -> int:
        """Return the score of a position with these features, in hundredths."""
        hidden = self._hidden(features)
        second = ((self.second.astype(np.int64) @ hidden + self.second_bias) >> LAYER_SHIFT).clip(0, FIRST_SCALE)
        direct = int(self.direct[list(features)].astype(np.int64).sum())
        logit = int(self.third_bias) + direct + int(self.third.astype(np.int64) @ second)
        return max(-SCORE_LIMIT, min(logit * LOGIT_SCORE // (FIRST_SCALE << LAYER_SHIFT), SCORE_LIMIT))

    def preferences(self, features: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the logits of all moves, in hundredths: int64 (MOVES)."""
        logits = self.moves.astype(np.int64) @ self._hidden(features) + self.moves_bias
        found: npt.NDArray[np.int64] = logits * 100 // (FIRST_SCALE << LAYER_SHIFT)
        return found

    def _hidden(self, features: Sequence[int]) -> npt.NDArray[np.int64]:
        accumulator = self.bias.astype(np.int64) + self.columns[list(features)].astype(np.int64).sum(axis=0)
        hidden: npt.NDArray[np.int64] = accumulator.clip(0, FIRST_SCALE)
        return hidden


def _reach(
    columns: npt.NDArray[Any], exclusive: Sequence[Sequence[int]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the least and the greatest sums of columns, int64, with at most one column of each exclusive set."""
    wide = columns.astype(np.int64)
    alone = np.ones(len(wide), bool)
    low, high = np.zeros(wide.shape[1], np.int64), np.zeros(wide.shape[1], np.int64)
    for features in exclusive:
        alone[list(features)] = False
        low += wide[list(features)].min(axis=0).clip(max=0)
        high += wide[list(features)].max(axis=0).clip(min=0)
    return low + wide[alone].clip(max=0).sum(axis=0), high + wide[alone].clip(min=0).sum(axis=0)


def _check_reach(
    name: str, kind: type[np.signedinteger[Any]], low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]
) -> None:
    bounds = np.iinfo(kind)
    if low.min() < bounds.min or high.max() > bounds.max:
        raise ValueError(
            f"{name} may reach {low.min():,} to {high.max():,}, and {bounds.dtype} ends at {bounds.min:,} and "
            f"{bounds.max:,}: train with lower limits of the weights"
        )


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """A network and where it comes from: the command, its seed, the data and the results."""

    network: Network
    provenance: Mapping[str, Any]


def save(trained: TrainedNetwork, known: FeatureSet, path: Path) -> None:
    """Write a network over these features, whole or not at all. The same one always makes the same bytes.

    Raises ValueError where its sums may overflow.
    """
    trained.network.check_sums(known.exclusive())
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


def install(network: Network, turned: Images, record: Any) -> None:
    """Write a network into the search's record. `turned` says where features and moves go for the second seat."""
    for name in ("bias", "second", "second_bias", "third"):
        getattr(record, name)[:] = getattr(network, name)
    record.third_bias = int(network.third_bias)
    for name in ("columns", "direct", "moves", "moves_bias"):
        ours = getattr(network, name)
        images = turned.features if name in ("columns", "direct") else turned.moves
        getattr(record, name)[0] = ours
        getattr(record, name)[1] = ours[list(images)]
    record.mover[:] = 0
    record.has_preferences = int(network.moves.any())
    record.has_network = 1
