"""The tunable evaluations: the printed weights give the printed evaluations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from cornered import engine
from cornered.bots.bamboo.minimax import estimate
from cornered.bots.evaluate.quoridor_printed import PrintedWeights, printed
from cornered.bots.evaluate.trapgrid_classic import WEIGHTS, heuristic
from cornered.bots.roster import create
from cornered.bots.roster.trapgrid_classic import board_of
from cornered.bots.textbook.isolation import HEURISTICS_BY_NAME, mobilities
from cornered.bots.weights.model import model, modelled, spelled
from cornered.bots.weights.trapgrid import weights
from tests.bots.scenes import random_game


def positions(game: str, **options: int) -> Iterator[Any]:
    """Yield the unfinished positions of a few random games."""
    for seed in range(3):
        yield from random_game(engine.load(game, **options), seed)


def test_every_game_has_a_model() -> None:
    assert modelled() == tuple(sorted(game.name for game in engine.games()))
    with pytest.raises(ValueError, match="bamboo, isolation, quoridor, trapgrid"):
        model("chess")


def test_a_model_is_in_order(subtests: pytest.Subtests) -> None:
    for game in modelled():
        with subtests.test(game):
            known = model(game)
            assert known.game == game
            assert len(set(known.names)) == len(known.names)
            are_linear = [parameter.is_linear for parameter in known.parameters]
            assert are_linear == sorted(are_linear, reverse=True)
            for parameter in known.parameters:
                assert parameter.low <= parameter.printed <= parameter.high
                assert parameter.low < parameter.high
            assert len(known.features(engine.load(game).start(), 0, known.printed)) == known.linear
            assert all(create(known.word(values, 1)).plays(game) for values in (None, known.printed))


def test_quoridors_is_the_specifications() -> None:
    known = model("quoridor")
    assert [(p.low, p.printed, p.high) for p in known.parameters] == [(8, 12, 16), (0.5, 1.5, 2.5), (1, 2, 3)]
    for state in positions("quoridor", size=5, max_plies=40):
        for seat in (0, 1):
            wanted = printed(state, seat, 0, PrintedWeights())
            assert known.evaluate(state, seat, known.printed) == pytest.approx(wanted)


def test_trapgrids_is_the_references_with_any_weights() -> None:
    known = model("trapgrid")
    assert weights(known.printed) == WEIGHTS
    chance = random.Random(1)
    for state in positions("trapgrid"):
        values = tuple(chance.uniform(parameter.low, parameter.high) for parameter in known.parameters)
        for each in (known.printed, values):
            wanted = heuristic(board_of(state), weights(each))
            assert known.evaluate(state, state.to_move, each) == pytest.approx(wanted)


def test_isolations_are_the_tutorials_strategies() -> None:
    known = model("isolation")
    for state in positions("isolation", width=5, height=5):
        for seat in (0, 1):
            for name, values in (("mobility-difference", (1, 1)), ("defensive", (2, 1)), ("offensive", (1, 2))):
                wanted = HEURISTICS_BY_NAME[name](*mobilities(state, seat), 0.0)
                assert known.evaluate(state, seat, values) == wanted


def test_bamboos_is_equation_7() -> None:
    known = model("bamboo")
    for state in positions("bamboo", radius=3):
        red = int(estimate(state.position, 0))
        assert known.evaluate(state, 0, known.printed) == red
        assert known.evaluate(state, 1, known.printed) == -red


def test_words_have_the_numbers_without_zeros() -> None:
    assert spelled((12.0, 1.5, -0.25, 0.33333)) == "12:1.5:-0.25:0.3333"
    assert model("quoridor").word((12.0, 1.5, 2.0), 2) == "quoridor-classic:depth=2,weights=12:1.5:2"
    assert model("quoridor").word(None, 1) == "quoridor-classic:depth=1"


def test_values_are_completed_by_name() -> None:
    known = model("quoridor")
    assert known.complete({"wall": 5}) == (12.0, 1.5, 5.0)
    assert known.named((1.0, 2.0, 3.0)) == {"path": 1.0, "progress": 2.0, "wall": 3.0}
    with pytest.raises(ValueError, match="no weight 'walls'; there are path, progress, wall"):
        known.complete({"walls": 5})
    assert known.places(()) == (0, 1, 2)
    assert known.places(("wall", "path")) == (0, 2)
