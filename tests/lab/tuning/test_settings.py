"""Settings of bots as a search space: their ranges, whole numbers, and the word of the bot that plays by values."""

from __future__ import annotations

import pytest

from cornered.bots.roster import create
from cornered.lab.tuning.settings import SettingsSpace

RANGES = {"iterations": (10.0, 40.0), "c": (0.0, 2.0)}


def test_it_begins_with_the_values_of_the_word_or_the_defaults() -> None:
    space = SettingsSpace.of("mcts:iterations=25", RANGES)
    assert space.start == (25.0, 0.7)
    assert space.point(space.start) == (0.5, 0.35)
    assert space.word() == "mcts:iterations=25,c=0.7"
    assert create(space.word()).settings == create("mcts:iterations=25").settings


def test_whole_numbers_stay_whole_and_within_the_range() -> None:
    space = SettingsSpace.of("mcts:iterations=25", RANGES)
    assert space.values((0.549, 0.25)) == (26.0, 0.5)
    assert space.values((-1.0, 7.0)) == (10.0, 2.0)
    assert space.named((26.0, 0.5)) == {"iterations": 26.0, "c": 0.5}
    assert create(space.word((26.0, 0.5))).settings == {"iterations": 26, "c": 0.5}


def test_great_numbers_are_spelled_out_and_small_ones_keep_their_digits() -> None:
    space = SettingsSpace.of("bamboo-mcts", {"iterations": (1.0, 1e6)})
    assert create(space.word((1e6,))).settings["iterations"] == 1_000_000
    space = SettingsSpace.of("puct:loss=0.000123", {"loss": (0.00001, 0.001)})
    assert space.start == (0.000123,)
    (low,) = space.values((0.0,))
    assert create(space.word((low,))).settings["loss"] == low == 0.00001


def test_a_level_is_the_bot_that_plays_it_and_other_settings_of_the_word_stay() -> None:
    assert SettingsSpace.of("level-3", {"level": (1.0, 10.0)}).word((4.0,)) == "level:level=4"
    space = SettingsSpace.of("mcts:iterations=30", {"c": (0.0, 1.0)})
    assert space.word((0.25,)) == "mcts:iterations=30,c=0.25"


def test_what_cannot_be_tuned_is_said(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[str, dict[str, tuple[float, float]], str], ...] = (
        ("mcts", {}, "name a setting to tune with its range"),
        ("mcts", {"luck": (0.0, 1.0)}, "mcts has no setting 'luck' to tune; those that are numbers are iterations, c"),
        ("random", {"luck": (0.0, 1.0)}, "declares no settings: only bots with SETTINGS"),
        ("bamboo-outer", {"luck": (0.0, 1.0)}, "declares no settings"),
        ("bamboo-sparsity", {"distance": (0.0, 1.0)}, "none of them is a number"),
        ("maxn", {"pruning": (0.0, 1.0)}, "those that are numbers are depth"),
        ("mcts", {"c": (0.0, 11.0)}, r"c is a number from 0 to 10: its range .* not 0 to 11"),
        ("mcts", {"c": (1.0, 1.0)}, "from less to more"),
        ("mcts:c=3", {"c": (0.0, 2.0)}, "begins with c=3, which is outside 0 to 2"),
        ("mcts", {"iterations": (999.5, 1010.5)}, "give whole ends"),
        ("mcts", {"iterations": (998.0, 1002.0)}, "a wider range or a greater --spread"),
        ("nobody", {"c": (0.0, 1.0)}, "there is no bot 'nobody'"),
    )
    for word, ranges, complaint in rows:
        with subtests.test(word=word, ranges=ranges, complaint=complaint), pytest.raises(ValueError, match=complaint):
            SettingsSpace.of(word, ranges, spread=0.15)
