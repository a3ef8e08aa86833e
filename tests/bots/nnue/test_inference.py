"""The compiled inference and the plain one agree on scores and preferences, however the search comes to a position."""

from __future__ import annotations

import random
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from cornered import engine
from cornered.bots.evaluate import bamboo, isolation, quoridor
from cornered.bots.nnue.inference import forward, preference, update
from cornered.bots.nnue.layout import HIDDEN, MOVES, SECOND
from cornered.bots.nnue.network import Network, install
from cornered.bots.search.layout import MAX_MOVES_PER_POSITION
from cornered.bots.search.specialise import hooks
from cornered.engine import Game, State
from cornered.engine.encoding import encoding
from tests.bots.scenes import random_game

QUORIDOR = engine.load("quoridor")
SUBJECTS = [
    pytest.param(QUORIDOR, quoridor, id="quoridor"),
    pytest.param(engine.load("isolation", width=7, height=7), isolation, id="isolation"),
    pytest.param(engine.load("bamboo", radius=5), bamboo, id="bamboo"),
]


def random_network(seed: int, module: ModuleType) -> Network:
    chance, count = np.random.default_rng(seed), module.FEATURES.count

    def drawn(dtype: Any, bound: int, *shape: int) -> Any:
        return chance.integers(-bound, bound, shape, endpoint=True).astype(dtype)

    return Network(
        drawn(np.int16, 60, count, HIDDEN),
        drawn(np.int32, 20_000, count),
        drawn(np.int16, 100, HIDDEN),
        drawn(np.int16, 100, SECOND, HIDDEN),
        drawn(np.int32, 20_000, SECOND),
        drawn(np.int16, 100, SECOND),
        np.array(12_345),
        drawn(np.int16, 100, MOVES, HIDDEN),
        drawn(np.int32, 20_000, MOVES),
    )


def recorded(network: Network, module: ModuleType) -> Any:
    record = np.zeros(1, module.SCRATCH).view(np.recarray)[0]
    install(network, module.FEATURES.turned(), record)
    return record


def score(position: Any, ply: int, module: ModuleType, record: Any) -> int:
    """Return the kernels' score of a position, as the search asks for it."""
    module.FEATURES.mark(position, record.marked)
    update(ply, position.turn, module.FEATURES.words, record)
    return int(forward(ply, record))


def features(position: Any, module: ModuleType) -> list[int]:
    """Return the features of a position, turned round for the second seat."""
    words = np.zeros(module.FEATURES.words, np.int64)
    module.FEATURES.mark(position, words)
    bits = [64 * at + bit for at in range(len(words)) for bit in range(64) if int(words[at]) >> bit & 1]
    turn = module.FEATURES.turned().features
    return [turn[feature] for feature in bits] if position.turn else bits


def position_of(state: State) -> Any:
    return state.position  # type: ignore[attr-defined]  # every game of ours has one


@pytest.mark.parametrize(("game", "module"), SUBJECTS)
def test_the_kernel_gives_the_score_of_the_plain_sum_at_every_ply(game: Game, module: ModuleType) -> None:
    network, chance = random_network(0, module), random.Random(0)
    record = recorded(network, module)
    scores = set()
    gen, turned = hooks(game.name)["gen"], module.FEATURES.turned().moves
    buffer = np.zeros(MAX_MOVES_PER_POSITION, np.int64)
    for _ in range(3):
        state = game.start()
        while state.outcome is None:
            position = position_of(state)
            # Any ply: the accumulator stands for a position of another line, or of the other seat.
            ply = chance.randrange(3)
            found = score(position, ply, module, record)
            assert found == network.score(features(position, module))
            preferred = network.preferences(features(position, module))
            for move in buffer[: gen(position, buffer)].tolist():
                mine = turned[move] if position.turn else move
                assert preference(ply, position.turn, move, record) == preferred[mine]
            scores.add(found)
            state = state.play(chance.choice(state.moves()))
    assert len(scores) > 60


def test_no_score_is_taken_for_a_proof() -> None:
    position = position_of(QUORIDOR.start())
    for bias, most in ((10**8, 90_000), (-(10**8), -90_000)):
        network = replace(random_network(1, quoridor), third_bias=np.array(bias))
        found = score(position, 0, quoridor, recorded(network, quoridor))
        assert found == network.score(features(position, quoridor)) == most


def test_a_position_that_is_turned_round_has_the_same_score() -> None:
    record, chance = recorded(random_network(1, quoridor), quoridor), random.Random(1)
    for _ in range(20):
        position = position_of(random_game(QUORIDOR, chance, chance.randrange(3, 41))[-1])
        assert score(upside_down(position), 0, quoridor, record) == score(position, 1, quoridor, record)


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


@pytest.mark.parametrize(("game", "module"), SUBJECTS)
def test_symmetric_positions_have_symmetric_features_moves_and_priors(game: Game, module: ModuleType) -> None:
    prior = module.FEATURES.prior()
    assert any(prior)
    chance, numbers = random.Random(2), encoding(game)
    names, kernel_numbers = list(numbers.move_numbers), list(numbers.move_numbers.values())
    known = module.FEATURES.symmetries()
    assert len(known) == len(numbers.symmetries)
    for image, symmetry in zip(known, numbers.symmetries, strict=True):
        assert np.array_equal(prior[list(image.features)], prior)
        for action, number in enumerate(kernel_numbers):
            assert image.moves[number] == kernel_numbers[symmetry.actions[action]]
        for _ in range(5):
            state = other = game.start()
            for _ in range(chance.randrange(2, 30)):
                if state.outcome is not None:
                    break
                move = chance.choice(state.moves())
                state = state.play(move)
                other = other.play(names[symmetry.actions[names.index(move)]])
            mine, others = features(position_of(state), module), features(position_of(other), module)
            assert sorted(image.features[feature] for feature in mine) == sorted(others)
