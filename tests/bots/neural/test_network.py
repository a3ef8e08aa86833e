"""The network's shape and what it sees, and that training goes down the slope that it says."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from bots.bamboo.cells import bamboo
from bots.neural.network import forward, inputs, masked, new_layers, sizes
from bots.neural.training import gradients
from engine.games.bamboo import BambooState


def after(radius: int, moves: str) -> BambooState:
    state = engine.load("bamboo", radius=radius).start()
    for move in moves.split():
        state = engine.apply(state, move)
    return bamboo(state)


def test_three_hidden_layers_are_twice_as_wide_as_the_board() -> None:
    assert sizes(5) == (91, 182, 182, 182, 91)
    layers = new_layers(5, np.random.default_rng(1))
    assert [weights.shape for weights, _ in layers] == [(91, 182), (182, 182), (182, 182), (182, 91)]
    passed = forward(layers, np.ones((7, 91), np.float32))
    assert [part.shape for part in passed] == [(7, 91), (7, 182), (7, 182), (7, 182), (7, 91)]
    assert all((part >= 0).all() for part in passed[:-1])


def test_the_mover_sees_its_stones_as_1_and_the_others_as_minus_1() -> None:
    x, legal = inputs(after(1, "b3 b1"))
    # In the order a1 a2 b1 b2 b3 c1 c2: blue's b1, red's b3, and red may place on a1 and c1.
    assert x.tolist() == [0, 0, -1, 0, 1, 0, 0]
    assert np.flatnonzero(legal).tolist() == [0, 5]
    x, legal = inputs(after(1, "b3"))
    assert x.tolist() == [0, 0, 0, 0, -1, 0, 0]
    assert np.flatnonzero(legal).tolist() == [0, 1, 2, 3, 5, 6]


def test_illegal_cells_get_no_probability_and_the_rest_is_the_softmax() -> None:
    scores = np.array([[1.0, 2.0, 50.0, 3.0]], np.float32)
    found = masked(scores, np.array([[True, True, False, True]]))
    expected = np.exp([1.0, 2.0, 3.0]) / np.exp([1.0, 2.0, 3.0]).sum()
    assert found[0, [0, 1, 3]] == pytest.approx(expected)
    assert found[0, 2] == 0


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    chance = np.random.default_rng(3)
    # In double precision, or the differences drown in rounding.
    layers = [(weights.astype(np.float64), biases.astype(np.float64)) for weights, biases in new_layers(1, chance)]
    x = chance.integers(-1, 2, (5, 7)).astype(np.float64)
    legal = chance.random((5, 7)) < 0.7
    chosen = np.array([0, 3, 6, 2, 2])
    legal[np.arange(5), chosen] = True
    _, slopes = gradients(layers, x, legal, chosen)  # type: ignore[arg-type]
    for layer, slope in zip(layers, slopes, strict=True):
        for parameter, found in zip(layer, slope, strict=True):
            for index in list(np.ndindex(parameter.shape))[::5]:
                before = parameter[index]
                parameter[index] = before + 1e-6
                above, _ = gradients(layers, x, legal, chosen)  # type: ignore[arg-type]
                parameter[index] = before - 1e-6
                below, _ = gradients(layers, x, legal, chosen)  # type: ignore[arg-type]
                parameter[index] = before
                assert found[index] == pytest.approx((above - below) / 2e-6, abs=1e-6)
