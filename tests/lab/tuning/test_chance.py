"""The curve of win probabilities: what is fitted is what made the samples, and the constants cover every game."""

from __future__ import annotations

from random import Random

import pytest

from cornered import engine
from cornered.bots.evaluate.chance import CURVES, scale_of, win_probability
from cornered.lab.tuning.chance import Sample, fitted, judged, self_play


def drawn_from(scale: float, count: int, seed: int) -> list[Sample]:
    chance = Random(seed)
    scores = [chance.gauss(0, 2 * scale) for _ in range(count)]
    return [Sample(n // 10, s, float(chance.random() < win_probability(s, scale))) for n, s in enumerate(scores)]


def test_a_curve_is_found_again_and_a_calibration_tells_a_good_one_from_a_bad_one(subtests: pytest.Subtests) -> None:
    for scale in (0.5, 3.0, 40.0):
        with subtests.test(scale=scale):
            assert fitted(drawn_from(scale, 4_000, 1)) == pytest.approx(scale, rel=0.1)

    samples = drawn_from(3.0, 4_000, 2)
    good, bad = judged(samples, 3.0), judged(samples, 0.3)
    assert good.error < 0.03 < bad.error
    assert good.brier < bad.brier
    assert good.brier < good.guessing == 0.25
    assert (good.games, good.positions, sum(number for _, _, number in good.bins)) == (400, 4_000, 4_000)


def test_without_scores_there_is_no_curve_and_probabilities_add_up() -> None:
    with pytest.raises(ValueError, match="no scores"):
        fitted([Sample(0, 0.0, 1.0)])
    for score in (-900.0, -2.5, 0.0, 1.0, 1e6):
        assert win_probability(score, 4.0) + win_probability(-score, 4.0) == pytest.approx(1.0)
    assert win_probability(4.0, 4.0) == pytest.approx(0.7311, abs=1e-4)


def test_games_are_repeatable_and_scored_for_the_mover() -> None:
    game = engine.load("isolation", width=5, height=5)
    samples = list(self_play(game, 2, 7, 200))
    assert samples == list(self_play(game, 2, 7, 200))
    assert {sample.game for sample in samples} == {0, 1}
    assert {sample.outcome for sample in samples} <= {0.0, 0.5, 1.0}


SMALL = {"trapgrid": {}, "isolation": {"width": 6}, "quoridor": {"size": 7}}


def test_every_game_has_a_curve_that_beats_guessing() -> None:
    assert {"trapgrid", "isolation", "quoridor"} <= set(CURVES)
    for name, curve in CURVES.items():
        assert curve.brier < 0.25
        assert curve.error < 0.1
        # A board of no network: the score of one is a logit.
        assert scale_of(engine.load(name, **SMALL[name])) == curve.scale
    assert scale_of(engine.load("quoridor", players=4)) is None
    assert scale_of(engine.load("isolation", dice=True)) is None
