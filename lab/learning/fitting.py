"""Training of a network, in PyTorch: by the search's scores and moves, and the results of the games.

Weights are rounded in the forward pass, and the gradient ignores it (a straight-through estimator), so that the network
learns with the integers that it will have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from cornered.bots.nnue.features import FeatureSet
from cornered.bots.nnue.layout import FIRST_SCALE, HIDDEN, LAYER_SHIFT, LOGIT_SCORE, MOVES, SECOND
from cornered.bots.nnue.network import Network
from cornered.bots.search.layout import MAX_MOVES_PER_POSITION
from cornered.bots.search.template import PROVEN_SCORE
from cornered.lab.learning.positions import Positions, maker

__all__ = ["Choices", "EpochLoss", "FeatureLists", "Model", "choices", "feature_lists", "fit", "kept"]

BATCH: Final = 4096
LEARNING_RATE: Final = 2e-3
SCORE_SHARE: Final = 0.7
"""What the search's score weighs in the target; the result of the game has the rest."""
MOVES_SHARE: Final = 0.1
"""What the loss of the moves weighs beside that of the expected result."""
HELD_OUT_EVERY: Final = 25
"""Every n-th game is held out for the measurement."""
LAYER_SCALE: Final = 1 << LAYER_SHIFT
COLUMN_LIMIT: Final = 3.0
"""Bounds of the weights, far above those that training comes to. `Network.check_sums` checks that the sums of such
weights fit in their types."""
LAYER_LIMIT: Final = 8.0
OUTPUT_LIMIT: Final = 32.0
CHUNK: Final = 65_536


