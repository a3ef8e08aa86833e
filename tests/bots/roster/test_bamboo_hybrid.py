"""The hybrid's control: uniform play in the network's place, and the minimax from the threshold on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.neural.weights import shipped
from cornered.bots.roster import create


def test_the_control_plays_uniformly_down_to_its_threshold_and_then_calculates() -> None:
    state = engine.load("bamboo", radius=2).start()
    hybrid, minimax = create("bamboo-hybrid:network=chance,threshold=16", 1), create("bamboo-minimax")
    played = Counter(hybrid.choose(state, Limit()).move for _ in range(1900))
    # A hundred of each of the nineteen cells are expected, with a standard deviation of ten.
    assert set(played) == set(state.moves())
    assert 50 < min(played.values()) <= max(played.values()) < 150
    state = state.play("a1").play("c3").play("e3")
    assert hybrid.choose(state, Limit()) == minimax.choose(state, Limit())
    assert hybrid.choose(state, Limit()).depth == 2


def test_the_control_repeats_with_its_seed_and_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    start = engine.load("bamboo", radius=5).start()
    moves = [[create("bamboo-hybrid:network=chance", seed).choose(start, Limit()).move] for seed in (1, 1, 2)]
    assert moves[0] == moves[1] != moves[2]
    monkeypatch.setattr("cornered.bots.neural.weights.SHIPPED", Path("/nowhere"))
    shipped.cache_clear()
    create("bamboo-hybrid:network=chance").prepare(start.game)
    with pytest.raises(ValueError, match="no dense network was trained for radius 5"):
        create("bamboo-hybrid").prepare(start.game)
    shipped.cache_clear()


def test_only_the_hybrid_has_the_control() -> None:
    with pytest.raises(ValueError, match="network is one of dense, convolutional, or a file of weights"):
        create("bamboo-neural:network=chance")
