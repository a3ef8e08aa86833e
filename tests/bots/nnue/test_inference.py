"""The compiled inference and the plain one give the same score, however the search comes to a position."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cornered import engine
from cornered.bots.evaluate import quoridor
from cornered.bots.evaluate.quoridor_features import FEATURES, WORDS, mark, mirrored, turned
from cornered.bots.nnue.layout import HIDDEN, SECOND
from cornered.bots.nnue.network import Network, install
from cornered.engine.encoding import encoding

GAME = engine.load("quoridor")


def random_network(seed: int) -> Network:
    chance = np.random.default_rng(seed)

    def drawn(dtype: Any, bound: int, *shape: int) -> Any:
        return chance.integers(-bound, bound, shape, endpoint=True).astype(dtype)

    return Network(
        drawn(np.int16, 60, FEATURES, HIDDEN),
        drawn(np.int32, 20_000, FEATURES),
        drawn(np.int16, 100, HIDDEN),
        drawn(np.int16, 100, SECOND, HIDDEN),
        drawn(np.int32, 20_000, SECOND),
        drawn(np.int16, 100, SECOND),
        np.array(12_345),
    )


def recorded(network: Network) -> Any:
    record = np.zeros(1, quoridor.SCRATCH).view(np.recarray)[0]
    install(network, turned(), record)
    return record


def features(position: Any) -> list[int]:
    """Return the features of a position, turned round for the second seat."""
    words = np.zeros(WORDS, np.int64)
    mark(position, words)
    bits = [64 * word + bit for word in range(WORDS) for bit in range(64) if int(words[word]) >> bit & 1]
    turn = turned()
    return [turn[feature] for feature in bits] if position.turn else bits


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_gives_the_score_of_the_plain_sum_at_every_ply(seed: int) -> None:
    network, chance = random_network(seed), random.Random(seed)
    record = recorded(network)
    scores = set()
    for _ in range(6):
        state = GAME.start()
        while state.outcome is None:
            position: Any = state.position  # type: ignore[attr-defined]
            # Any ply: the accumulator stands for a position of another line, or of the other seat.
            found = quoridor.network_score(position, chance.randrange(3), record)
            assert found == network.score(features(position))
            scores.add(found)
            state = state.play(chance.choice(state.moves()))
    assert len(scores) > 100


@pytest.mark.parametrize("bias", [10**8, -(10**8)])
def test_no_score_is_taken_for_a_proof(bias: int) -> None:
    network = replace(random_network(1), third_bias=np.array(bias))
    position: Any = GAME.start().position  # type: ignore[attr-defined]
    found = quoridor.network_score(position, 0, recorded(network))
    assert found == network.score(features(position)) == (90_000 if bias > 0 else -90_000)


def test_a_position_that_is_turned_round_has_the_same_score() -> None:
    record, chance = recorded(random_network(1)), random.Random(1)
    for _ in range(20):
        state = GAME.start()
        for _ in range(chance.randrange(2, 40)):
            if state.outcome is not None:
                break
            state = state.play(chance.choice(state.moves()))
        position: Any = state.position  # type: ignore[attr-defined]
        assert quoridor.network_score(upside_down(position), 0, record) == quoridor.network_score(position, 1, record)


def upside_down(position: Any) -> Any:
    """Return the position with north and south exchanged, and the seats."""

    def flipped(lo: int, hi: int, ranks: int) -> tuple[int, int]:
        word = lo | hi << 45
        rows = [word >> 9 * rank & 511 for rank in range(ranks)]
        whole = sum(row << 9 * rank for rank, row in enumerate(reversed(rows)))
        return whole & (1 << 45) - 1, whole >> 45

    def cell(number: int) -> int:
        return 9 * (8 - number // 9) + number % 9

    h_lo, h_hi = flipped(position.h_lo, position.h_hi, 8)
    v_lo, v_hi = flipped(position.v_lo, position.v_hi, 8)
    first, second = position.pawns & 255, position.pawns >> 8 & 255
    left = (position.left & 255) << 8 | position.left >> 8 & 255
    pawns = cell(first) << 8 | cell(second)
    return position._replace(h_lo=h_lo, h_hi=h_hi, v_lo=v_lo, v_hi=v_hi, pawns=pawns, left=left, turn=1 - position.turn)


def test_mirrored_positions_have_mirrored_features() -> None:
    mirror, chance = mirrored(), random.Random(2)
    names = list(encoding(GAME).move_numbers)
    symmetry = encoding(GAME).symmetries[1]
    for _ in range(10):
        state = other = GAME.start()
        for _ in range(chance.randrange(2, 30)):
            if state.outcome is not None:
                break
            move = chance.choice(state.moves())
            state = state.play(move)
            other = other.play(names[symmetry.actions[names.index(move)]])
        position, mirrored_position = (one.position for one in (state, other))  # type: ignore[attr-defined]
        assert sorted(mirror[feature] for feature in features(position)) == sorted(features(mirrored_position))
