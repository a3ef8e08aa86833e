"""Networks: their inputs and shapes, and gradients against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from cornered.bots.bamboo.cells import cubes, distance
from cornered.bots.neural.convolution import CHANNELS, PLANES, Convolutional, neighbourhoods, planes
from cornered.bots.neural.dense import Dense
from cornered.bots.neural.network import Loss, Network, masked
from cornered.bots.neural.views import Views, images
from tests.bots.scenes import bamboo


def lessons(radius: int, count: int) -> tuple[Views, np.ndarray, np.ndarray]:
    """Return positions of no game, with legal moves and outcomes."""
    chance = np.random.default_rng(3)
    cells = len(cubes(radius))
    legal = chance.random((count, cells)) < 0.7
    chosen = chance.integers(cells, size=count)
    legal[np.arange(count), chosen] = True
    views = Views(chance.integers(-1, 2, (count, cells)).astype(np.int8), legal, chance.random((count, cells)) < 0.5)
    return views, chosen, chance.choice([-1, 1], count).astype(np.int8)


def test_the_mover_sees_its_stones_as_1_and_the_others_as_minus_1() -> None:
    views = Views.of([bamboo(1, "b3 b1"), bamboo(1, "b3")], 1)
    # In the order a1 a2 b1 b2 b3 c1 c2: blue's b1, red's b3, and red may place on a1 and c1, blue on a2 and c2.
    assert views.stones.tolist() == [[0, 0, -1, 0, 1, 0, 0], [0, 0, 0, 0, -1, 0, 0]]
    assert [np.flatnonzero(row).tolist() for row in views.legal] == [[0, 5], [0, 1, 2, 3, 5, 6]]
    assert [np.flatnonzero(row).tolist() for row in views.replies] == [[1, 6], [0, 2, 5]]


def test_three_hidden_layers_are_twice_as_wide_as_the_board() -> None:
    assert Dense.shapes(5) == [(91, 182), (182,), (182, 182), (182,), (182, 182), (182,), (182, 91), (91,)]
    dense = Dense.new(5, np.random.default_rng(1))
    passed = dense.forward(lessons(5, 7)[0])
    assert [part.shape for part in passed] == [(7, 91), (7, 182), (7, 182), (7, 182), (7, 91)]
    assert all((part >= 0).all() for part in passed[1:-1])
    assert dense.judge(lessons(5, 7)[0]).values is None


def test_a_kernel_sees_the_cell_and_its_neighbours() -> None:
    for radius in (1, 4):
        cells = list(cubes(radius).values())
        for cell, seen in zip(cells, neighbourhoods(radius).tolist(), strict=True):
            near = {i for i, other in enumerate(cells) if distance(cell, other) <= 1}
            assert set(seen) - {len(cells)} == near
            # Direction 6 - i is opposite to direction i, so that the gradient returns to its source.
            for i, there in enumerate(seen):
                if there < len(cells):
                    assert cells[neighbourhoods(radius)[there][6 - i]] == cell


def test_a_convolution_is_the_square_kernel_without_two_corners() -> None:
    """The same sums, written as loops over a square grid with a border."""
    network = Convolutional.new(2, np.random.default_rng(5))
    network.parameters[1][:] = np.linspace(-1, 1, CHANNELS)
    views, _, _ = lessons(2, 3)
    seen = planes(views, np.dtype(np.float32))[:, :-1]
    grid = np.zeros((3, 7, 7, PLANES), np.float32)
    at = [(x + 3, z + 3) for x, _, z in cubes(2).values()]
    for i, (column, row) in enumerate(at):
        grid[:, column, row] = seen[:, i]
    kernel = network.parameters[0].reshape(7, PLANES, CHANNELS)
    steps = [(-1, 1), (-1, 0), (0, 1), (0, 0), (0, -1), (1, 0), (1, -1)]
    expected = np.stack(
        [
            sum(grid[:, column + dx, row + dz] @ kernel[tap] for tap, (dx, dz) in enumerate(steps))
            + network.parameters[1]
            for column, row in at
        ],
        axis=1,
    )
    found = network.layers(views)[0][1][:, :-1]
    assert found == pytest.approx(np.maximum(expected, 0), abs=1e-5)


def test_a_convolutional_network_judges_every_board_and_its_values_lie_between_lost_and_won() -> None:
    network = Convolutional.new(2, np.random.default_rng(1))
    for radius in (1, 2, 5):
        judged = network.judge(lessons(radius, 9)[0])
        assert judged.scores.shape == (9, len(cubes(radius)))
        assert judged.values is not None
        assert (np.abs(judged.values) < 1).all()
    assert network.plays(5)
    assert not Dense.new(2, np.random.default_rng(1)).plays(5)
    with pytest.raises(ValueError, match="not the weights of a convolutional network"):
        Convolutional(2, network.parameters[1:])


def test_illegal_cells_get_no_probability_and_the_rest_is_the_softmax() -> None:
    scores = np.array([[1.0, 2.0, 50.0, 3.0]], np.float32)
    found = masked(scores, np.array([[True, True, False, True]]))
    expected = np.exp([1.0, 2.0, 3.0]) / np.exp([1.0, 2.0, 3.0]).sum()
    assert found[0, [0, 1, 3]] == pytest.approx(expected)
    assert found[0, 2] == 0


def test_a_position_and_its_chosen_cell_turn_together() -> None:
    views, chosen, _ = lessons(2, 6)
    views.stones[:] = 0
    views.stones[np.arange(6), chosen] = 1
    cells = list(cubes(2).values())
    for image in images(2):
        sources = np.repeat(image[None], 6, axis=0)
        moved = views.moved(sources)
        assert (moved.stones.argmax(axis=1) == np.argsort(sources, axis=1)[np.arange(6), chosen]).all()
        for before, there in zip(chosen, moved.stones.argmax(axis=1), strict=True):
            assert sorted(map(abs, cells[before])) == sorted(map(abs, cells[there]))


def total(loss: Loss) -> float:
    return loss.policy + (loss.value or 0.0)


@pytest.mark.parametrize(("kind", "every"), [(Dense, 5), (Convolutional, 29)])
def test_the_gradient_is_the_slope_of_the_loss(kind: type[Network], every: int) -> None:
    # In double precision, or the differences drown in rounding.
    network = kind.new(1, np.random.default_rng(3))
    chance = np.random.default_rng(4)
    network.parameters = [part.astype(np.float64) + chance.normal(0, 0.1, part.shape) for part in network.parameters]
    views, chosen, outcomes = lessons(1, 5)
    _, slopes = network.gradients(views, chosen, outcomes)
    assert [slope.shape for slope in slopes] == kind.shapes(1)
    for parameter, slope in zip(network.parameters, slopes, strict=True):
        for index in list(np.ndindex(parameter.shape))[::every]:
            before = parameter[index]
            parameter[index] = before + 1e-6
            above, _ = network.gradients(views, chosen, outcomes)
            parameter[index] = before - 1e-6
            below, _ = network.gradients(views, chosen, outcomes)
            parameter[index] = before
            assert slope[index] == pytest.approx((total(above) - total(below)) / 2e-6, abs=1e-6)
