"""The terms of a contest, and the refusal of invalid ones before any game."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.lab.contests.terms import ContestTerms


def test_matches_have_the_draw_rules_that_the_game_suggests_unless_others_are_given() -> None:
    assert ContestTerms.of("quoridor", {"size": 5}).options["no_progress"] == 30
    assert ContestTerms.of("quoridor", {"size": 5, "no_progress": None}).options["no_progress"] is None
    terms = ContestTerms.of("bamboo", {"radius": 3}, time=50, seed=7, adjudicates=True)
    assert ContestTerms(**terms.as_json()) == terms


def test_what_is_no_contest_is_refused(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[dict[str, int], dict[str, int], str], ...] = (
        ({"players": 3}, {}, "for two players"),
        ({"size": 99}, {}, "size"),
        ({}, {"time": 0}, "time of a contest is 1 or more"),
        ({}, {"longest": 0}, "longest"),
    )
    for options, wrong, reason in rows:
        with subtests.test(reason=reason), pytest.raises(ValueError, match=reason):
            ContestTerms.of("isolation", options, **wrong)


def test_bots_that_cannot_play_are_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for bot, reason in (
        ("nobody", "there is no bot"),
        ("trapgrid-classic", "does not play bamboo"),
        ("linear:weights=1:2:3", r"does not play bamboo.*bamboo has 4 weights"),
        ("bamboo-neural:network=R2.npz", r"plays on radius 2 only, not on 3"),
    ):
        with subtests.test(bot=bot, reason=reason):
            terms = ContestTerms.of("bamboo", {"radius": 3})
            if "R2" in bot:
                from cornered.bots.neural.weights import shipped_path

                bot = bot.replace("R2.npz", str(shipped_path(2, "dense")))
            with pytest.raises(ValueError, match=reason):
                terms.check("random", bot)
            terms.check("random", "greedy", "linear", "bamboo-neural")
