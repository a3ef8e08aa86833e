"""Learning from self-play: independent of workers and interruptions, and it does learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cornered.bots.weights.model import model
from cornered.engine.progress import Progress
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.execution.workforce import Workforce
from cornered.lab.tuning import learner
from cornered.lab.tuning.learner import LearningPlan, Learnt, learn, self_play
from cornered.lab.tuning.td import error
from tests.lab.inline import Inline

TERMS = ContestTerms.of("trapgrid", {"size": 4}, seed=3)
PLAN = LearningPlan(60, batch=20)


class Interrupted(Exception):
    pass


def test_a_game_has_the_positions_of_both_and_a_score_each() -> None:
    game = self_play(TERMS, PLAN, (5, model("trapgrid").printed))
    assert sum(game.scores) == 1.0
    assert all(game.rows)
    assert all(len(row) == 7 for rows in game.rows for row in rows)
    assert game == self_play(TERMS, PLAN, (5, model("trapgrid").printed))
    assert game != self_play(TERMS, PLAN, (6, model("trapgrid").printed))

    plan = LearningPlan(1, depth=2, epsilon=0.0)
    game = self_play(TERMS, plan, (5, model("trapgrid").printed))
    odd = self_play(TERMS, replace(plan, depth=1), (5, model("trapgrid").printed))
    assert game.rows[0][0] != odd.rows[0][0]


def test_more_workers_and_interruptions_change_nothing(tmp_path: Path, workforce: Workforce) -> None:
    whole = learn(TERMS, PLAN, workforce)
    assert learn(TERMS, PLAN, Inline()) == whole
    checkpoint = tmp_path / "checkpoint"

    def stop(_: Progress) -> None:
        raise Interrupted

    for _ in range(2):
        with pytest.raises(Interrupted):
            learn(TERMS, PLAN, workforce, checkpoint, stop)
    assert [point.games for point in whole.curve] == [20, 40, 60]
    heard: list[Progress] = []
    assert learn(TERMS, PLAN, workforce, checkpoint, heard.append) == whole
    assert [progress.done for progress in heard] == [60]


def test_each_batch_is_played_by_what_was_learnt_before(workforce: Workforce) -> None:
    terms = ContestTerms.of("trapgrid", {"size": 7}, seed=3)
    known, plan = model("trapgrid"), LearningPlan(20, batch=10, epsilon=0.0, rate=20.0)
    learnt = learn(terms, replace(plan, games=10), workforce)
    values = learnt.values(known)
    games = [self_play(terms, plan, (number, values)) for number in range(10, 20)]
    assert games != [self_play(terms, plan, (number, known.printed)) for number in range(10, 20)]
    learner.learn_batch(learnt, games, known, plan)
    assert learn(terms, plan, workforce) == learnt


def test_another_seed_learns_something_else_and_a_checkpoint_of_another_command_is_refused(
    workforce: Workforce, tmp_path: Path
) -> None:
    first = learn(TERMS, LearningPlan(20), workforce)
    second = learn(replace(TERMS, seed=4), LearningPlan(20), workforce)
    assert first.theta != second.theta

    checkpoint = tmp_path / "checkpoint"
    learn(TERMS, LearningPlan(20), workforce, checkpoint)
    with pytest.raises(ValueError, match="another command"):
        learn(TERMS, LearningPlan(20, trace=0.5), workforce, checkpoint)
    checkpoint.write_text("{")
    with pytest.raises(ValueError, match="cannot be read"):
        learn(TERMS, LearningPlan(20), workforce, checkpoint)


def test_only_the_named_weights_are_learnt(workforce: Workforce) -> None:
    learnt = learn(TERMS, LearningPlan(40, tuned=("centre",)), workforce)
    first = learn(TERMS, LearningPlan(40, tuned=("distance",)), workforce)
    printed = learner.printed_weights(
        model("trapgrid"), [self_play(TERMS, PLAN, (n, model("trapgrid").printed)) for n in range(20)]
    )
    moved = [now != before for now, before in zip(learnt.theta, printed.theta, strict=True)]
    # The bias is always learnt.
    assert moved == [False, False, False, True, False, False, False, True]
    assert learnt.theta != first.theta


def test_weights_stay_together_as_large_as_the_printed_ones(workforce: Workforce) -> None:
    known = model("trapgrid")
    learnt = learn(TERMS, LearningPlan(40), workforce)
    values = learnt.values(known)

    def size(weights: tuple[float, ...]) -> float:
        return sum(abs(w) * s for w, s in zip(weights, learnt.sizes, strict=False))

    assert size(values) == pytest.approx(size(known.printed), rel=1e-3)
    assert values[7:] == known.printed[7:]


def test_it_learns_which_way_home_is_good(monkeypatch: pytest.MonkeyPatch, workforce: Workforce) -> None:
    """From weights of the wrong sign it learns from random games that a shorter path is better."""
    known = model("quoridor")
    backwards = replace(known, parameters=tuple(replace(each, printed=-each.printed) for each in known.parameters))
    monkeypatch.setattr(learner, "model", lambda game: backwards)
    terms, plan = ContestTerms.of("quoridor", {"size": 3}, seed=1), LearningPlan(300, rate=0.2, epsilon=1.0)
    learnt = learn(terms, plan, workforce)
    assert backwards.printed[0] < 0 < learnt.values(backwards)[0]
    # On unseen games its error is below that of a constant prediction.
    unseen = [self_play(terms, plan, (number, known.printed)) for number in range(1000, 1100)]
    assert missed(learnt, learnt.theta, unseen) < 0.95 * missed(learnt, [0.0] * 4, unseen)


def missed(learnt: Learnt, theta: list[float], games: list[learner.LearningGame]) -> float:
    """Return the sum of squared errors over games, by weights of features that are divided by their sizes."""
    return sum(
        error(theta, [(*(f / s for f, s in zip(row, learnt.sizes, strict=True)), 1.0) for row in rows], score)
        for game in games
        for rows, score in zip(game.rows, game.scores, strict=True)
    )


def test_a_plan_that_makes_no_sense_is_an_error_and_what_was_learnt_is_kept_whole(tmp_path: Path) -> None:
    for wrong in ({"batch": 0}, {"trace": 1.5}, {"epsilon": -0.1}, {"rate": 0.0}):
        with pytest.raises(ValueError, match=r"or more|from 0 to 1|above 0"):
            LearningPlan(10, **wrong)
    kept = Learnt(20, [1.0], [0.5, 0.0], 3.0, [learner.BatchPoint(20, 0.4, (1.0,))])
    kept.save(tmp_path / "kept", {"plan": (1, 2)})
    assert Learnt.load(tmp_path / "kept", {"plan": (1, 2)}) == kept
    assert Learnt.load(tmp_path / "none", {}) is None