@dataclass(frozen=True, slots=True)
class EpochLoss:
    """The cross-entropy of the expected result after an epoch, in nats: of the positions learnt from, and of those held
    out; and of the search's move among the legal ones, of those held out."""

    learnt: float
    held_out: float
    held_out_moves: float

    def as_json(self) -> dict[str, float]:
        """Return JSON-compatible values."""
        return {name: round(value, 5) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class FeatureLists:
    """The features of positions, each turned to the mover: those of row i are `features[starts[i]:starts[i + 1]]`."""

    features: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]

    def batch(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the features of these rows, one after the other, and where each row begins."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        places = np.arange(lengths.sum()) + np.repeat(self.starts[rows] - begins, lengths)
        return self.features[places].astype(np.int64), begins


def feature_lists(positions: Positions, start: Any, known: FeatureSet) -> FeatureLists:
    """Return the features of all positions. `start` is any position of the game."""
    make, place_of_turn = maker(start), start._fields.index("turn")
    turned, movers = np.array(known.turned().features), positions.fields[:, place_of_turn]
    parts, lengths = [], []
    for first in range(0, len(positions), CHUNK):
        rows = positions.fields[first : first + CHUNK]
        words = np.zeros((len(rows), known.words), np.int64)
        for at, row in enumerate(rows.tolist()):
            known.mark(make(row), words[at])
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
        place, feature = np.nonzero(bits)
        seat = movers[first : first + CHUNK][place]
        parts.append(np.where(seat == 1, turned[feature], feature).astype(np.int32))
        lengths.append(bits.sum(axis=1, dtype=np.int64))
    return FeatureLists(np.concatenate(parts), np.concatenate([[0], np.cumsum(np.concatenate(lengths))]))


@dataclass(frozen=True, slots=True)
class Choices:
    """The search's choices, turned to the mover: the number of its move, and bits of the numbers of the legal moves:
    uint8 (n, MOVES / 8)."""

    chosen: npt.NDArray[np.int64]
    legal: npt.NDArray[np.uint8]

    def batch(
        self, rows: npt.NDArray[np.int64], images: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return the moves of these rows, and which are legal: bool (rows, MOVES). `images` says where each goes."""
        legal = np.zeros((len(rows), MOVES), bool)
        legal[:, images] = np.unpackbits(self.legal[rows], axis=1)
        return images[self.chosen[rows]], legal


def choices(positions: Positions, start: Any, known: FeatureSet, gen: Callable[[Any, Any], int]) -> Choices:
    """Return the moves of all positions. `gen` is the kernel of the legal moves, `start` any position of the game."""
    make, place_of_turn = maker(start), start._fields.index("turn")
    turned, movers = np.array(known.turned().moves), positions.fields[:, place_of_turn]
    buffer, bits = np.zeros(MAX_MOVES_PER_POSITION, np.int64), np.zeros((len(positions), MOVES // 8), np.uint8)
    for at, row in enumerate(positions.fields.tolist()):
        moves = buffer[: gen(make(row), buffer)]
        legal = np.zeros(MOVES, np.uint8)
        legal[turned[moves] if movers[at] == 1 else moves] = 1
        bits[at] = np.packbits(legal)
    moves = positions.moves.astype(np.int64)
    return Choices(np.where(movers == 1, turned[moves], moves), bits)


def rounded(weights: Any, scale: int) -> Any:
    """Return weights rounded to a multiple of 1 / scale; the gradient passes as if they were not."""
    return weights + (torch.round(weights * scale) / scale - weights).detach()


class Model(nn.Module):  # type: ignore[misc]  # mypy does not follow torch
    """The network with weights that are not rounded yet; called with the features of a batch it returns the logits of
    the expected results, and of the moves."""

    def __init__(self, known: FeatureSet, scale: float = LOGIT_SCORE) -> None:
        """`scale` is the score, in hundredths of the prior, of a logit of 1."""
        super().__init__()
        self.columns = nn.Parameter(torch.empty(known.count, HIDDEN).uniform_(-0.05, 0.05))
        self.direct = nn.Parameter(torch.tensor(known.prior()[:, None] / scale, dtype=torch.float32))
        self.bias = nn.Parameter(torch.full((HIDDEN,), 0.1))
        self.second = nn.Linear(HIDDEN, SECOND)
        self.third = nn.Linear(SECOND, 1)
        self.moves = nn.Linear(HIDDEN, MOVES)
        with torch.no_grad():
            # The prior begins alone.
            self.third.weight.mul_(0.1)
            self.third.bias.zero_()

    def forward(self, features: Any, begins: Any) -> tuple[Any, Any]:
        product = FIRST_SCALE * LAYER_SCALE
        hidden = nn.functional.embedding_bag(features, rounded(self.columns, FIRST_SCALE), begins, mode="sum")
        hidden = (hidden + rounded(self.bias, FIRST_SCALE)).clamp(0, 1)
        second = nn.functional.linear(
            hidden, rounded(self.second.weight, LAYER_SCALE), rounded(self.second.bias, product)
        )
        third = nn.functional.linear(
            second.clamp(0, 1), rounded(self.third.weight, LAYER_SCALE), rounded(self.third.bias, product)
        )
        direct = nn.functional.embedding_bag(features, rounded(self.direct, product), begins, mode="sum")
        moves = nn.functional.linear(hidden, rounded(self.moves.weight, LAYER_SCALE), rounded(self.moves.bias, product))
        return (third + direct)[:, 0], moves

    def forget(self, features: Any) -> None:
        """Put the columns of features that no position has to 0, where they stay: less to store."""
        with torch.no_grad():
            self.columns[features] = 0.0

    def keep_within_bounds(self) -> None:
        with torch.no_grad():
            self.columns.clamp_(-COLUMN_LIMIT, COLUMN_LIMIT)
            self.second.weight.clamp_(-LAYER_LIMIT, LAYER_LIMIT)
            self.third.weight.clamp_(-OUTPUT_LIMIT, OUTPUT_LIMIT)
            self.moves.weight.clamp_(-LAYER_LIMIT, LAYER_LIMIT)

    def take(self, network: Network) -> None:
        """Go on from a network's weights."""
        product = FIRST_SCALE * LAYER_SCALE

        def put(parameter: Any, weights: Any, scale: int) -> None:
            parameter.copy_(torch.tensor(np.asarray(weights, np.float64).reshape(parameter.shape) / scale))

        with torch.no_grad():
            put(self.columns, network.columns, FIRST_SCALE)
            put(self.direct, network.direct, product)
            put(self.bias, network.bias, FIRST_SCALE)
            put(self.second.weight, network.second, LAYER_SCALE)
            put(self.second.bias, network.second_bias, product)
            put(self.third.weight, network.third, LAYER_SCALE)
            put(self.third.bias, network.third_bias, product)
            put(self.moves.weight, network.moves, LAYER_SCALE)
            put(self.moves.bias, network.moves_bias, product)

    def network(self) -> Network:
        """Return the weights as integers. Raises ValueError where one does not fit in its type."""
        product = FIRST_SCALE * LAYER_SCALE

        def whole(parameter: Any, scale: int, dtype: type[np.signedinteger[Any]]) -> Any:
            found = np.rint(parameter.detach().double().numpy() * scale)
            bounds = np.iinfo(dtype)
            if found.size and not bounds.min <= found.min() <= found.max() <= bounds.max:
                raise ValueError(f"a weight of {found.min():,.0f} to {found.max():,.0f} does not fit in {bounds.dtype}")
            return found.astype(dtype)

        return Network(
            whole(self.columns, FIRST_SCALE, np.int16),
            whole(self.direct[:, 0], product, np.int32),
            whole(self.bias, FIRST_SCALE, np.int16),
            whole(self.second.weight, LAYER_SCALE, np.int16),
            whole(self.second.bias, product, np.int32),
            whole(self.third.weight[0], LAYER_SCALE, np.int16),
            whole(self.third.bias[0], product, np.int64)[()],
            whole(self.moves.weight, LAYER_SCALE, np.int16),
            whole(self.moves.bias, product, np.int32),
        ).check()


def targets(positions: Positions) -> npt.NDArray[np.float32]:
    """Return the expected results, from 0 to 1."""
    scored = 1 / (1 + np.exp(-np.clip(positions.scores / LOGIT_SCORE, -30, 30)))
    wanted = SCORE_SHARE * scored + (1 - SCORE_SHARE) * (positions.results + 1) / 2
    return wanted.astype(np.float32)


def kept(curve: Sequence[EpochLoss]) -> EpochLoss:
    """Return the loss of the epoch whose weights are kept: the last one of the least for the games held out."""
    return min(reversed(curve), key=lambda point: point.held_out)


def fit(
    positions: Positions,
    like: Any,
    known: FeatureSet,
    gen: Callable[[Any, Any], int],
    epochs: int,
    seed: int,
    start: Network | None = None,
    scale: float = LOGIT_SCORE,
    report: Callable[[int, EpochLoss], None] = lambda epoch, loss: None,
) -> tuple[Network, list[EpochLoss]]:
    """Train a network, from `start` or from the prior, and return it with the loss after each epoch. `like` is any
    position of the game, `gen` the kernel of its legal moves, and `scale` the score of a logit of 1 in hundredths of
    the prior.

    It is that of the epoch with the least loss of the games held out, where there are any, and otherwise the last one.

    Equal arguments give equal weights on one machine. Proven positions are left out: the search finds them itself.
    """
    open_ones = positions.where(np.abs(positions.scores) <= PROVEN_SCORE)
    if not len(open_ones):
        raise ValueError("there are no positions to learn from: every one is proven; play longer games")
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    lists, wanted = feature_lists(open_ones, like, known), torch.from_numpy(targets(open_ones))
    moves = choices(open_ones, like, known, gen)
    is_held_out = open_ones.games % HELD_OUT_EVERY == HELD_OUT_EVERY - 1
    learnt, held_out = np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
    symmetries, move_symmetries = (np.array(images) for images in zip(*known.symmetries(), strict=True))
    model = Model(known, scale)
    if start is not None:
        model.take(start)
    seen = np.zeros(known.count, bool)
    seen[symmetries[:, np.unique(lists.features)]] = True
    model.forget(torch.from_numpy(~seen))
    batches = max(1, len(learnt) // BATCH)
    optimiser = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, total_steps=epochs * batches + 1, pct_start=0.1
    )

    def losses_of(rows: npt.NDArray[np.int64], symmetry: int = 0) -> tuple[Any, Any]:
        """Return the mean losses of the expected results, and of the moves."""
        features, begins = lists.batch(rows)
        found, preferred = model(torch.from_numpy(symmetries[symmetry][features]), torch.from_numpy(begins))
        chosen, legal = (torch.from_numpy(part) for part in moves.batch(rows, move_symmetries[symmetry]))
        return (
            nn.functional.binary_cross_entropy_with_logits(found, wanted[torch.from_numpy(rows)]),
            nn.functional.cross_entropy(preferred.masked_fill(~legal, -torch.inf), chosen),
        )

    curve: list[EpochLoss] = []
    best = model.network()
    for epoch in range(epochs):
        order = chance.permutation(learnt)
        total = 0.0
        for rows in np.array_split(order, batches):
            loss, loss_of_moves = losses_of(np.sort(rows), int(chance.integers(len(symmetries))))
            optimiser.zero_grad()
            (loss + MOVES_SHARE * loss_of_moves).backward()
            optimiser.step()
            schedule.step()
            model.keep_within_bounds()
            total += float(loss.detach()) * len(rows)
        with torch.no_grad():
            parts = np.array_split(held_out, max(1, len(held_out) // BATCH)) if len(held_out) else []
            sums = [[float(loss) * len(rows) for loss in losses_of(rows)] for rows in parts]
        measured = [sum(each) / max(1, len(held_out)) for each in (zip(*sums, strict=True) if sums else ([], []))]
        curve.append(EpochLoss(total / len(order), *measured))
        if kept(curve) is curve[-1]:
            best = model.network()
        report(epoch + 1, curve[-1])
    return best, curve
