"""The bounds on a network's sums hold for every position, and a network that may overflow is not saved."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from cornered.bots.evaluate import quoridor
from cornered.bots.nnue.layout import HIDDEN
from cornered.bots.nnue.network import Network, TrainedNetwork, load, save
from cornered.engine import Game
from tests.bots.nnue.test_inference import SUBJECTS, features, position_of, random_network
from tests.bots.scenes import random_game

ABOUT: Mapping[str, object] = {"command": "cornered train"}
GAMES = 3


def with_column(network: Network, weights: Mapping[int, int]) -> Network:
    """Return the network with these weights of the last hidden unit by feature, and all of its others 0."""
    columns = network.columns.copy()
    columns[:, HIDDEN - 1] = 0
    for feature, weight in weights.items():
        columns[feature, HIDDEN - 1] = weight
    return replace(network, columns=columns, bias=np.zeros_like(network.bias))


@pytest.mark.parametrize(("game", "module"), SUBJECTS)
def test_a_position_has_at_most_one_feature_of_each_exclusive_set(game: Game, module: ModuleType) -> None:
    chance = random.Random(3)
    owners = {feature: at for at, group in enumerate(module.FEATURES.exclusive()) for feature in group}
    assert len(owners) == sum(len(group) for group in module.FEATURES.exclusive())
    for state in (state for _ in range(GAMES) for state in random_game(game, chance)):
        found = [owners[feature] for feature in features(position_of(state), module) if feature in owners]
        assert len(found) == len(set(found)) > 1
    # And the sets are those of the turned board too.
    groups = {frozenset(group) for group in module.FEATURES.exclusive()}
    for image in (module.FEATURES.turned(), *module.FEATURES.symmetries()):
        assert {frozenset(image.features[feature] for feature in group) for group in groups} == groups


@pytest.mark.parametrize(("game", "module"), SUBJECTS)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_network_whose_accumulator_may_overflow_is_not_saved(
    game: Game, module: ModuleType, sign: int, tmp_path: Path
) -> None:
    group = list(module.FEATURES.exclusive()[-1])
    alone = sorted(set(range(module.FEATURES.count)) - {one for each in module.FEATURES.exclusive() for one in each})
    network, path = random_network(1, module), tmp_path / "network.npz"
    # Each of the set alone, but no two of it, come this far.
    save(TrainedNetwork(with_column(network, dict.fromkeys(group, sign * 32_000)), ABOUT), module.FEATURES, path)
    assert load(path).network.columns[group[0], HIDDEN - 1] == sign * 32_000
    path.unlink()
    other = alone[0] if alone else module.FEATURES.exclusive()[0][0]
    heavy = with_column(network, {group[0]: sign * 32_000, other: sign * 1_000})
    with pytest.raises(ValueError, match=r"the accumulator may reach .*33,000.* int16 ends at -32,768 and 32,767"):
        save(TrainedNetwork(heavy, ABOUT), module.FEATURES, path)
    assert not path.exists()
    biased = with_column(network, {group[0]: sign * 32_000})
    biased.bias[HIDDEN - 1] = sign * 1_000
    with pytest.raises(ValueError, match="the accumulator may reach"):
        biased.check_sums(module.FEATURES.exclusive())


def test_a_second_layer_that_may_overflow_is_refused() -> None:
    network, exclusive = random_network(1, quoridor), quoridor.FEATURES.exclusive()
    for sign in (1, -1):
        second, bias = np.zeros_like(network.second), np.zeros_like(network.second_bias)
        second[2], bias[2] = sign * 32_767, sign * (2**31 - 1 - 128 * 255 * 32_767)
        largest = replace(network, second=second, second_bias=bias)
        assert largest.check_sums(exclusive) is largest
        largest.second_bias[2] += sign * 2
        with pytest.raises(ValueError, match=r"the second layer may reach .* int32 ends at"):
            largest.check_sums(exclusive)
